package conductor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// watched is a store that tells how many bytes each row has that is read by its key.
type watched struct {
	store.Store
	read *func(bytes int)
}

func (w watched) View(ctx context.Context, fn func(store.Reader) error) error {
	return w.Store.View(ctx, func(r store.Reader) error { return fn(watchedReader{r, *w.read}) })
}

type watchedReader struct {
	store.Reader
	read func(bytes int)
}

func (r watchedReader) Get(table, key string) ([]byte, error) {
	raw, err := r.Reader.Get(table, key)
	r.read(len(raw))
	return raw, err
}

const manyFacts = 3000

// knowingMuch is a conductor that knows many facts, stated in few requests. What is read is told to a function.
func knowingMuch(t *testing.T) (b bench, read *func(bytes int)) {
	t.Helper()
	read = new(func(int))
	*read = func(int) {}
	memory := store.NewMemory()
	b = conductorOn(t, watched{memory, read}, memory)
	for i := range manyFacts / 1000 {
		var facts []any
		for j := range 1000 {
			facts = append(facts, fact(fmt.Sprintf("person %d-%d", i, j), "city", "Oslo"))
		}
		require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Achieve, "ir.assert", "facts", facts)).Status)
	}
	return b, read
}

// withoutX is a guardrail that nothing be known of x.
func withoutX() planning.Obligation { return ob(planning.Maintain, "g", "condition", `!("x" in ir)`) }

var vera = Caller{Name: "vera", Role: "viewer"}

// Who stated a fact is found without the request that it was stated in, which may have a thousand of them.
//
// Verifies: ORC-256
func TestWhatAReadOfFactsCosts(t *testing.T) {
	b, read := knowingMuch(t)
	bytes := 0
	*read = func(n int) { bytes += n }
	people := ob(planning.Report, "query.people", "filters", map[string]any{"city": "Oslo"})
	seen := func(all ...planning.Obligation) int {
		bytes = 0
		trace, err := b.Conduct(t.Context(), vera, planning.Request{Obligations: all})
		require.NoError(t, err)
		require.Equal(t, planning.OutResolved, trace.Status)
		return bytes
	}
	most := manyFacts * 2 * 1000 // each fact is read twice, with where it comes from
	require.Less(t, seen(ob(planning.Report, "query.facts", "limit", 1000)), most)
	require.Less(t, seen(ob(planning.Report, "query.facts", "owner", "vera")), most)
	require.Less(t, seen(people), most)

	maintain, sum := withoutX(), ob(planning.Report, "query.math", "expr", "1+1")
	once := seen(maintain, sum)
	require.Less(t, seen(maintain, sum, sum, sum, sum, sum, sum), once+once/2,
		"conditions read what is known once, until there is more")
	_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{
		maintain, ob(planning.Achieve, "ir.assert", "facts", []any{fact("x", "city", "Rome")}), sum,
	}})
	require.NoError(t, err)
	trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{
		maintain, sum,
	}})
	require.NoError(t, err)
	require.Equal(t, planning.OutGuardrail, trace.Status)
}

// What was asserted in the run itself is seen by the conditions that come after it.
func TestConditionsSeeWhatTheRunAsserts(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	sum := ob(planning.Report, "query.math", "expr", "1+1")
	trace := b.conduct(withoutX(), sum,
		ob(planning.Achieve, "ir.assert", "facts", []any{fact("x", "city", "Rome")}), sum)
	require.Equal(t, planning.OutResolved, trace.Obligations[1].Outcome)
	require.Equal(t, planning.OutGuardrail, trace.Obligations[3].Outcome)
}

// Nothing is kept of what a viewer asks for, and nobody reads on when the viewer has gone.
//
// Verifies: ORC-256
func TestAViewersRunEndsWithItsCaller(t *testing.T) {
	b, read := knowingMuch(t)
	ctx, gone := context.WithCancel(t.Context())
	rows := 0
	*read = func(int) {
		if rows++; rows == 100 {
			gone()
		}
	}
	facts := ob(planning.Report, "query.facts")
	_, err := b.Conduct(ctx, vera, planning.Request{Obligations: []planning.Obligation{facts, facts}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 100, rows)
}

// Verifies: ORC-256
func TestReadsEndWithTheTime(t *testing.T) {
	b, read := knowingMuch(t)
	rows, slowFrom := 0, 0
	begin := time.Now()
	slow := func(int) {
		if rows++; rows > slowFrom {
			time.Sleep(10 * time.Millisecond)
			b.later(10 * time.Millisecond)
		}
	}
	*read = slow
	asked := func(ms int, all ...planning.Obligation) ObligationTrace {
		rows, begin = 0, time.Now()
		trace, err := b.Conduct(t.Context(), vera, planning.Request{Obligations: all, Budgets: planning.Budgets{TimeMS: ms}})
		require.NoError(t, err)
		require.Equal(t, planning.OutTruncated, trace.Status)
		require.Less(t, time.Since(begin), 10*time.Second, "it would have read for half a minute")
		return trace.Obligations[len(trace.Obligations)-1]
	}
	facts := ob(planning.Report, "query.facts")
	require.Equal(t, "tool_timeout", string(asked(100, facts).Runs[0].Error.Code))
	require.Contains(t, asked(100, withoutX(), facts).Why, "time_ms is exhausted")

	*read = func(int) { rows++ }
	_, err := b.Conduct(t.Context(), vera, planning.Request{Obligations: []planning.Obligation{facts}})
	require.NoError(t, err)
	slowFrom = rows * 3 / 4 // the tool has answered, and is asked once more
	*read = slow
	late := asked(2000, facts)
	require.Equal(t, "the answer was not confirmed: time_ms is exhausted", late.Why)
	require.Equal(t, planning.OutTruncated, late.Outcome)
}
