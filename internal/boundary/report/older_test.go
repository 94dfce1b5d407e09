package report_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// olderLines are n calls of a main session, one a minute, as the older journal has them.
func olderLines(n int, source string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"timestamp": "2025-11-03T10:%02d:00.123456", "file": "src/f%d.py", "tool": "Edit", "source": %q}`+"\n", i, i, source)
	}
	return b.String()
}

func TestTheReportOfAnOlderJournal(t *testing.T) {
	ten := "Found %d boundary violation(s)\n"
	for i := range 10 {
		ten += fmt.Sprintf("  2025-11-03T10:%02d:00.123456  Edit  src/f%d.py\n", i, i)
	}
	for name, c := range map[string]struct{ journal, want string }{
		"nothing":        {"", "No boundary violations: the journal is clean\n"},
		"agents":         {olderLines(12, "agent"), "No boundary violations: the journal is clean\n"},
		"a main session": {olderLines(1, "main"), "Found 1 boundary violation(s)\n  2025-11-03T10:00:00.123456  Edit  src/f0.py\n"},
		"ten":            {olderLines(10, "main"), fmt.Sprintf(ten, 10)},
		"twelve":         {olderLines(12, "main"), fmt.Sprintf(ten, 12) + "... and 2 more\n"},
		"twelve among agents": {olderLines(7, "agent") + olderLines(12, "main") + olderLines(7, "agent"),
			fmt.Sprintf(ten, 12) + "... and 2 more\n"},
		"tools that write nothing": {`{"timestamp":"2025-11-03T10:00:00Z","file":"a","tool":"Read","source":"main"}`, "No boundary violations: the journal is clean\n"},
		"a name for the terminal": {`{"timestamp":"2025-11-03T10:00:00Z","file":"a\u001b[2Jb\n","tool":"Write","source":"main"}`,
			"Found 1 boundary violation(s)\n" + `  2025-11-03T10:00:00Z  Write  a\x1b[2Jb\n` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			lines, malformed, err := report.ReadOlder(strings.NewReader(c.journal))
			require.NoError(t, err)
			require.Zero(t, malformed)
			var out strings.Builder
			require.NoError(t, report.WriteOlderReport(&out, lines))
			require.Equal(t, c.want, out.String())
		})
	}
}

func TestMalformedLinesOfAnOlderJournalAreCounted(t *testing.T) {
	good := `{"timestamp":"2025-11-03T10:00:00Z","file":"a","tool":"Edit","source":"main"}`
	for name, line := range map[string]string{
		"no JSON": `{`, "a list": `[]`, "null": `null`, "binary": "\x00\x01\xff", "no time": `{"file":"a","tool":"Edit","source":"main"}`,
		"another time":    `{"timestamp":"yesterday","file":"a","tool":"Edit","source":"main"}`,
		"no tool":         `{"timestamp":"2025-11-03T10:00:00Z","file":"a","source":"main"}`,
		"another source":  `{"timestamp":"2025-11-03T10:00:00Z","file":"a","tool":"Edit","source":"Main"}`,
		"a list of files": `{"timestamp":"2025-11-03T10:00:00Z","file":["a"],"tool":"Edit","source":"main"}`,
		"too long":        strings.Replace(good, `"a"`, `"`+strings.Repeat("x", 70_000)+`"`, 1),
		"far too long":    strings.Repeat("x", 1_000_000),
		"cut off":         good[:40],
		"two in a line":   good + good,
	} {
		t.Run(name, func(t *testing.T) {
			for _, journal := range []string{line + "\n" + good + "\n", good + "\n" + line, "\n\r\n" + good + "\r\n" + line + "\r\n"} {
				lines, malformed, err := report.ReadOlder(iotest.HalfReader(strings.NewReader(journal)))
				require.NoError(t, err)
				require.Equal(t, []report.Older{{"2025-11-03T10:00:00Z", "a", "Edit", "main"}}, lines)
				require.Equal(t, 1, malformed)
			}
		})
	}
	_, _, err := report.ReadOlder(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(good))))
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

func TestMembersThatAnOlderJournalHasBesideAreLetThrough(t *testing.T) {
	lines, malformed, err := report.ReadOlder(strings.NewReader(`{"timestamp":"2025-11-03 10:00:00","file":"a","tool":"Edit","source":"agent","phase":2}`))
	require.NoError(t, err)
	require.Zero(t, malformed)
	require.Len(t, lines, 1)
}

func TestAnOlderJournalIsImportedOnce(t *testing.T) {
	dir := boundarytest.Project(t)
	lines, _, err := report.ReadOlder(strings.NewReader(olderLines(12, "main") + olderLines(3, "agent") + olderLines(2, "main")))
	require.NoError(t, err)
	require.Len(t, lines, 17)
	added, err := report.ImportOlder(dir, lines)
	require.NoError(t, err)
	require.Equal(t, 15, added, "two are the same call")
	added, err = report.ImportOlder(dir, lines)
	require.NoError(t, err)
	require.Zero(t, added)
	h := boundarytest.History(t, dir)
	require.Len(t, h.Imported, 15)
	require.Empty(t, h.Decisions, "readiness is measured by what this hook decided")
	require.Zero(t, h.Malformed)
	require.Equal(t, 15, h.Report(time.Time{}).Imported)

	var out bytes.Buffer
	require.NoError(t, h.WriteOlder(&out))
	again, malformed, err := report.ReadOlder(&out)
	require.NoError(t, err)
	require.Zero(t, malformed)
	require.Len(t, again, 15)
	require.Equal(t, report.Older{"2025-11-03T10:00:00.123456Z", "src/f0.py", "Edit", "main"}, again[0])
	added, err = report.ImportOlder(boundarytest.Project(t), again)
	require.NoError(t, err)
	require.Equal(t, 15, added)
}

func TestTheOlderFormHasALineForEachFileThatWasToBeWritten(t *testing.T) {
	dir := boundarytest.Project(t)
	two := boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(3), Session: "s", Tool: "Edit", File: "a.go", Actor: boundary.Agent, At: boundarytest.Day0})
	two.Named = append(two.Named, boundary.Target{Path: "dir/", Unknown: true})
	boundarytest.Add(t, dir,
		boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(1), Session: "s", Tool: "Edit", File: "main.go", Actor: boundary.Main, At: boundarytest.Day0}),
		boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(2), Session: "s", Tool: "Read", File: "main.go", Actor: boundary.Main, At: boundarytest.Day0}),
		two,
		folder.Line{ID: boundarytest.ID(4), At: boundarytest.Day0, Kind: folder.KindImported}, // which nobody wrote but by hand
	)
	var out strings.Builder
	require.NoError(t, boundarytest.History(t, dir).WriteOlder(&out))
	require.Equal(t, `{"timestamp":"2026-01-01T09:00:00Z","file":"main.go","tool":"Edit","source":"main"}
{"timestamp":"2026-01-01T09:00:00Z","file":"a.go","tool":"Edit","source":"agent"}
{"timestamp":"2026-01-01T09:00:00Z","file":"dir/…","tool":"Edit","source":"agent"}
`, out.String())
	require.ErrorIs(t, boundarytest.History(t, dir).WriteOlder(failing{}), os.ErrClosed)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// FuzzReadOlder reads anything, and what it makes of it can be imported and read again.
func FuzzReadOlder(f *testing.F) {
	f.Add(olderLines(2, "main"))
	f.Add(`{"timestamp":"0001-01-01T00:00:00Z","file":"a","tool":"Edit","source":"main"}`)
	f.Add(`{"timestamp":"9999-12-31T23:59:59-12:00","file":"a","tool":"Edit","source":"agent"}` + "\n{")
	f.Add(`{"timestamp":"9999-12-31T23:59:59-12:00","file":"\ud800","tool":"\u0000","source":"agent"}` + "\n{")
	f.Fuzz(func(t *testing.T, text string) {
		lines, malformed, err := report.ReadOlder(strings.NewReader(text))
		require.NoError(t, err)
		require.LessOrEqual(t, len(lines)+malformed, strings.Count(text, "\n")+1)
		dir := folder.In(t.TempDir())
		lines = lines[:min(len(lines), 20)]
		_, err = report.ImportOlder(dir, lines)
		require.NoError(t, err)
		again, err := report.ImportOlder(dir, lines)
		require.NoError(t, err)
		require.Zero(t, again, "each call once")
		require.Zero(t, boundarytest.History(t, dir).Malformed)
		require.NoError(t, report.WriteOlderReport(&bytes.Buffer{}, lines))
	})
}
