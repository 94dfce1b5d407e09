package cited

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/review"
)

// Verifies: ORC-329

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestAnExcerptIsTheBeginningOfWhatIsCited(t *testing.T) {
	wide, long := strings.Repeat("x", mostBytes-1)+"\n", strings.Repeat("é", mostBytes)
	for name, x := range map[string]struct {
		first, last int
		content     string
		want        *review.Excerpt
	}{
		"some lines":               {2, 3, lines(1, 9), &review.Excerpt{From: 2, Text: lines(2, 3)}},
		"the last line":            {2, 2, "a\nb", &review.Excerpt{From: 2, Text: "b"}},
		"more than are there":      {2, 9, lines(1, 3), &review.Excerpt{From: 2, Text: lines(2, 3)}},
		"behind the end":           {4, 9, lines(1, 3), nil},
		"behind the last line":     {2, 2, "a", nil},
		"too many":                 {2, 60, lines(1, 70), &review.Excerpt{From: 2, Text: lines(2, 41), More: 19}},
		"too many, cut off":        {2, 60, lines(1, 50), &review.Excerpt{From: 2, Text: lines(2, 41), More: 9}},
		"whole":                    {0, 0, lines(1, 3), &review.Excerpt{From: 1, Text: lines(1, 3)}},
		"whole and long":           {0, 0, lines(1, 100), &review.Excerpt{From: 1, Text: lines(1, 40), More: 60}},
		"whole and empty":          {0, 0, "", &review.Excerpt{From: 1}},
		"without a last line feed": {0, 0, "a\nb", &review.Excerpt{From: 1, Text: "a\nb"}},
		"as wide as may be":        {1, 1, wide, &review.Excerpt{From: 1, Text: wide}},
		"too wide together":        {1, 2, wide + "y\n", &review.Excerpt{From: 1, Text: wide, More: 1}},
		"one line too wide":        {1, 2, long + "\ny\n", &review.Excerpt{From: 1, Text: long[:mostBytes] + "…", More: 1}},
		"no UTF-8":                 {1, 1, "a\xffb\n", &review.Excerpt{From: 1, Text: "a\uFFFDb\n"}},
		"binary":                   {0, 0, "\x89PNG\x00\n", &review.Excerpt{From: 1, Binary: true}},
	} {
		if x.want != nil {
			x.want.Path, x.want.Commit = "a.go", "c"
		}
		got := excerptOf(&evidence.Content{Path: "a.go", Commit: "c", First: x.first, Last: x.last, Bytes: []byte(x.content)})
		require.Equal(t, x.want, got, name)
	}
	require.Nil(t, excerptOf(nil))
}

func TestSecretsAreMaskedWhereverTheLinesBeginAndEnd(t *testing.T) {
	token := "ghp_" + "R7mQx2Lk9VbT4nYwZ8cHs3JdUf6GaPe5KiWo"
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n", 20) + "-----END PRIVATE KEY-----\n"
	content := "before\ntoken = " + token + "\n" + key + "behind\n"
	for first := 1; first <= 25; first++ {
		for last := first; last <= 25; last++ {
			e := excerptOf(&evidence.Content{First: first, Last: last, Bytes: []byte(content)})
			require.NotContains(t, e.Text, token[:12])
			require.NotContains(t, e.Text, "MIIEvQ", "%d-%d", first, last)
			wanted := min(last, 25) - first + 1
			require.Equal(t, wanted, strings.Count(e.Text, "\n"), "every line keeps its number: %d-%d %q", first, last, e.Text)
		}
	}
	e := excerptOf(&evidence.Content{First: 25, Last: 25, Bytes: []byte(content)})
	require.Equal(t, "behind\n", e.Text)
}

// What is shown and what is not are together what was cited.
func TestEveryLineIsShownOrCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 80).Draw(t, "widths")
		var b strings.Builder
		for _, width := range all {
			b.WriteString(strings.Repeat("x", width) + "\n")
		}
		first := rapid.IntRange(1, len(all)).Draw(t, "first")
		last := rapid.IntRange(first, len(all)+5).Draw(t, "last")
		e := excerptOf(&evidence.Content{First: first, Last: last, Bytes: []byte(b.String())})
		require.Equal(t, min(last, len(all))-first+1, strings.Count(e.Text, "\n")+e.More)
		require.LessOrEqual(t, len(e.Text), mostBytes)
		require.LessOrEqual(t, strings.Count(e.Text, "\n"), mostLines)
	})
}
