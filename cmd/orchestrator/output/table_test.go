package output

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-160

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "ab": 2, "日本": 4, "e\u0301": 1, "ｆ": 2, "…": 1, "😀": 2} {
		require.Equal(t, want, Width(text), text)
	}
	require.Equal(t, "日…", Cut("日本語", 4))
	require.Equal(t, "日本語", Cut("日本語", 6))
	require.Equal(t, []string{"one two", "three"}, Wrap("one two three", 8))
	require.Equal(t, []string{"abcd", "ef"}, Wrap("abcdef", 4))
	require.Equal(t, []string{""}, Wrap(" ", 4))
}

// No line of a table is wider than it may be, whatever the cells hold, and no cell is obeyed by a terminal.
func TestTablesFit(t *testing.T) {
	long := strings.Repeat("日本語 ", 40)
	rows := [][]string{{"REQ-001", "not_started", "pm", "short"}, {long, long, long, long}, {"a", "b\x1b[31m\nc", "", long}}
	for _, columns := range []int{40, 80, 120} {
		p := NewPrinter(false)
		p.Table(columns, []string{"ID", "STATUS", "WAITS FOR", "TITLE"}, rows)
		lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
		require.Len(t, lines, 4)
		for _, line := range lines {
			require.LessOrEqual(t, Width(line), columns, line)
			require.NotContains(t, line, "\x1b")
		}
	}
	p := NewPrinter(false)
	p.Table(80, []string{"ID", "X"}, [][]string{{"REQ-001", "y"}})
	require.Equal(t, "ID       X\nREQ-001  y\n", p.String())
}

// TestAWholeTableHasAllOfEachCell: what somebody signs is not cut, and fits all the same.
func TestAWholeTableHasAllOfEachCell(t *testing.T) {
	path := "file:" + strings.Repeat("long/", 40) + "file.go:10-20@" + strings.Repeat("0123456789abcdef", 4)
	p := NewPrinter(false)
	p.Whole(80, []string{"OF", "EVIDENCE", "VERDICT"}, [][]string{
		{"implementation", path, "stale: " + strings.Repeat("the lines are others now ", 9)},
		{"test", "test:TestA", "holds"},
	})
	var evidence strings.Builder
	for line := range strings.Lines(p.String()) {
		require.LessOrEqual(t, Width(strings.TrimSuffix(line, "\n")), 80, line)
		require.NotContains(t, line, "…")
		evidence.WriteString(strings.Fields(line[min(len(line)-1, len("implementation  ")):] + " x")[0])
	}
	require.Contains(t, evidence.String(), path)
	require.Equal(t, 9, strings.Count(p.String(), "others"))

	p = NewPrinter(false)
	p.Whole(80, []string{"ID", "X"}, [][]string{{"REQ-001", "y"}})
	require.Equal(t, "ID       X\nREQ-001  y\n", p.String())
}
