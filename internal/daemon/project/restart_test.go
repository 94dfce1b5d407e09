package project

import (
	"fmt"
	"os"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// Documents that are as they were imported do not hold up a start. What was changed meanwhile is imported before the
// service answers.
func TestAStartReadsFirstWhatWasChanged(t *testing.T) {
	o, _ := inWorkingTree(t)
	_, err := start(t, o, func(p *Project) {
		require.False(t, p.importer.later)
		require.Equal(t, 1, p.Service.State().Requirements)
	})
	require.NoError(t, err)
	_, err = start(t, o, func(p *Project) {
		require.True(t, p.importer.later)
		p.importer.later = false
		size := p.Service.State().LogSize
		require.NoError(t, p.importer.importAtStart(t.Context(), p.importer.read(t.Context())))
		require.Equal(t, size, p.Service.State().LogSize, "nothing is found in them")
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n- **REQ-002**: Two.\n"), 0o600))
	_, err = start(t, o, func(p *Project) {
		require.False(t, p.importer.later)
		require.Equal(t, 2, p.Service.State().Requirements)
	})
	require.NoError(t, err)
}

// The import at the start says how far it is while it goes on, and no later one does. It is done alone.
func TestTheImportAtTheStartIsFollowed(t *testing.T) {
	o, _ := inWorkingTree(t)
	plan, err := Prepare(o)
	require.NoError(t, err)
	var seen []string
	follow := func(far func() (int, int, string)) func() {
		done, total, what := far()
		seen = append(seen, fmt.Sprint(done, " ", total, " ", what))
		return func() {
			done, total, what := far()
			seen = append(seen, fmt.Sprint(done, " ", total, " ", what))
		}
	}
	alone := func(do func()) {
		do()
		seen = append(seen, "it was alone")
	}
	project, err := plan.Open(t.Context(), Process{Log: zerolog.Nop(), Draining: func() bool { return false },
		Follow: follow, Alone: alone})
	require.NoError(t, err)
	require.Equal(t, []string{"0 0 documents read", "1 1 requirements stored", "it was alone"}, seen)
	require.NoError(t, project.importer.importNow(t.Context(), "watch"))
	require.Len(t, seen, 3)
	require.NoError(t, project.Close())
}
