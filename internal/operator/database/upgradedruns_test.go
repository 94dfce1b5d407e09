package database

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/boltstore"
)

// sortedValues are the values of a table.
func sortedValues(table map[string]string) []string { return slices.Sorted(maps.Values(table)) }

// What the conductor knew before an upgrade it knows afterwards, wherever its rows have come to be, and it goes on from
// there. A dry run, and the report, say that the rows have moved.
//
// Verifies: ORC-117
func TestUpgradeKeepsTheRuns(t *testing.T) {
	for _, format := range keptFormats {
		data := older(t, format)
		before := entries(t, data.Database())["ir"]
		done, err := upgraded(t, data, false)
		require.NoError(t, err)
		after := entries(t, data.Database())["ir"]
		require.Equal(t, sortedValues(before), sortedValues(after), "no row has changed, come or gone")
		moved := 0
		for key := range after {
			if _, stayed := before[key]; !stayed {
				moved++
			}
		}
		require.Contains(t, done.Differences, ledger.Difference{Table: "ir", Added: moved, Removed: moved})

		s, err := boltstore.Open(data.Database(), boltstore.Options{})
		require.NoError(t, err)
		l, err := ledger.Open(t.Context(), s, time.Now)
		require.NoError(t, err)
		known := state.New(l)
		runs := uint64(0)
		require.NoError(t, known.View(t.Context(), func(v state.View) error {
			for key, row := range before {
				run, is := strings.CutPrefix(key, "request/")
				if !is {
					continue
				}
				runs++
				requireRun(t, v, run, row, before)
			}
			count, err := v.Count()
			require.Equal(t, runs, count)
			return err
		}))
		require.Equal(t, uint64(2), runs)

		next := state.Request{Number: runs + 1, Caller: audit.Actor{Name: "ada", Role: "coder"}}
		require.NoError(t, next.Name(""))
		require.NoError(t, known.Step(t.Context(), next.ID, "ended", next.Caller, func(w *state.Writer) error {
			return errors.Join(w.Begin(next, "ada"), w.Ended(next))
		}))
		require.NoError(t, known.View(t.Context(), func(v state.View) error {
			head, _, err := v.NumberedHead(runs + 1)
			require.Equal(t, next.ID, head.ID)
			return err
		}))
		require.NoError(t, s.Close())
	}
}

// requireRun demands that a run is read as the rows of an older database have it.
func requireRun(t *testing.T, v state.View, run, request string, rows map[string]string) {
	t.Helper()
	got, found, err := v.Request(run)
	require.NoError(t, err)
	require.True(t, found)
	encoded, err := ledger.Encode(got)
	require.NoError(t, err)
	require.JSONEq(t, request, string(encoded))
	head, found, err := v.NumberedHead(got.Number)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, run, head.ID)
	trace, err := v.Trace(run)
	require.NoError(t, err)
	require.Equal(t, rows["trace/"+run], string(trace))
	obligations, err := v.Obligations(run)
	require.NoError(t, err)
	require.Len(t, obligations, 1)
	ran, found, err := v.ToolRun(run, "o1/1")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, state.RunDone, ran.Status)
	_, found, err = v.Event(run, "end")
	require.NoError(t, err)
	require.True(t, found)
	results, err := v.Held(state.RunPrefix+run, "o1")
	require.NoError(t, err)
	require.Len(t, results, 1)
}
