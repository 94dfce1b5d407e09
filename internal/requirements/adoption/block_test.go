package adoption

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-154

// What a mark is about is the definition below it, in whichever language.
func TestBlocks(t *testing.T) {
	for text, want := range map[string]string{
		"package a\n\n// Implements: R-1\nfunc A() {\n\n\tb()\n}\n\nfunc C() {}\n":          "3-7",
		"package a\n\n// A does.\n//\n// Implements: R-1\nfunc A() {\n\tb()\n}\n":           "3-8",
		"package a\n\nfunc A() { // Implements: R-1\n\tb()\n}\nfunc B() {}\n":               "3-5",
		"import x\n\n# Implements: R-1\ndef a():\n    b()\n\n    return 1\n\ndef c(): pass": "3-7",
		"import x\n\n# Implements: R-1\n\ndef c(): pass\n":                                  "3-3",
		"using x;\n\n// Implements: R-1\nvoid A()\n{\n  b();\n}\nint c;\n":                  "3-7",
		"use x;\n\n// Implements: R-1\nfn a() {\n  if b {\n  } else {\n  }\n}\nfn c() {}\n": "3-8",
		"x = 1\n\n  # Implements: R-1\n  def a\n    b\n  end\n\n  def c\n  end\n":           "3-6",
		"use x;\n/// Implements: R-1\n#[inline]\nfn a() {\n  b();\n}\n":                     "2-6",
		"// Implements: R-1\npackage a\n\nfunc A() {}\n":                                    "0-0",
		"#!/bin/sh\n# Implements: R-1\n\necho\n":                                            "0-0",
		"a\n// Implements: R-1":                                                             "2-2",
		"a\nb // Implements: R-1":                                                           "2-2",
	} {
		mark := 1 + strings.Count(text[:strings.Index(text, "Implements")], "\n")
		first, last := Block([]byte(text), mark)
		require.Equal(t, want, fmt.Sprintf("%d-%d", first, last), text)
	}
	for _, mark := range []int{-1, 0, 3} {
		first, last := Block([]byte("a\nb\n"), mark)
		require.Zero(t, first+last, "the file has changed meanwhile")
	}
}

// A block has the line of its mark, and lies in the file.
func FuzzBlock(f *testing.F) {
	f.Add("package a\n\n// R-1\nfunc A() {\n}\n", 3)
	f.Add("\n\n\n", 2)
	f.Fuzz(func(t *testing.T, text string, mark int) {
		first, last := Block([]byte(text), mark)
		if first == 0 {
			require.Zero(t, last)
			return
		}
		require.LessOrEqual(t, first, mark)
		require.LessOrEqual(t, mark, last)
		require.LessOrEqual(t, last, 1+strings.Count(text, "\n"))
	})
}

func TestFilesThatImplementNothing(t *testing.T) {
	for file, want := range map[string]bool{"a/b_test.go": true, "src/a.spec.ts": true, "tests/x.py": true, "test_a.py": true,
		"a/testing.go": false, "src/contest.js": false, "latest/a.go": false} {
		require.Equal(t, want, IsTest(file), file)
	}
	require.True(t, IsText("docs/design.md"))
	require.False(t, IsText("a.go"))
}

func TestWhereADesignLies(t *testing.T) {
	archive := "openspec/changes/archive/"
	for document, want := range map[string]string{
		"specs/003-timeout/spec.md":         "specs/003-timeout/plan.md",
		".kiro/specs/login/requirements.md": ".kiro/specs/login/design.md",
		"openspec/specs/cli/spec.md":        archive + "2026-02-01-later/design.md",
		"REQUIREMENTS.md":                   "DESIGN.md",
		"specs/none/spec.md":                "",
	} {
		found := DesignFiles(document, []string{".kiro/specs/login/design.md", "DESIGN.md",
			archive + "2025-01-01-first/design.md", archive + "2025-01-01-first/specs/cli/spec.md",
			archive + "2026-02-01-later/design.md", archive + "2026-02-01-later/specs/cli/spec.md",
			archive + "2026-03-01-other/design.md", archive + "2026-03-01-other/specs/cli2/spec.md",
			"specs/003-timeout/plan.md"})
		require.Equal(t, want, strings.Join(found, " "), document)
	}
}
