package conductor

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/onrecord"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// A listed fact that is merely the word of a tool says so, and whatever is made of it is the word of that tool again.
//
// Verifies: ORC-241
func TestTheWordOfAToolIsNotLaunderedByAList(t *testing.T) {
	liar := named("shop.any", "REPORT(shop.any)", func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { return map[string]any{"value": "Atlantis"}, nil }
	})
	city := named("shop.city", "REPORT(shop.city)", func(f *fake) {
		f.contract.Verify, f.run = planning.CheckBlocking, liar.run
	})
	b := conductorOf(t, store.NewMemory(), liar, city)
	state := func(subject, predicate, object string) planning.Obligation {
		return ob(planning.Achieve, "ir.assert", "facts", []any{fact(subject, predicate, object)})
	}
	b.conduct(ob(planning.Report, "shop.any"), state("Lia", "city", "{{o1.value}}"))
	listed := ob(planning.Report, "query.facts", "subject", "Lia")
	trace := b.conduct(listed)
	require.Equal(t, "- Lia, city, Atlantis (of ada, by the word of shop.any alone, since 2026-01-02T03:04:05Z)",
		trace.Answers[0].Text)
	facts, _ := trace.Answers[0].Result["facts"].([]any)
	require.Equal(t, []any{"shop.any"}, facts[0].(map[string]any)["source"].(map[string]any)["words"])

	people := ob(planning.Report, "query.people", "filters", map[string]any{"city": "Atlantis"})
	where := ob(planning.Report, "shop.city", "person", "Lia")
	name := ob(planning.Report, "status.name")
	for _, act := range []planning.Obligation{
		state("Lia", "city", "{{heard.facts.0.object}}"), state("Mia", "city", "{{heard.facts.0.object}}"),
		ob(planning.Achieve, "status.name", "value", from("heard.facts.0.object")),
		ob(planning.Achieve, "plan", "steps", []any{map[string]any{"type": "ACHIEVE", "payload": map[string]any{
			"kind": "ir.assert", "facts": []any{fact("Nia", "city", "{{heard.facts.0.object}}")}}}}),
	} {
		first := listed
		first.Name = "heard"
		require.Equal(t, planning.OutResolved, b.conduct(first, act).Obligations[0].Outcome)
		for _, ask := range []planning.Obligation{people, where} {
			of := b.conduct(ask).Obligations[0]
			require.False(t, of.Verified.Verified, "%+v", of)
		}
	}
	of := b.conduct(name).Obligations[0]
	require.Contains(t, of.Verified.Why, "by the word of shop.any alone")

	b.conduct(state("Lia", "city", "Atlantis"))
	trace = b.conduct(listed)
	require.Equal(t, "- Lia, city, Atlantis (of ada, since 2026-01-02T03:04:05Z)", trace.Answers[0].Text,
		"it is stated now")
	require.True(t, b.conduct(where).Obligations[0].Verified.Verified)
}

// Why a run came to what it came to names what its tools said, which remains their word.
//
// Verifies: ORC-241
func TestTheWordOfAToolIsNotLaunderedByTheRecord(t *testing.T) {
	liar := named("shop.city", "REPORT(shop.city)", func(f *fake) {
		f.contract.Verify = planning.CheckBlocking
		f.run = func(tools.In) (map[string]any, error) { return map[string]any{"value": "Atlantis"}, nil }
	})
	b := conductorOf(t, store.NewMemory(), liar)
	registry, err := contract.Load(t.TempDir(),
		slices.Concat(builtin.FactContracts(), onrecord.Contracts(), []planning.Contract{liar.contract}))
	require.NoError(t, err)
	b.Conductor = New(b.ledger, Options{Tools: registry, Box: []tools.Tool{liar.tool()}, Root: t.TempDir(),
		Clock: b.Clock, Deterministic: true})
	b.evaluators = evaluating.New(registry, tools.Box(), b.stateTools) // the liar is not of the box
	earlier := b.conduct(ob(planning.Report, "shop.city", "person", "Lia"))
	b.conduct(planning.Obligation{Type: planning.Justify, Payload: map[string]any{"about": earlier.ID}},
		ob(planning.Achieve, "ir.assert", "facts", []any{fact("Lia", "why", "{{o1.reasons.1}}")}))
	trace := b.conduct(ob(planning.Report, "query.facts", "subject", "Lia"))
	require.Contains(t, trace.Answers[0].Text, "by the word of shop.city alone")
}
