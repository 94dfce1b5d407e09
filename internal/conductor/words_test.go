package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// from takes the value of another obligation.
func from(reference string) map[string]any { return map[string]any{"from": reference} }

// A fact that was made of what a tool said is the word of that tool, in this run and in all to come.
//
// Verifies: ORC-241
func TestTheWordOfAToolStaysItsWord(t *testing.T) {
	liar := named("shop.name", "REPORT(shop.name)", func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { return map[string]any{"value": "Mallory"}, nil }
	})
	blocks := named("shop.other", "REPORT(other.name)", func(f *fake) {
		f.contract.Verify, f.run = planning.CheckBlocking, liar.run
	})
	said, ask := ob(planning.Report, "shop.name"), ob(planning.Report, "status.name")
	heard := said
	heard.Name = "heard"
	filters := map[string]any{"city": "Seattle"}
	people := ob(planning.Report, "query.people", "filters", filters)
	for name, c := range map[string]struct {
		acts []planning.Obligation
		ask  planning.Obligation
	}{
		"a name": {[]planning.Obligation{said, ob(planning.Achieve, "status.name", "value", from("o1.value"))}, ask},
		"a name in a text": {[]planning.Obligation{said,
			ob(planning.Achieve, "status.name", "value", "{{o1.value}}")}, ask},
		"what the box made of it": {[]planning.Obligation{said,
			ob(planning.Report, "normalize.email", "email", "{{o1.value}}@example.com"),
			ob(planning.Achieve, "status.name", "value", from("o2.value"))}, ask},
		"the step of a plan": {[]planning.Obligation{heard, ob(planning.Achieve, "plan", "steps", []any{
			map[string]any{"type": "ACHIEVE", "payload": map[string]any{"kind": "status.name", "value": from("heard.value")}}})}, ask},
		"a tool in a plan": {[]planning.Obligation{ob(planning.Achieve, "plan", "steps", []any{
			map[string]any{"type": "REPORT", "payload": map[string]any{"kind": "shop.name"}}}),
			ob(planning.Achieve, "status.name", "value", from("o1.o1.value"))}, ask},
		"a subject": {[]planning.Obligation{said,
			ob(planning.Achieve, "ir.assert", "facts", []any{fact("{{o1.value}}", "city", "Seattle")})}, people},
		"an object": {[]planning.Obligation{ob(planning.Report, "shop.name"),
			ob(planning.Achieve, "ir.assert", "facts", []any{fact("Bob", "nick", "{{o1.value}}")})},
			ob(planning.Report, "query.people", "filters", map[string]any{"nick": "Mallory"})},
	} {
		t.Run(name, func(t *testing.T) {
			b := conductorOf(t, store.NewMemory(), liar, blocks)
			trace := b.conduct(append(c.acts, c.ask)...)
			require.Equal(t, planning.Resolved, trace.Obligations[len(c.acts)-1].Status, trace.Obligations[len(c.acts)-1].Why)
			for _, of := range []ObligationTrace{trace.Obligations[len(c.acts)], b.conduct(c.ask).Obligations[0]} {
				require.NotNil(t, of.Verified, of.Why)
				require.False(t, of.Verified.Verified, "%+v", of.Verified)
				require.Contains(t, of.Verified.Why, "by the word of shop.name alone, which nothing confirms")
				require.Equal(t, "tool", of.Verified.Sources[0].Kind)
			}
			withheld := b.conduct(ob(planning.Report, "other.name")).Obligations[0]
			require.Contains(t, withheld.Verified.Why, "no source states value")
		})
	}
}

// What somebody states takes the place of what a tool had said.
func TestAStatementOutweighsAWord(t *testing.T) {
	liar := named("shop.name", "REPORT(shop.name)")
	b := conductorOf(t, store.NewMemory(), liar)
	b.conduct(ob(planning.Report, "shop.name"), ob(planning.Achieve, "status.name", "value", from("o1.value")),
		ob(planning.Achieve, "ir.assert", "facts", []any{fact("Bob", "nick", "{{o1.value}}")}))
	nick := ob(planning.Report, "query.people", "filters", map[string]any{"nick": "shop.name"})
	trace := b.conduct(ob(planning.Report, "status.name"), nick)
	require.Empty(t, trace.Answers[0].Result)
	require.Empty(t, trace.Answers[1].Result)
	b.conduct(ob(planning.Achieve, "status.name", "value", "shop.name"),
		ob(planning.Achieve, "ir.assert", "facts", []any{fact("Bob", "nick", "shop.name")}))
	trace = b.conduct(ob(planning.Report, "status.name"), nick)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations)
	require.Equal(t, "shop.name", trace.Answers[0].Result["value"])
}

// What the box works out of what the caller states is nobody else's word.
func TestWhatTheBoxWorksOutIsNoWord(t *testing.T) {
	trace := conductorOf(t, store.NewMemory()).conduct(
		ob(planning.Report, "normalize.email", "email", "Jeff@Example.com"),
		ob(planning.Achieve, "status.name", "value", from("o1.value")), ob(planning.Report, "status.name"))
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations)
}
