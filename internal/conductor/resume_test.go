package conductor

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-282
func TestIdempotencyKeys(t *testing.T) {
	f := named("t.a", "ACHIEVE(k.x)")
	b := conductorOf(t, store.NewMemory(), f)
	request := planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x")}, IdempotencyKey: "once"}
	first, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	again, err := b.Conduct(t.Context(), ada, request)
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, 1, *f.runs)
	_, err = b.Conduct(t.Context(), Caller{Name: "bob", Role: "coder"}, request)
	require.NoError(t, err)
	require.Equal(t, 2, *f.runs, "the key is the caller's own")
	request.Obligations = append(request.Obligations, ob(planning.Achieve, "k.x"))
	_, err = b.Conduct(t.Context(), ada, request)
	require.ErrorIs(t, err, fault.Conflict)
	_, err = b.Conduct(t.Context(), ada, planning.Request{})
	require.ErrorIs(t, err, fault.Malformed)
	_, err = b.Trace(t.Context(), "nobody")
	require.ErrorIs(t, err, fault.NotFound)
}

// Verifies: ORC-282
func TestARunThatWasCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		idempotent  bool
		first, last int // runs of the first tool, and of the one that was cut off
		outcome     planning.Outcome
	}{
		"one that may run twice":     {true, 1, 2, planning.OutResolved},
		"one that may not run twice": {false, 1, 1, planning.OutFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			first, cut := named("t.a", "ACHIEVE(k.x)"), named("t.b", "ACHIEVE(k.y)", func(f *fake) { f.contract.Idempotent = c.idempotent })
			alive := cut.run
			var b bench
			cut.run = func(tools.In) (map[string]any, error) { b.stop(); return nil, b.stopping().Err() } // the service ends while it runs
			b = conductorOf(t, s, first, cut)
			_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}, IdempotencyKey: "k"})
			require.ErrorIs(t, err, fault.Unavailable)
			b.Stop()

			cut.run = alive
			b = conductorOf(t, s, first, cut)
			left, err := b.Unfinished(t.Context())
			require.NoError(t, err)
			require.Len(t, left, 1)
			_, err = b.Conduct(t.Context(), ada, left[0].Request)
			require.ErrorIs(t, err, fault.Conflict, "it has not ended")
			trace, err := b.Resume(t.Context(), left[0])
			require.NoError(t, err)
			require.Equal(t, c.outcome, trace.Status)
			require.Equal(t, []int{c.first, c.last}, []int{*first.runs, *cut.runs}, "what is recorded as finished never runs twice")
			left, err = b.Unfinished(t.Context())
			require.NoError(t, err)
			require.Empty(t, left)
			again, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}, IdempotencyKey: "k"})
			require.NoError(t, err)
			require.Equal(t, trace.ID, again.ID)
		})
	}
}

func TestACallerThatHangsUpEndsNothing(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	f := named("t.a", "ACHIEVE(k.x)")
	f.run = func(tools.In) (map[string]any, error) { hangUp(); return map[string]any{}, nil }
	b := conductorOf(t, store.NewMemory(), f, named("t.b", "ACHIEVE(k.y)"))
	trace, err := b.Conduct(ctx, ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}})
	require.NoError(t, err)
	require.Equal(t, planning.OutResolved, trace.Status)
	left, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}

// Of many requests with one key one runs; the others wait for it, or are given what it answered.
func TestManyAtOnce(t *testing.T) {
	f := named("t.a", "ACHIEVE(k.x)")
	var mu sync.Mutex
	count := 0
	f.run = func(tools.In) (map[string]any, error) {
		mu.Lock()
		defer mu.Unlock()
		count++
		return map[string]any{"value": count}, nil
	}
	b := conductorOf(t, store.NewMemory(), f)
	ids, refused := map[string]bool{}, 0
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x")}, IdempotencyKey: "once"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused++
				return
			}
			ids[trace.ID] = true
		})
	}
	all.Wait()
	require.Len(t, ids, 1)
	require.Equal(t, 1, count)
	for range 16 { // without a key each is a run of its own
		all.Go(func() {
			trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "query.math", "expr", "1+1")}})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				ids[trace.ID] = true
			}
		})
	}
	all.Wait()
	require.Len(t, ids, 17)
}

// What is recorded of a run counts for the very tool and inputs that it was recorded of.
//
// Verifies: ORC-282
func TestToolsThatChangedWhileARunWasCutOff(t *testing.T) {
	s := store.NewMemory()
	var b bench
	old := named("t.a", "ACHIEVE(k.x)")
	cut := named("t.c", "ACHIEVE(k.y)")
	cut.run = func(tools.In) (map[string]any, error) { b.stop(); return nil, b.stopping().Err() }
	b = conductorOf(t, s, old, cut)
	_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}})
	require.Error(t, err)

	other := named("t.b", "ACHIEVE(k.x)")
	b = conductorOf(t, s, other, named("t.c", "ACHIEVE(k.y)"))
	left, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	trace, err := b.Resume(t.Context(), left[0])
	require.NoError(t, err)
	require.Equal(t, "tools_changed", string(trace.Obligations[0].Runs[0].Error.Code))
	require.Zero(t, *other.runs, "one tool's result is not another's")
}
