package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
)

func idsOf(lines []folder.Line) (ids []string) {
	for _, l := range lines {
		ids = append(ids, l.ID)
	}
	return ids
}

// note is a line of a journal of some day.
func note(id string, days int) folder.Line {
	return folder.Line{ID: id, At: boundarytest.Day0.Add(time.Duration(days) * day), Kind: folder.KindError}
}

// TestTheNewestLines: no more files are read than the newest lines are in, and none from before a moment.
// Verifies: ORC-223
func TestTheNewestLines(t *testing.T) {
	dir := folder.In(t.TempDir())
	boundarytest.Add(t, dir, note("a", 0), note("b", 0), note("c", 1), note("d", 2), note("e", 2))
	boundarytest.AppendRaw(t, dir, "2026-01-02.jsonl", "{\n")
	for _, c := range []struct {
		most  int
		since time.Time
		want  string
	}{
		{0, time.Time{}, "abcde"}, {1, time.Time{}, "e"}, {3, time.Time{}, "cde"}, {4, time.Time{}, "bcde"},
		{9, time.Time{}, "abcde"}, {0, boundarytest.Day0.Add(day), "cde"},
		{1, boundarytest.Day0.Add(day), "e"}, {0, boundarytest.Day0.Add(9 * day), ""},
	} {
		tail, lines, err := report.NewTail(dir, c.most, c.since)
		require.NoError(t, err)
		require.Equal(t, c.want, strings.Join(idsOf(lines), ""))
		more, err := tail.Next()
		require.NoError(t, err)
		require.Empty(t, more, "what was passed over is not read later")
	}
}

// Files that are not needed for the newest lines are not read: whatever is wrong with them, the lines come.
func TestOldFilesAreNotRead(t *testing.T) {
	dir := folder.In(t.TempDir())
	boundarytest.Add(t, dir, note("a", 1), note("b", 2))
	broken := filepath.Join(dir.Path(), "journal", "2026-01-01.jsonl")
	boundarytest.AppendRaw(t, dir, "2026-01-01.jsonl", "")
	require.NoError(t, os.Truncate(broken, 1<<40)) // larger than a file that is read
	_, lines, err := report.NewTail(dir, 2, time.Time{})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, idsOf(lines))
	_, _, err = report.NewTail(dir, 3, time.Time{})
	boundarytest.RequireCode(t, err, "journal_unreadable")
	require.NotEmpty(t, fault.As(err).Fix)
}

// TestATailFollowsTheJournal from file to file, whatever becomes of them.
// Verifies: ORC-223
func TestATailFollowsTheJournal(t *testing.T) {
	dir := folder.In(t.TempDir())
	tail, lines, err := report.NewTail(dir, 10, time.Time{})
	require.NoError(t, err)
	require.Empty(t, lines)
	next := func(want ...string) {
		t.Helper()
		lines, err := tail.Next()
		require.NoError(t, err)
		require.Equal(t, want, idsOf(lines))
	}
	boundarytest.Add(t, dir, note("a", 0))
	next("a")
	next()
	boundarytest.Add(t, dir, note("b", 0), note("c", 1))
	next("b", "c")
	half := `{"id":"d","at":"2026-01-02T00:00:00Z",`
	boundarytest.AppendRaw(t, dir, "2026-01-02.jsonl", half)
	next()
	boundarytest.AppendRaw(t, dir, "2026-01-02.jsonl", `"kind":"error"}`+"\n")
	boundarytest.AppendRaw(t, dir, "2026-01-02.1.jsonl", strings.Replace(half, `"d"`, `"e"`, 1)+`"kind":"error"}`+"\n")
	next("d", "e")
	path := filepath.Join(dir.Path(), "journal", "2026-01-02.jsonl")
	require.NoError(t, os.Remove(path))
	next()
	boundarytest.AppendRaw(t, dir, "2026-01-02.jsonl", strings.Replace(half, `"d"`, `"f"`, 1)+`"kind":"error"}`+"\n")
	next("f")
	require.NoError(t, os.Truncate(path, 0))
	next()
	boundarytest.AppendRaw(t, dir, "2026-01-02.jsonl", strings.Replace(half, `"d"`, `"g"`, 1)+`"kind":"error"}`+"\n")
	next("g")
}
