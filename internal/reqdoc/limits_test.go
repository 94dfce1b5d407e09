package reqdoc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tenMegabytes is 10,000 requirements of about one kilobyte, half as headings, half as list items.
func tenMegabytes() []byte {
	var b strings.Builder
	sentence := "The service keeps *every* change that it has confirmed, whatever `power` does in between.\n"
	for i := range 5_000 {
		fmt.Fprintf(&b, "### REQ-%05d: Keep **change** number %d\n\n%s\nAcceptance criteria:\n\n- it is kept\n- it is shown\n\n", i, i, strings.Repeat(sentence, 11))
	}
	b.WriteString("## List\n\n")
	for i := range 5_000 {
		fmt.Fprintf(&b, "- [ ] **FR-%05d**: %s", i, strings.Repeat("  "+sentence, 11)[2:])
	}
	return []byte(b.String())
}

func TestTenThousandRequirementsParseQuickly(t *testing.T) {
	src := tenMegabytes()
	begin := time.Now()
	doc, err := readOne(src)
	took := time.Since(begin)
	require.NoError(t, err)
	require.Len(t, doc.Requirements, 10_000)
	require.Len(t, doc.Requirements[7].Acceptance, 2)
	require.Less(t, took, 10*time.Second)
	t.Logf("%d bytes in %v", len(src), took)
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

func TestHostileDocumentsAreBounded(t *testing.T) {
	const size = 3 << 20
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
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
		"duplicates":                    {fill("**REQ-1** aaaaaaaaaaaaaaaaaaaa\n\n"), ""},
		"escaped pipes":                 {"|a|b|\n|-|-|\n" + fill("|`\\|\\|\\|\\|\\|\\|`|`\\|\\|\\|`|\n"), ""},
		"headings":                      {fill("# A-1 long long title\n## A-2 long long title\n"), ""},
		"rules":                         {fill("* * * * * * * * * * * * * * * * * a\n"), "blocks"},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := readOne([]byte(c.src))
			took := time.Since(begin)
			t.Logf("%d bytes in %v: %.120v", len(c.src), took, err)
			require.Less(t, took, 20*time.Second)
			if c.refusal == "" {
				require.NoError(t, err)
				return
			}
			requireRefusal(t, err)
			require.ErrorContains(t, err, c.refusal)
		})
	}
}

func deepList(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", 2*i) + "- x\n")
	}
	return b.String()
}

func TestDocumentsBeyond16MiBAreRefused(t *testing.T) {
	_, err := readOne(make([]byte, 16<<20+1))
	require.ErrorContains(t, err, "the limit is 16777216")
}
