package conductor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// on is a tool that depends on others.
func on(names ...string) func(*fake) {
	return func(f *fake) { f.contract.DependsOn = names }
}

// What a tool depends on is not run where the tool itself may not be.
//
// Verifies: ORC-278
func TestNothingIsRunForAToolThatMayNotRun(t *testing.T) {
	for name, c := range map[string]struct {
		tool      func(*fake)
		guardrail planning.Obligation
		outcome   planning.Outcome
	}{
		"its precondition does not hold": {func(f *fake) { f.contract.Preconditions = []string{"payload.kind == 'k.y'"} }, ob(planning.Avoid, "", "condition", "payload.kind == 'k.y'"), planning.OutFailed},
		"a guardrail does not hold":      {func(*fake) {}, ob(planning.Maintain, "", "condition", "payload.kind == 'k.y'"), planning.OutGuardrail},
	} {
		t.Run(name, func(t *testing.T) {
			first := named("t.first", "REPORT(k.first)")
			b := conductorOf(t, store.NewMemory(), first, named("t.a", "REPORT(k.x)", on("t.first"), c.tool))
			delete(c.guardrail.Payload, "kind")
			trace := b.conduct(c.guardrail, ob(planning.Report, "k.x"))
			require.Equal(t, c.outcome, trace.Obligations[1].Outcome)
			require.Zero(t, *first.runs)
		})
	}
	first := named("t.first", "REPORT(k.first)")
	trace := conductorOf(t, store.NewMemory(), first, named("t.a", "REPORT(k.x)", on("t.first"))).conduct(ob(planning.Report, "k.x"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, 1, *first.runs)
}

// A run whose result was refused is on record as refused, and not as one that succeeded.
func TestARefusedRunIsOnRecordAsRefused(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", func(f *fake) { f.contract.Postconditions = []string{"false"} }))
	trace := b.conduct(ob(planning.Report, "k.x"))
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		run, found, err := v.ToolRun(trace.ID, "o1/1")
		require.True(t, found)
		require.Equal(t, state.RunRefused, run.Status)
		event, _, eventErr := v.Event(trace.ID, "o1/1/refused")
		require.Equal(t, "tool.refused", event.Kind)
		require.NoError(t, eventErr)
		return err
	}))
	require.Equal(t, map[string]any{"kind": "failure", "about": "failure of REPORT(k.x)", "attempts": []any{
		map[string]any{"tool": "t.a", "run": "o1/1", "why": "the postcondition false does not hold: it is false"},
	}}, trace.Obligations[0].Emitted[0].Obligation.Payload)
}

// A JUSTIFY says of each candidate why it did not do, also of those that were not run.
func TestAJustificationHasThoseThatWerePassedOver(t *testing.T) {
	trace := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", outOfOrder("no luck")), named("t.b", "REPORT(k.x)", func(f *fake) { f.contract.Preconditions = []string{"false"} })).
		conduct(ob(planning.Report, "k.x"))
	require.Equal(t, []any{
		map[string]any{"tool": "t.a", "run": "o1/1", "why": "no luck"},
		map[string]any{"tool": "t.b", "why": "not run: the precondition false does not hold: it is false"},
	}, trace.Obligations[0].Emitted[0].Obligation.Payload["attempts"])
}

// A guardrail that the run itself has broken meanwhile does not undo what it did before it was cut off.
func TestAGuardrailOfARunThatWasCutOff(t *testing.T) {
	var b bench
	asked := named("t.a", "REPORT(k.x)")
	stops := func(ctx context.Context, _ []string, _ string) (string, error) {
		b.stop() // when all tools have run
		<-ctx.Done()
		return "", ctx.Err()
	}
	guardrail := planning.Obligation{Type: planning.Maintain, Payload: map[string]any{"condition": "size(ir) == 0"}}
	request := planning.Request{Obligations: []planning.Obligation{guardrail, ob(planning.Report, "k.x"), ob(planning.Achieve, "status.name", "value", "Jeff")}}
	s := store.NewMemory()
	b = conductorOf(t, s, asked)
	_, err := b.Ask(t.Context(), ada, Asked{Request: request, Rephrase: stops})
	require.Error(t, err)
	b = conductorOf(t, s, asked)
	left, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	trace, err := b.Resume(t.Context(), left[0])
	require.NoError(t, err)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[2].Why)
}
