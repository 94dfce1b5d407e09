package drift

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
)

func TestWhetherDocumentsAreAsTheyWereImported(t *testing.T) {
	a, b := reqdoc.File{Path: "a.md", Content: []byte("- **R-1**: One.\n")}, reqdoc.File{Path: "b.md", Content: []byte("B")}
	read := func(f reqdoc.File) account.Document {
		return account.Document{Path: f.Path, SHA256: ledger.Digest(f.Content)}
	}
	into := projection.Project{Import: &projection.Import{Documents: []account.Document{read(a), read(b)}}}
	require.True(t, AreImported([]reqdoc.File{a, b}, into))
	changed := reqdoc.File{Path: "b.md", Content: []byte("C")}
	for why, files := range map[string][]reqdoc.File{
		"one was changed": {a, changed},
		"one is gone":     {a},
		"one is new":      {a, b, {Path: "c.md"}},
		"one was renamed": {a, {Path: "c.md", Content: b.Content}},
		"there are none":  nil,
		"a change waits":  {a, {Path: "b.md", Content: b.Content, Change: "add"}},
	} {
		require.False(t, AreImported(files, into), why)
	}
	require.Equal(t, []reqdoc.File{changed}, NotImported([]reqdoc.File{a, changed}, into))
	into.Pending = []pending.Delta{{}}
	require.False(t, AreImported([]reqdoc.File{a, b}, into), "an open change was imported, and is gone")
	require.False(t, AreImported([]reqdoc.File{a}, projection.Project{}), "nothing was imported")
}

func TestReadingStops(t *testing.T) {
	files := []reqdoc.File{{Path: "a.md", Content: []byte("- **R-1**: One.\n")}}
	set, err := ReadUnless(make(chan struct{}), files, reqdoc.Options{}, projection.Project{})
	require.NoError(t, err)
	require.Len(t, set.Requirements, 1)
	large := reqdoc.File{Path: "b.md", Content: make([]byte, 0, 1<<20)}
	for i := range 20_000 {
		large.Content = append(large.Content, []byte("- **R-"+string(rune('A'+i%26))+"**: Text.\n")...)
	}
	stop := make(chan struct{})
	close(stop)
	_, err = ReadUnless(stop, append(files, large), reqdoc.Options{}, projection.Project{})
	require.ErrorIs(t, err, ErrStopped)
}
