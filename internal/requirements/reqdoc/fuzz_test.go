package reqdoc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/reqid"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(documents)
	require.NoError(f, err)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(src)
	}
	f.Add([]byte("# A\n\n> - [ ] **FR-1: T.** x\n\n| ID | T |\n|--|--|\n| **FR-2** | `a\\|b` |\n\nREQ-01: T\n===\n- FR1: a\n\n  Acceptance:\n  1. [x] b\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := readOne(src)
		again, errAgain := readOne(src)
		require.Equal(t, doc, again, "equal bytes, equal document")
		require.Equal(t, err, errAgain)
		if err != nil {
			requireRefusal(t, err)
			return
		}
		requireSound(t, src, doc)
		lf := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\r", "\n")
		crlf, err := readOne([]byte(strings.ReplaceAll(lf, "\n", "\r\n")))
		require.NoError(t, err)
		doc.Documents[0].SHA256, crlf.Documents[0].SHA256 = "", ""
		require.Equal(t, doc, crlf, "line ends make no difference")
	})
}

// FuzzRead reads two documents together, with every family and with ids assigned.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(documents)
	require.NoError(f, err)
	for i, name := range files {
		one, err := os.ReadFile(name)
		require.NoError(f, err)
		two, err := os.ReadFile(files[(i+1)%len(files)])
		require.NoError(f, err)
		f.Add(one, two, uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, one, two []byte, family uint8, assign bool) {
		o := Options{Assign: assign}
		if n := int(family) % (len(Families()) + 1); n > 0 {
			o.Family = Families()[n-1]
		}
		set, err := Read([]File{{Path: "a.md", Content: one}, {Path: "b.md", Content: two}}, o)
		again, errAgain := Read([]File{{Path: "a.md", Content: one}, {Path: "b.md", Content: two}}, o)
		require.Equal(t, set, again, "equal bytes, equal set")
		require.Equal(t, err, errAgain)
		if err != nil {
			requireRefusal(t, err)
			return
		}
		seen := map[string]bool{}
		for _, r := range set.Requirements {
			require.False(t, seen[r.ID], "ids are unique over all documents")
			seen[r.ID] = true
			require.NoError(t, reqid.Valid(r.ID))
			require.NotEmpty(t, r.Title)
			require.Contains(t, []string{"a.md", "b.md"}, r.Path)
			require.True(t, o.Assign || !r.Assigned)
		}
		for _, e := range set.Others {
			require.NotEmpty(t, e.Kind)
			require.GreaterOrEqual(t, e.Line, 1)
		}
	})
}

func requireRefusal(t *testing.T, err error) {
	t.Helper()
	var refused *fault.Error
	require.True(t, errors.As(err, &refused))
	require.ErrorIs(t, err, fault.Invalid)
	require.NotEmpty(t, string(refused.Code))
	require.NotEmpty(t, refused.Fix)
	require.True(t, utf8.ValidString(err.Error()))
}

// requireSound holds a document to what every reader of it relies on.
func requireSound(t *testing.T, src []byte, doc Set) {
	t.Helper()
	s, err := markdown.New(src)
	require.NoError(t, err)
	seen := map[string]bool{}
	last := 0
	for _, r := range doc.Requirements {
		require.NoError(t, reqid.Valid(r.ID))
		require.False(t, seen[r.ID], "ids are unique")
		seen[r.ID] = true
		if !doc.Partial {
			require.GreaterOrEqual(t, r.Line, max(last, 1), "document order")
		}
		require.GreaterOrEqual(t, r.EndLine, r.Line)
		require.LessOrEqual(t, r.EndLine, s.Lines())
		last = r.Line
		require.True(t, standsIn(s.LineText(r.Line), r.ID), "%q stands on line %d", r.ID, r.Line)
		require.Contains(t, Families(), r.Family)
		require.NotEmpty(t, r.Title)
		require.NotContains(t, r.Text, "\r")
		require.Regexp(t, `^sha256:[0-9a-f]{64}$`, r.Fingerprint)
	}
	for _, p := range append(doc.Skipped, doc.Warnings...) {
		require.GreaterOrEqual(t, p.Line, 1)
		require.LessOrEqual(t, p.Line, s.Lines())
		require.NotEmpty(t, p.Message)
		require.NotEmpty(t, p.Fix)
	}
}

// standsIn reports whether a line holds an id, as it is written or as the name that it was made from.
func standsIn(line, id string) bool {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Pd, r) || r == '\u2212' || r == '\u2043' || r == '\u02d7' {
				return '-'
			}
			return r
		}, reqid.FromName(s))
	}
	return strings.Contains(markdown.Fold(line), id) || strings.Contains(plain(line), plain(id))
}

func readOne(src []byte) (Set, error) { return Read([]File{{Path: "R.md", Content: src}}, Options{}) }
