package listing

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

func TestAnEmptyList(t *testing.T) {
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	from := state.New(l)
	page, next, err := List(t.Context(), from, time.Now(), 0, 10, nil)
	require.NoError(t, err)
	require.Equal(t, []Run{}, page, "which is a list, and not null, in JSON")
	require.Zero(t, next)
	page, _, err = List(t.Context(), from, time.Now(), 7, 10, &audit.Actor{Name: "ada", Role: "coder"})
	require.NoError(t, err)
	require.Empty(t, page)
	_, err = Summary(t.Context(), from, time.Now(), "r1")
	var f *fault.Error
	require.True(t, errors.As(err, &f))
	require.Equal(t, "unknown_run", string(f.Code))
	require.NotEmpty(t, f.Fix)
}

// A question is listed as it is at the moment: one that nobody answered in time does not wait.
func TestQuestionsAtAMoment(t *testing.T) {
	expires := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	all := []state.Question{{ID: "o1.1", Obligation: "o1", Status: state.QuestionWaits, Expires: expires}, {ID: "o2.1", Obligation: "o2",
		Status: state.QuestionAnswered, Expires: expires, Value: "Jeff"}}
	before, after := questionsOf(all, "o1", expires.Add(-time.Second)), questionsOf(all, "o1", expires.Add(time.Second))
	require.Len(t, before, 1)
	require.True(t, before[0].Waits())
	require.False(t, after[0].Waits())
	require.Equal(t, state.QuestionExpired, after[0].Status)
	answered := questionsOf(all, "o2", expires.Add(time.Second))[0]
	require.Equal(t, state.QuestionAnswered, answered.Status, "what was answered does not expire")
	require.Equal(t, "Jeff", answered.Value)
	require.Empty(t, questionsOf(all, "o3", expires))
}
