package listing

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func TestAnEmptyList(t *testing.T) {
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	from := state.New(l)
	page, next, err := List(t.Context(), from, time.Now(), 0, 10, nil, new(Settled))
	require.NoError(t, err)
	require.Equal(t, []Run{}, page, "which is a list, and not null, in JSON")
	require.Zero(t, next)
	page, _, err = List(t.Context(), from, time.Now(), 7, 10, &audit.Actor{Name: "ada", Role: "coder"}, new(Settled))
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

// weighed counts the bytes of all that is read.
type weighed struct {
	store.Store
	bytes *int
}

func (w weighed) View(ctx context.Context, fn func(store.Reader) error) error {
	return w.Store.View(ctx, func(r store.Reader) error { return fn(weighedReader{r, w.bytes}) })
}

type weighedReader struct {
	store.Reader
	bytes *int
}

func (r weighedReader) Get(table, key string) ([]byte, error) {
	raw, err := r.Reader.Get(table, key)
	*r.bytes += len(raw)
	return raw, err
}

// Whether a run asks something is found without what it was asked for, which may be large.
func TestRunsThatAskNothingArePassedOver(t *testing.T) {
	bytes := 0
	l, err := ledger.Open(t.Context(), weighed{store.NewMemory(), &bytes}, time.Now)
	require.NoError(t, err)
	from, ada := state.New(l), audit.Actor{Name: "ada", Role: "coder"}
	for i := range 20 {
		id := strings.Repeat("r", i+1)
		asked := []planning.Obligation{{Type: planning.Report,
			Payload: map[string]any{"kind": "k", "text": strings.Repeat(id, 10_000)}}}
		require.NoError(t, from.Step(t.Context(), id, "begun", ada, func(w *state.Writer) error {
			begun := state.Request{ID: id, Number: uint64(i + 1), Caller: ada, Request: planning.Request{Obligations: asked}}
			if i == 7 {
				err = w.Ask(state.Question{ID: "o1.1", Obligation: "o1", Slot: "year"}, time.Hour)
			}
			return errors.Join(err, w.Begin(begun, begun.Caller.Name))
		}))
	}
	for _, who := range []audit.Actor{ada, {Name: "eve", Role: "coder"}} {
		bytes = 0
		page, _, err := List(t.Context(), from, time.Now(), 0, 10, &who, new(Settled))
		require.NoError(t, err)
		if who == ada {
			require.Len(t, page, 1)
			require.Equal(t, uint64(8), page[0].Number)
			continue
		}
		require.Empty(t, page)
		require.Less(t, bytes, 20_000)
	}
	page, _, err := List(t.Context(), from, time.Now(), 0, 30, nil, new(Settled))
	require.NoError(t, err)
	require.Len(t, page, 20)
	require.Equal(t, strings.Repeat("r", 200_000), page[0].Obligations[0].Obligation.Payload["text"])
}

// A run that has ended and asks nothing is looked at once; one whose question waits, or that is under way, each time.
func TestWhatAsksNothingIsLookedAtOnce(t *testing.T) {
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	from, ada := state.New(l), audit.Actor{Name: "ada", Role: "coder"}
	step := func(run, name string, write func(w *state.Writer, r state.Request) error) {
		number := uint64(run[1] - '0')
		require.NoError(t, from.Step(t.Context(), run, name, ada, func(w *state.Writer) error {
			return write(w, state.Request{ID: run, Number: number, Caller: ada})
		}))
	}
	begin := func(w *state.Writer, r state.Request) error { return w.Request(r) }
	end := func(w *state.Writer, r state.Request) error { return w.Ended(r) }
	for _, run := range []string{"r1", "r2", "r3"} {
		step(run, "begun", begin)
	}
	step("r1", "ended", end)
	step("r2", "asked", func(w *state.Writer, r state.Request) error {
		return errors.Join(w.Ask(state.Question{ID: "o1.1", Obligation: "o1", Slot: "floor"}, time.Hour), w.Ended(r))
	})
	settled := new(Settled)
	waiting := func(now time.Time) (ids []string) {
		page, _, err := List(t.Context(), from, now, 0, 10, &ada, settled)
		require.NoError(t, err)
		for _, r := range page {
			ids = append(ids, r.ID)
		}
		return ids
	}
	has := func() []bool { return []bool{settled.has(1), settled.has(2), settled.has(3), settled.has(4000)} }
	require.Equal(t, []string{"r2"}, waiting(time.Now()))
	require.Equal(t, []bool{true, false, false, false}, has())
	require.Empty(t, waiting(time.Now().Add(2*time.Hour)), "nobody answered in time")
	require.Equal(t, []string{"r2"}, waiting(time.Now()), "a clock that was wrong hides nothing")

	step("r2", "withdrawn", func(w *state.Writer, _ state.Request) error { return w.Withdraw("o1.1") })
	step("r3", "ended", end)
	require.Empty(t, waiting(time.Now()))
	require.Equal(t, []bool{true, true, true, false}, has())
	page, _, err := List(t.Context(), from, time.Now(), 0, 10, nil, settled)
	require.NoError(t, err)
	require.Len(t, page, 3, "a list of all has them")
}
