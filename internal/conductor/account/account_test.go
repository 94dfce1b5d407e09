package account_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/account"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/planning"
)

func of[T any](value T) *T { return &value }

// book is a store to which runs are added, a minute apart.
type book struct {
	testing.TB
	*state.Store
	now   time.Time
	count uint64
}

func opened(t testing.TB, s store.Store) *book {
	t.Helper()
	b := &book{TB: t, now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}
	l, err := ledger.Open(t.Context(), s, func() time.Time { return b.now })
	require.NoError(t, err)
	b.Store = state.New(l)
	return b
}

// run adds a run of a caller, with one obligation and the runs of tools for it. Those named in admitted let an agent in.
func (b *book) run(caller string, o planning.Obligation, admitted []string, runs ...state.ToolRun) {
	b.Helper()
	b.now, b.count = b.now.Add(time.Minute), b.count+1
	require.NoError(b, b.Step(b.Context(), "r", "ended", audit.Actor{Name: caller, Role: "pm"},
		func(w *state.Writer) error { return add(w, b.count, caller, o, admitted, runs...) }))
}

// add writes the rows of the run of a number.
func add(w *state.Writer, n uint64, caller string, o planning.Obligation, admitted []string, runs ...state.ToolRun) error {
	r := state.Request{ID: fmt.Sprintf("%016x", n*0x9e3779b97f4a7c15), Number: n, Caller: audit.Actor{Name: caller, Role: "pm"},
		Request: planning.Request{Obligations: []planning.Obligation{o}}}
	w.Run = r.ID
	err := errors.Join(w.Request(r), w.Ended(r), w.Obligation(state.Obligation{ID: "o1", Status: planning.Resolved, Of: o}))
	for i, one := range runs {
		one.ID = fmt.Sprintf("o1/%d", i+1)
		err = errors.Join(err, w.ToolRun(one))
	}
	for _, id := range admitted {
		err = errors.Join(err, w.Event(state.Event{ID: id + "/agent", Kind: "agent.admitted", What: "x"}))
	}
	return err
}

func building(id string) planning.Obligation {
	return planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": "requirement.implementation", "id": id}}
}

// ran is a run of an agent as its row says it today.
func ran(agent, requirement string, used *usage.Usage, ms float64) state.ToolRun {
	return state.ToolRun{Tool: agent, Status: state.RunDone, Agent: true, Requirement: requirement, Usage: used, DurationMS: ms}
}

func (b *book) page(q account.Query) account.Page {
	b.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	page, err := account.New(b.Store).Page(b.Context(), q)
	require.NoError(b, err)
	return page
}

// filled has runs of two agents for two requirements, by two people, of three clients and of none.
func filled(t testing.TB) *book {
	b := opened(t, store.NewMemory())
	claude := func(cost float64) *usage.Usage {
		return &usage.Usage{Client: "claude", Input: 90, Output: 10, CostUSD: of(cost)}
	}
	b.run("pm", building("REQ-1"), nil, ran("a.coder", "REQ-1", claude(0.1), 1500))
	b.run("pm", building("REQ-1"), nil, ran("a.coder", "REQ-1", claude(0.2), 500), ran("a.coder", "REQ-1", nil, 0))
	b.run("pm", building("REQ-2"), nil, ran("a.coder", "REQ-2", &usage.Usage{Client: "codex", Input: 5, Output: 1}, 10))
	b.run("ada", building("REQ-2"), nil, ran("a.tester", "REQ-2", &usage.Usage{Client: "opencode", Input: 7, Output: 2}, 10),
		ran("a.tester", "REQ-2", &usage.Usage{Client: "opencode", Input: 1, Output: 1, CostUSD: of(0.25)}, 10))
	b.run("ada", planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "query.math"}}, nil,
		state.ToolRun{Tool: "math.eval", Status: state.RunDone, DurationMS: 3})
	return b
}

// Verifies: ORC-293
//
// TestWhatAgentsUsedIsSummed: what no client reports is in no sum, and not 0; how many reported nothing is said.
func TestWhatAgentsUsedIsSummed(t *testing.T) {
	b := filled(t)
	page := b.page(account.Query{})
	require.Zero(t, page.Next)
	require.Equal(t, []account.Entry{
		{Key: account.Key{Requirement: "REQ-1", Actor: "a.coder", Caller: "pm"}, Sum: account.Sum{Runs: 1, Unreported: 1, Uncosted: 1}},
		{Key: account.Key{Requirement: "REQ-1", Actor: "a.coder", Caller: "pm", Client: "claude"},
			Sum: account.Sum{Runs: 2, Input: of(int64(180)), Output: of(int64(20)), CostUSD: of(0.3), DurationMS: of(2000.0)}},
		{Key: account.Key{Requirement: "REQ-2", Actor: "a.coder", Caller: "pm", Client: "codex"},
			Sum: account.Sum{Runs: 1, Uncosted: 1, Input: of(int64(5)), Output: of(int64(1)), DurationMS: of(10.0)}},
		{Key: account.Key{Requirement: "REQ-2", Actor: "a.tester", Caller: "ada", Client: "opencode"},
			Sum: account.Sum{Runs: 2, Uncosted: 1, Input: of(int64(8)), Output: of(int64(3)), CostUSD: of(0.25), DurationMS: of(20.0)}},
	}, page.Entries)
	require.Equal(t, account.Sum{Runs: 6, Unreported: 1, Uncosted: 3, Input: of(int64(193)), Output: of(int64(24)), CostUSD: of(0.55),
		DurationMS: of(2030.0)}, page.Total)
	require.Equal(t, account.Page{Entries: []account.Entry{}}, opened(t, store.NewMemory()).page(account.Query{}), "nothing ran: nothing was used")
}

// Verifies: ORC-293
func TestWhichRunsAreCounted(t *testing.T) {
	b := filled(t)
	third := b.now.Add(-2 * time.Minute)
	for name, c := range map[string]struct {
		q    account.Query
		runs int
	}{
		"requirement":         {account.Query{Requirement: "REQ-1"}, 3},
		"another":             {account.Query{Requirement: "REQ-3"}, 0},
		"an agent":            {account.Query{Actor: "a.coder"}, 4},
		"who had it run":      {account.Query{Actor: "ada"}, 2},
		"both":                {account.Query{Actor: "pm", Requirement: "REQ-2"}, 1},
		"from its end on":     {account.Query{Since: third}, 3},
		"after it":            {account.Query{Since: third.Add(1)}, 2},
		"of earlier runs":     {account.Query{Before: 3}, 3},
		"before there is one": {account.Query{Before: 1}, 0},
	} {
		require.Equal(t, c.runs, b.page(c.q).Total.Runs, name)
	}
}

// Verifies: ORC-293
//
// TestPagesAddUp: whatever the limit, no run is on two pages and none on none.
func TestPagesAddUp(t *testing.T) {
	b := filled(t)
	whole := b.page(account.Query{})
	for limit := 1; limit <= 5; limit++ {
		var all account.Page
		q, pages := account.Query{Limit: limit}, 0
		for next := true; next; next = q.Before > 0 {
			page := b.page(q)
			require.LessOrEqual(t, len(page.Entries), max(limit, 2), "two are of one run")
			all, q.Before = all.Join(page), page.Next
			pages++
			require.LessOrEqual(t, pages, 4)
		}
		require.Equal(t, whole, all, "limit %d in %d pages", limit, pages)
		require.Equal(t, limit < 4, pages > 1)
	}
}

// Verifies: ORC-293
//
// TestRowsOfEarlierVersions: they do not say whose they are. An agent was let in for them, or they have a report; what
// they were for stands in their obligation. What began and has not ended is not counted.
func TestRowsOfEarlierVersions(t *testing.T) {
	b := opened(t, store.NewMemory())
	large := building("REQ-1")
	large.Payload["more"] = strings.Repeat("x", 1<<20)
	b.run("pm", large, []string{"o1/2", "o1/4"},
		state.ToolRun{Tool: "project.status", Status: state.RunDone},
		state.ToolRun{Tool: "a.silent", Status: state.RunFailed, Inputs: large.Payload},
		state.ToolRun{Tool: "a.coder", Status: state.RunRefused, Usage: &usage.Usage{Client: "codex", Input: 1, Output: 1}},
		state.ToolRun{Tool: "a.slow", Status: state.RunStarted})
	require.Equal(t, []account.Entry{
		{Key: account.Key{Requirement: "REQ-1", Actor: "a.coder", Caller: "pm", Client: "codex"},
			Sum: account.Sum{Runs: 1, Uncosted: 1, Input: of(int64(1)), Output: of(int64(1))}},
		{Key: account.Key{Requirement: "REQ-1", Actor: "a.silent", Caller: "pm"}, Sum: account.Sum{Runs: 1, Unreported: 1, Uncosted: 1}},
	}, b.page(account.Query{}).Entries)
}

// Verifies: ORC-295
//
// TestAPageIsBounded: it looks at 5,000 runs, however many there are.
func TestAPageIsBounded(t *testing.T) {
	b := opened(t, store.NewMemory())
	many(b, 5001)
	first := b.page(account.Query{})
	require.EqualValues(t, 2, first.Next)
	require.Equal(t, 5000, first.Total.Runs)
	last := b.page(account.Query{Before: first.Next})
	require.Zero(t, last.Next)
	require.Equal(t, 5001, first.Join(last).Total.Runs)
}

// many adds runs of an agent, in 20 requirements by turns.
func many(b *book, n uint64) {
	b.Helper()
	require.NoError(b, b.Step(b.Context(), "r", "ended", audit.Actor{Name: "pm", Role: "pm"}, func(w *state.Writer) (err error) {
		for i := uint64(1); i <= n && err == nil; i++ {
			id := fmt.Sprintf("REQ-%d", i%20)
			err = add(w, i, "pm", building(id), []string{"o1/1"},
				ran("a.coder", id, &usage.Usage{Client: "claude", Input: 90, Output: 10, CostUSD: of(0.01)}, 1000))
		}
		return err
	}))
}

// BenchmarkPage is the cost of all pages over 10,000 runs of agents, and of one page.
func BenchmarkPage(b *testing.B) {
	file, err := boltstore.Open(filepath.Join(b.TempDir(), "state.db"), boltstore.Options{})
	require.NoError(b, err)
	k := opened(b, file)
	many(k, 10_000)
	for name, last := range map[string]bool{"one": true, "all": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				q := account.Query{Limit: 1000}
				for next := true; next; next = q.Before > 0 && !last {
					q.Before = k.page(q).Next
				}
			}
		})
	}
}
