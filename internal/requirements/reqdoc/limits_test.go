package reqdoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/measure"
)

// tenMegabytes is 10,000 requirements of about one kilobyte, half as headings, half as list items.
func tenMegabytes() []byte { return kilobytes(10_000) }

func kilobytes(requirements int) []byte {
	var b strings.Builder
	sentence := "The service keeps *every* change that it has confirmed, whatever `power` does in between.\n"
	for i := range requirements / 2 {
		fmt.Fprintf(&b, "### REQ-%05d: Keep **change** number %d\n\n%s\nAcceptance criteria:\n\n- it is kept\n- it is shown\n\n", i, i, strings.Repeat(sentence, 11))
	}
	b.WriteString("## List\n\n")
	for i := range requirements / 2 {
		fmt.Fprintf(&b, "- [ ] **FR-%05d**: %s", i, strings.Repeat("  "+sentence, 11)[2:])
	}
	return []byte(b.String())
}

// TestTenThousandRequirementsParseQuickly: ten times the requirements take ten times the work, not a hundred times.
func TestTenThousandRequirementsParseQuickly(t *testing.T) {
	var doc Set
	parse := func(src []byte) func() {
		return func() {
			var err error
			doc, err = readOne(src)
			require.NoError(t, err)
		}
	}
	few := measure.CPU(3, parse(kilobytes(1_000)))
	many := measure.CPU(1, parse(tenMegabytes()))
	require.Len(t, doc.Requirements, 10_000)
	require.Len(t, doc.Requirements[7].Acceptance, 2)
	t.Logf("1,000 requirements: %v, 10,000: %v", few, many)
	require.Less(t, many, 40*few)
}

func BenchmarkParse(b *testing.B) {
	src := tenMegabytes()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := readOne(src); err != nil {
			b.Fatal(err)
		}
	}
}

// Verifies: ORC-084
func TestHostileDocumentsAreBounded(t *testing.T) {
	const size = 3 << 20
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	ordinary := measure.CPU(3, func() { _, _ = readOne(kilobytes(size >> 10)) })
	for name, c := range map[string]struct{ src, refusal string }{
		"quotes 10,000 deep":            {strings.Repeat(">", 10_000) + " x", "nested more than 64 deep"},
		"quotes 10,000 deep, many":      {strings.Repeat(strings.Repeat(">", 10_000)+" x\n", 400), "nested more than 64 deep"},
		"lists 10,000 deep, one line":   {strings.Repeat("- ", 10_000) + "x", "nested more than 64 deep"},
		"lists 10,000 deep, many lines": {deepList(3_000), "nested more than 64 deep"},
		"one line of quotes":            {fill("> "), "nested more than 64 deep"},
		"quotes just allowed":           {strings.Repeat("> ", 62) + "a", ""},
		"lists just allowed":            {strings.Repeat("- ", 31) + "a", ""},
		"quotes, again and again":       {fill(strings.Repeat("> ", 60) + "a\n\n"), "blocks"},
		"lists, again and again":        {fill(strings.Repeat("- ", 30) + "a\n\n"), "blocks"},
		"table of many cells":           {"|a" + strings.Repeat("|a", 5_000) + "\n|-" + strings.Repeat("|-", 5_000) + "\n" + strings.Repeat("|\n", 10_000), "cells"},
		"tables by the thousand":        {fill("|a|b|\n|-|-|\n|c|d" + strings.Repeat(" ", 30) + "|\n\n"), "cells"},
		"too many lines":                {fill("a\n"), "last that is allowed"},
		"too many items":                {fill("- a\n"), "last that is allowed"},
		"brackets":                      {"# " + fill("["), ""},
		"emphasis":                      {"# REQ-001 " + fill("*a _b "), ""},
		"backticks":                     {"- **REQ-001** " + fill("` `` ``` "), ""},
		"links":                         {"- **REQ-001** " + fill("[a](b "), ""},
		"short markup, many titles":     {fill("# REQ-001 " + strings.Repeat("[*_`", 500) + "\n"), ""},
		"ids without end":               {"**" + fill("A-1.") + "1**", "characters"},
		"unclosed bold":                 {fill("- **REQ-001 a "), ""},
		"one comment":                   {"<!-- " + fill("**REQ-001**: a\n"), ""},
		"duplicates":                    {fill("**REQ-1** aaaaaaaaaaaaaaaaaaaa\n\n"), "more than 50000 ids"},
		"escaped pipes":                 {"|a|b|\n|-|-|\n" + fill("|`\\|\\|\\|\\|\\|\\|`|`\\|\\|\\|`|\n"), ""},
		"headings":                      {fill("# A-1 long long title\n## A-2 long long title\n"), "more than 50000 ids"},
		"rules":                         {fill("* * * * * * * * * * * * * * * * * a\n"), "blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			hostile := measure.CPU(1, func() { _, err = readOne([]byte(c.src)) })
			t.Logf("%d bytes take %.1f times an ordinary document: %.120v", len(c.src), float64(hostile)/float64(ordinary), err)
			require.Less(t, hostile, 50*ordinary)
			if c.refusal == "" {
				require.NoError(t, err)
				return
			}
			requireRefusal(t, err)
			require.ErrorContains(t, err, c.refusal)
		})
	}
}

// TestNothingGrowsFasterThanTheDocument reads shapes that once cost quadratic time or memory, at two sizes: four
// times the document may allocate four times as much, and a little more.
//
// Verifies: ORC-084
func TestNothingGrowsFasterThanTheDocument(t *testing.T) {
	numbered := func(format string) func(int) string {
		return func(size int) string {
			var b strings.Builder
			for i := 1; b.Len() < size; i++ {
				fmt.Fprintf(&b, format, i)
			}
			return b.String()
		}
	}
	after := func(head string, rest func(int) string) func(int) string {
		return func(size int) string { return head + rest(size) }
	}
	long := strings.Repeat("要件 requirement risk ", 1_000)
	columns := strings.Repeat("|"+strings.Repeat("*a* `b` ", 20), 30)
	for name, shape := range map[string]func(int) string{
		"bold lines of a paragraph":    numbered("**A-%d**: a\n"),
		"criteria in their lines":      numbered("**A-%d**: a\nAcceptance: b\n"),
		"wide names of columns":        after("|ID"+columns+"|\n|-"+strings.Repeat("|-", 30)+"|\n", numbered("|A-%d|b|\n")),
		"items below a long heading":   after("# "+long+"\n\n", numbered("- **A-%d**: a\n")),
		"plain items below it":         after("# "+long+"\n\n", numbered("- item %d\n")),
		"rows below it":                after("# "+long+"\n\n|ID|Text|\n|-|-|\n", numbered("|A-%d|b|\n")),
		"stated numbers":               after("# "+long+"\n\n- **A-1**: a\n\n", numbered("\n%d requirements total\n")),
		"criteria with ids":            after("## FR-1: a\n\n", numbered("- **AC-%d**: b\n")),
		"scenarios":                    after("### Requirement: a\n\n", numbered("#### Scenario: %d\n- b\n")),
		"headings in headings":         numbered("## A-%[1]d: a\n### B-%[1]d: b\n#### C-%[1]d: c\n"),
		"circles":                      numbered("`req~a%[1]d~1`\n\nDepends:\n- req~a%[1]d~1\n- req~a1~1\n\n---\n\n"),
		"a chain":                      func(size int) string { return chain(size) },
		"brackets in a heading":        func(size int) string { return "# " + strings.Repeat("[a]", size/3) },
		"open comments":                numbered("- **A-%d**: a <!-- b\n"),
		"open braces":                  numbered("- **A-%d**: {a [b <c\n"),
		"renamings":                    after("## RENAMED Requirements\n", numbered("- FROM: `### Requirement: a%[1]d`\n- TO: `### Requirement: b%[1]d`\n")),
		"references":                   after("- **A-1**: a\n\n## Coverage\n\n", numbered("- A-%d: b\n")),
		"fields":                       numbered("### a\n\n**MID**: x \\\n**UID**: A-%d\n\n"),
		"items in items with criteria": numbered("- **A-%d**: a\n  - Acceptance:\n    - b\n"),
	} {
		t.Run(name, func(t *testing.T) {
			const size = 60_000
			small, large := cost(shape(size)), cost(shape(4*size))
			t.Logf("%d KB and %d KB allocated", small>>10, large>>10)
			require.Less(t, large, 6*small+2<<20)
			require.Less(t, small, uint64(1_000*size), "bytes allocated")
		})
	}
}

// chain is items that each depend on the next.
func chain(size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size; i++ {
		fmt.Fprintf(&b, "`req~a%d~1`\n\nDepends:\n- req~a%d~1\n\n---\n\n", i, i+1)
	}
	return b.String()
}

// cost is how many bytes reading a document allocates.
func cost(src string) uint64 {
	return measure.Allocated(func() { _, _ = readOne([]byte(src)) })
}

func deepList(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", 2*i) + "- x\n")
	}
	return b.String()
}

// Verifies: ORC-084
func TestDocumentsBeyond16MiBAreRefused(t *testing.T) {
	_, err := readOne(make([]byte, 16<<20+1))
	require.ErrorContains(t, err, "the limit is 16777216")
}
