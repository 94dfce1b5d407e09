package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func TestPlans(t *testing.T) {
	f := named("t.a", "REPORT(k.x)")
	b := conductorOf(t, store.NewMemory(), f, named("t.b", "REPORT(k.x)", func(f *fake) { f.contract.Preconditions = []string{"caller.role == 'pm'"} }))
	before := b.ledger.Head().Size
	plan, err := b.Plan(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x"), ob(planning.Report, "status.name"), ob(planning.Report, "query.astronauts")}})
	require.NoError(t, err)
	require.Equal(t, []Candidate{{Tool: "t.a", Taken: true, Reason: "it would run"}, {Tool: "t.b", Taken: false, Reason: "the precondition caller.role == 'pm' does not hold: it is false"}}, plan.Obligations[0].Candidates)
	require.Equal(t, []string{"name"}, plan.Obligations[1].Missing)
	require.Empty(t, plan.Obligations[2].Candidates)
	require.Zero(t, *f.runs)
	require.Equal(t, before, b.ledger.Head().Size, "nothing is recorded")
}

func needs(tools ...string) func(*fake) {
	return func(f *fake) { f.contract.DependsOn = tools }
}

func onlyFor(role string) func(*fake) {
	return func(f *fake) { f.contract.Preconditions = []string{"caller.role == '" + role + "'"} }
}

// What a plan says of each candidate is what a run does with it, as long as nothing fails.
//
// Verifies: ORC-280
func TestPlansSayWhatARunDoes(t *testing.T) {
	x, y := ob(planning.Report, "k.x"), ob(planning.Report, "k.y")
	for name, c := range map[string]struct {
		fakes   []fake
		all     []planning.Obligation
		budgets planning.Budgets
		want    []string // of the first candidate of each obligation, what is said; "" where there is none
		why     []string
	}{
		"a dependency lacks an input": {
			fakes: []fake{named("t.a", "REPORT(k.x)", needs("t.b")), named("t.b", "ACHIEVE(k.b)", withInput("n"))},
			all:   []planning.Obligation{x}, want: []string{"it depends on t.b: missing input: n"},
		},
		"a dependency may not run": {
			fakes: []fake{named("t.a", "REPORT(k.x)", needs("t.b")), named("t.b", "ACHIEVE(k.b)", onlyFor("pm"))},
			all:   []planning.Obligation{x}, want: []string{"it depends on t.b: the precondition caller.role == 'pm' does not hold: it is false"},
		},
		"a dependency that runs": {
			fakes: []fake{named("t.a", "REPORT(k.x)", needs("t.b")), named("t.b", "ACHIEVE(k.b)")},
			all:   []planning.Obligation{x}, want: []string{"it would run"},
		},
		"too deep": {
			fakes: []fake{named("t.a", "REPORT(k.x)")},
			all:   []planning.Obligation{plan(plan(x))}, budgets: planning.Budgets{MaxDepth: 1}, want: []string{""},
		},
		"just deep enough": {
			fakes: []fake{named("t.a", "REPORT(k.x)", needs("t.b")), named("t.b", "ACHIEVE(k.b)", needs("t.c")), named("t.c", "ACHIEVE(k.c)")},
			all:   []planning.Obligation{x}, budgets: planning.Budgets{MaxDepth: 1}, want: []string{"it would run"},
		},
		"one run for two": {
			fakes: []fake{named("t.a", "REPORT(k.x)"), named("t.b", "REPORT(k.y)")},
			all:   []planning.Obligation{x, y}, budgets: planning.Budgets{MaxToolRuns: 1}, want: []string{"it would run", "max_tool_runs is exhausted"},
		},
		"one run, and one before it": {
			fakes: []fake{named("t.a", "REPORT(k.x)", needs("t.b")), named("t.b", "ACHIEVE(k.b)")},
			all:   []planning.Obligation{x}, budgets: planning.Budgets{MaxToolRuns: 1}, want: []string{"max_tool_runs is exhausted"},
		},
		"two runs for two, with one to fall back on": {
			fakes: []fake{named("t.a", "REPORT(k.x)"), named("t.aa", "REPORT(k.x)"), named("t.b", "REPORT(k.y)")},
			all:   []planning.Obligation{x, y}, budgets: planning.Budgets{MaxToolRuns: 2}, want: []string{"it would run", "it would run"},
		},
		"the cost": {
			fakes: []fake{named("t.a", "REPORT(k.x)"), named("t.b", "REPORT(k.y)")},
			all:   []planning.Obligation{x, y}, budgets: planning.Budgets{MaxCost: 1.5}, want: []string{"it would run", "it costs 1, and 0.5 of max_cost is left"},
		},
		"a guardrail, and nothing to guard": {
			all: []planning.Obligation{x, ob(planning.Maintain, "g", "condition", "1 == 2")}, want: []string{"", ""},
			why: []string{"MAINTAIN 1 == 2: it does not hold", "MAINTAIN 1 == 2: it does not hold"},
		},
		"a guardrail": {
			fakes: []fake{named("t.a", "REPORT(k.x)")},
			all:   []planning.Obligation{ob(planning.Avoid, "g", "condition", "caller.role == 'coder'"), x}, want: []string{"", "AVOID caller.role == 'coder': it holds"},
			why: []string{"AVOID caller.role == 'coder': it holds", "AVOID caller.role == 'coder': it holds"},
		},
		"a guardrail that holds": {
			fakes: []fake{named("t.a", "REPORT(k.x)")},
			all:   []planning.Obligation{ob(planning.Maintain, "g", "condition", "caller.role == 'coder'"), x}, want: []string{"", "it would run"},
		},
		"a guardrail on inputs": {
			fakes: []fake{named("t.a", "REPORT(k.x)", withInput("n"))},
			all:   []planning.Obligation{ob(planning.Avoid, "g", "condition", "input.n == 1"), ob(planning.Report, "k.x", "n", 1), ob(planning.Report, "k.x", "n", 2)},
			want:  []string{"", "AVOID input.n == 1: it holds", "it would run"},
		},
		"nobody to ask": {all: []planning.Obligation{x, ob(planning.Verify, "answers")}, want: []string{"", ""}, why: []string{"no tool satisfies REPORT(k.x)", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			b := conductorOf(t, store.NewMemory(), c.fakes...)
			request := planning.Request{Obligations: c.all, Budgets: c.budgets}
			before := b.ledger.Head().Size
			plan, err := b.Plan(t.Context(), ada, request)
			require.NoError(t, err)
			for _, f := range c.fakes {
				require.Zero(t, *f.runs)
			}
			require.Equal(t, before, b.ledger.Head().Size)
			trace, err := b.Conduct(t.Context(), ada, request)
			require.NoError(t, err)
			for i, one := range plan.Obligations {
				said, ran := "", false
				if len(one.Candidates) > 0 {
					said, ran = one.Candidates[0].Reason, one.Candidates[0].Taken
				}
				require.Equal(t, c.want[i], said)
				if c.why != nil {
					require.Equal(t, c.why[i], one.Why)
				}
				if done := trace.Obligations[i]; ran || len(done.Candidates) > 0 {
					require.Equal(t, ran, done.Candidates[0].Taken, "a run does the same: %s", done.Why)
				}
			}
		})
	}
}
