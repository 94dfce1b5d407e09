package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-278
func TestGuardrails(t *testing.T) {
	for name, c := range map[string]struct {
		typ       planning.Type
		condition string
		runs      int
		outcome   planning.Outcome
	}{
		"a MAINTAIN that does not hold": {planning.Maintain, "caller.role == 'pm'", 0, planning.OutGuardrail},
		"a MAINTAIN that holds":         {planning.Maintain, "caller.role == 'coder'", 1, planning.OutResolved},
		"an AVOID that holds":           {planning.Avoid, "caller.role == 'coder'", 0, planning.OutGuardrail},
		"an AVOID that does not hold":   {planning.Avoid, "caller.role == 'pm'", 1, planning.OutResolved},
		"one about the inputs":          {planning.Avoid, "payload.kind == 'k.x'", 0, planning.OutGuardrail},
	} {
		t.Run(name, func(t *testing.T) {
			f := named("t.a", "REPORT(k.x)")
			trace := conductorOf(t, store.NewMemory(), f).conduct(ob(planning.Report, "k.x"), ob(c.typ, "guard", "condition", c.condition))
			require.Equal(t, c.runs, *f.runs)
			require.Equal(t, c.outcome, trace.Status)
			require.Len(t, trace.Answers, c.runs)
		})
	}
	_, err := conductorOf(t, store.NewMemory()).Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Avoid, "g", "condition", "nobody(")}})
	require.ErrorIs(t, err, fault.Invalid)
}

// A guardrail that cannot be told does not hold, whichever way it is meant.
func TestAGuardrailThatCannotBeTold(t *testing.T) {
	for _, typ := range []planning.Type{planning.Maintain, planning.Avoid} {
		f := named("t.a", "REPORT(k.x)")
		trace := conductorOf(t, store.NewMemory(), f).conduct(ob(typ, "g", "condition", `ir["nobody"].nothing == 1`), ob(planning.Report, "k.x"))
		require.Equal(t, planning.OutGuardrail, trace.Status)
		require.Contains(t, trace.Obligations[0].Why, "cannot be evaluated")
		require.Zero(t, *f.runs)
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
