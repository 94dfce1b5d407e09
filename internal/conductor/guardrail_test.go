package conductor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ir"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/store"
	"orchestrator/internal/tools"
)

// A guardrail that cannot be told does not hold, whichever way it is meant.
func TestAGuardrailThatCannotBeTold(t *testing.T) {
	for _, typ := range []planning.Type{planning.Maintain, planning.Avoid} {
		f := named("t.a", "REPORT(k.x)")
		trace := conductorOf(t, store.NewMemory(), f).conduct(ob(typ, "g", "condition", `ir["nobody"].nothing == 1`), ob(planning.Report, "k.x"))
		require.Equal(t, planning.OutGuardrail, trace.Status)
		require.Contains(t, trace.Obligations[0].Why, "cannot be told")
		require.Zero(t, *f.runs)
	}
}

func withInput(name string) func(*fake) {
	return func(f *fake) {
		f.contract.Consumes = []planning.Input{{Name: name, Schema: map[string]any{}, Required: true}}
	}
}

// One about the inputs is looked at when a tool has its inputs, and not before.
func TestAGuardrailOnInputs(t *testing.T) {
	for condition, runs := range map[string]int{"input.n < 10": 1, "input.n < 5": 0, "payload.n == 5": 1} {
		f := named("t.a", "REPORT(k.x)", withInput("n"))
		trace := conductorOf(t, store.NewMemory(), f).conduct(ob(planning.Maintain, "g", "condition", condition), ob(planning.Report, "k.x", "n", 5))
		require.Equal(t, runs, *f.runs, condition)
		require.Equal(t, map[int]planning.Outcome{0: planning.OutGuardrail, 1: planning.OutResolved}[runs], trace.Status, condition)
		require.NotEqual(t, planning.Active, trace.Obligations[0].Status)
	}
}

func TestTwoGuardrails(t *testing.T) {
	trace := conductorOf(t, store.NewMemory()).conduct(ob(planning.Maintain, "g", "condition", "1 == 2"), ob(planning.Maintain, "g", "condition", "1 == 1"), ob(planning.Report, "status.name"))
	require.Equal(t, []planning.Status{planning.Failed, planning.Resolved, planning.Failed}, []planning.Status{trace.Obligations[0].Status, trace.Obligations[1].Status, trace.Obligations[2].Status})
	require.Equal(t, planning.OutGuardrail, trace.Status, "which comes before what is missing")
}

// What is missing comes before a budget that is used up.
func TestClarifyComesBeforeTruncated(t *testing.T) {
	trace, err := conductorOf(t, store.NewMemory()).Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "status.name")}, Budgets: planning.Budgets{MaxCost: 0.5}})
	require.NoError(t, err)
	require.Equal(t, planning.OutClarify, trace.Status)
}

// A VERIFY is resolved by what was verified, and by nothing else.
func TestVerifyingNothing(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	require.Equal(t, []string{"VERIFY(audit)"}, b.conduct(ob(planning.Verify, "audit")).Missing)
	require.Equal(t, planning.OutFailed, b.conduct(ob(planning.Verify, "answers")).Status, "there is no answer")
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
}

// What is recorded of a run counts for the very tool and inputs that it was recorded of.
func TestToolsThatChangedWhileARunWasCutOff(t *testing.T) {
	s := store.NewMemory()
	var b bench
	old := named("t.a", "ACHIEVE(k.x)")
	cut := named("t.c", "ACHIEVE(k.y)")
	cut.run = func(tools.In) (map[string]any, error) { b.end(); return nil, b.ending.Err() }
	b = conductorOf(t, s, old, cut)
	_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y")}})
	require.Error(t, err)

	other := named("t.b", "ACHIEVE(k.x)")
	b = conductorOf(t, s, other, named("t.c", "ACHIEVE(k.y)"))
	left, err := b.CutOff(t.Context())
	require.NoError(t, err)
	trace, err := b.Resume(t.Context(), left[0])
	require.NoError(t, err)
	require.Equal(t, "tools_changed", trace.Obligations[0].Runs[0].Error.Code)
	require.Zero(t, *other.runs, "one tool's result is not another's")
}

func TestAnswersAreWhatIsKnown(t *testing.T) {
	trace := conductorOf(t, store.NewMemory()).conduct(ob(planning.Report, "status.name", "name", "Zed"))
	require.Empty(t, trace.Answers, "the payload may say what it likes")
}

func TestMuchOnOneSubject(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	facts := func(n int, subject string) []any {
		var all []any
		for i := range n {
			all = append(all, map[string]any{"subject": subject, "predicate": "p", "object": i})
		}
		return all
	}
	require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Achieve, "ir.assert", "facts", facts(100, "s"))).Status)
	require.Equal(t, "too_much_held", b.conduct(ob(planning.Achieve, "ir.assert", "facts", facts(101, "other"))).Obligations[0].Runs[0].Error.Code)
	long := strings.Repeat("😀", 999)
	require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Achieve, "ir.assert", "facts", []any{map[string]any{"subject": long, "predicate": long, "object": long}})).Status)
	require.NoError(t, b.ir.View(t.Context(), func(v ir.View) error {
		held, err := v.Held(long, long)
		require.Len(t, held, 1)
		return err
	}))
}
