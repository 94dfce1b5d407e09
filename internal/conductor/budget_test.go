package conductor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-256
func TestBudgets(t *testing.T) {
	for name, budgets := range map[string]planning.Budgets{"runs": {MaxToolRuns: 1}, "cost": {MaxCost: 1}} {
		t.Run(name, func(t *testing.T) {
			b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)"), named("t.b", "REPORT(k.y)"))
			trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x"), ob(planning.Report, "k.y")}, Budgets: budgets})
			require.NoError(t, err)
			require.Equal(t, planning.OutTruncated, trace.Status)
			require.Len(t, trace.Answers, 1)
		})
	}
	t.Run("depth", func(t *testing.T) {
		f := named("t.a", "REPORT(k.x)")
		request := planning.Request{Obligations: []planning.Obligation{plan(ob(planning.Report, "k.x"), plan(ob(planning.Report, "k.x"), plan(ob(planning.Report, "k.x"))))}}
		for depth, runs := range map[int]int{1: 1, 2: 2, 3: 3} {
			*f.runs = 0
			request.Budgets.MaxDepth = depth
			trace, err := conductorOf(t, store.NewMemory(), f).Conduct(t.Context(), ada, request)
			require.NoError(t, err)
			require.Equal(t, runs, *f.runs, "what is reached is on record: %s", trace.Obligations[0].Why)
			require.Equal(t, depth == 3, trace.Status == planning.OutResolved)
			require.Equal(t, depth != 3, trace.Status == planning.OutTruncated)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		f := named("t.a", "REPORT(k.x)")
		trace, err := conductorOf(t, store.NewMemory(), f).Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{
			ob(planning.Report, "k.x"), plan(ob(planning.Report, "k.x"), ob(planning.Report, "k.x"))},
			Budgets: planning.Budgets{MaxResultBytes: len(`{"value":"t.a"}`)}})
		require.NoError(t, err)
		require.Equal(t, planning.OutTruncated, trace.Status)
		require.Equal(t, 2, *f.runs, "the one that exceeds it is the last")
		require.Len(t, trace.Answers, 1, "and nobody is given its result")
	})
}

// A result that exceeds what is left of the bytes is given to nobody: it is no answer, stands in no trace and on no
// record, and what it would have stated is not known.
//
// Verifies: ORC-256
func TestAResultBeyondTheBudgetIsNotTaken(t *testing.T) {
	large := named("t.a", "REPORT(k.x)")
	large.run = func(tools.In) (map[string]any, error) {
		return map[string]any{"value": strings.Repeat("x", 900_000)}, nil
	}
	for name, c := range map[string]struct {
		of    planning.Obligation
		bytes int
	}{
		"of a tool":     {ob(planning.Report, "k.x"), 100},
		"of the box":    {ob(planning.Report, "query.math", "expr", "2**1000"), 1},
		"of a step":     {plan(ob(planning.Report, "k.x")), 100},
		"that is known": {ob(planning.Achieve, "ir.assert", "facts", []any{map[string]any{"subject": "a", "predicate": "b", "object": "c"}}), 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := conductorOf(t, store.NewMemory(), large)
			trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{c.of},
				Budgets: planning.Budgets{MaxResultBytes: c.bytes}})
			require.NoError(t, err)
			require.Equal(t, planning.OutTruncated, trace.Status)
			require.Empty(t, trace.Answers)
			require.Contains(t, trace.Obligations[0].Why, "max_result_bytes")
			for t2 := range trace.Each() {
				for _, run := range t2.Runs {
					require.Nil(t, run.Result)
				}
			}
			raw, err := b.Trace(t.Context(), trace.ID)
			require.NoError(t, err)
			require.Less(t, len(raw), 10_000)
			require.Contains(t, trace.Unresolved().Error()+fault.As(trace.Unresolved()).Fix, "a larger max_result_bytes")
			known := b.conduct(ob(planning.Report, "query.facts", "subject", "a"))
			require.Equal(t, planning.OutResolved, known.Status)
			require.NotContains(t, known.Answers[0].Text, "c", "what it stated is not known")
		})
	}
}

// Tools that depend on tools are bounded by max_tool_runs, and by no depth.
func TestDependenciesHaveNoDepth(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", on("t.b")), named("t.b", "ACHIEVE(k.b)", on("t.c")), named("t.c", "ACHIEVE(k.c)"))
	trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x")}, Budgets: planning.Budgets{MaxDepth: 1}})
	require.NoError(t, err)
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, []string{"t.c", "t.b", "t.a"}, []string{trace.Obligations[0].Runs[0].Tool, trace.Obligations[0].Runs[1].Tool, trace.Obligations[0].Runs[2].Tool})
}

// What is missing comes before a budget that is used up.
func TestClarifyComesBeforeTruncated(t *testing.T) {
	trace, err := conductorOf(t, store.NewMemory()).Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "status.name")}, Budgets: planning.Budgets{MaxCost: 0.5}})
	require.NoError(t, err)
	require.Equal(t, planning.OutClarify, trace.Status)
}

func TestDependenciesRunOnlyWhereTheyHelp(t *testing.T) {
	needed := named("t.b", "ACHIEVE(k.b)")
	f := named("t.a", "REPORT(k.x)", withInput("n"), func(f *fake) { f.contract.DependsOn = []string{"t.b"} })
	b := conductorOf(t, store.NewMemory(), f, needed)
	require.Equal(t, planning.OutClarify, b.conduct(ob(planning.Report, "k.x")).Status)
	require.Zero(t, *needed.runs, "an input is missing")
	trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x", "n", 1)}, Budgets: planning.Budgets{MaxToolRuns: 1}})
	require.NoError(t, err)
	require.Equal(t, planning.OutTruncated, trace.Status)
	require.Equal(t, []int{1, 0}, []int{*needed.runs, *f.runs})
}

// The results of a run are bounded: its trace has them all.
func TestResultsAreBounded(t *testing.T) {
	large := named("t.a", "REPORT(k.x)", func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) {
			return map[string]any{"value": strings.Repeat("x", 1<<20)}, nil
		}
	})
	all := make([]planning.Obligation, 12)
	for i := range all {
		all[i] = ob(planning.Report, "k.x")
	}
	trace := conductorOf(t, store.NewMemory(), large).conduct(all...)
	require.Equal(t, planning.OutTruncated, trace.Status)
	require.Equal(t, 8, *large.runs)
	require.Len(t, trace.Answers, 7)
}
