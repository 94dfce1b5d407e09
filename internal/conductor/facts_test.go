package conductor

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/language"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func TestWhatIsKnown(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(ob(planning.Report, "status.name"))
	require.Equal(t, planning.OutClarify, trace.Status)
	require.Empty(t, trace.Answers)
	require.Equal(t, planning.Active, trace.Obligations[0].Status)
	require.Equal(t, planning.Clarify, trace.Obligations[0].Emitted[0].Obligation.Type)
	require.Equal(t, "name", trace.Obligations[0].Emitted[0].Obligation.Payload["slot"])

	trace = b.conduct(ob(planning.Achieve, "status.name", "value", "Jeff"), ob(planning.Report, "status.name"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, "Jeff", trace.Answers[0].Result["value"])
	trace = b.conduct(ob(planning.Achieve, "status.name", "value", "Geoffrey"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, "Geoffrey", b.conduct(ob(planning.Report, "status.name")).Answers[0].Result["value"], "what is said last is held")

	b.conduct(ob(planning.Achieve, "ir.assert", "facts", []any{
		fact("Bob Johnson", "relation", "friend"), fact("Bob Johnson", "city", "Seattle"), fact("Alice Smith", "city", "Seattle"),
		fact("Alice Smith", "relation", "friend"), fact("Carol", "relation", "friend"), fact("Carol", "city", "Oslo"), fact("Dan", "city", "Seattle"),
	}))
	trace = b.conduct(ob(planning.Report, "query.people", "filters", map[string]any{"relation": "friend", "city": "Seattle"}))
	require.Equal(t, []any{"Alice Smith", "Bob Johnson"}, trace.Answers[0].Result["values"])
}

// A run that only reads is one record, whatever it reads.
func TestARunThatOnlyReadsIsOneStep(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	b.conduct(ob(planning.Achieve, "status.name", "value", "Jeff"))
	before := b.ledger.Head().Size
	b.conduct(ob(planning.Report, "status.name"), ob(planning.Report, "query.people", "filters", map[string]any{"name": "Jeff"}), ob(planning.Maintain, "g", "condition", `size(ir) == 1`))
	require.Equal(t, before+1, b.ledger.Head().Size)
}

func TestFactsOnOthers(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	say := func(caller Caller, subject string) Trace {
		trace, err := b.Conduct(t.Context(), caller, planning.Request{Obligations: []planning.Obligation{
			ob(planning.Achieve, "ir.assert", "facts", []any{map[string]any{"subject": subject, "predicate": "name", "object": "Mallory"}}),
		}})
		require.NoError(t, err)
		return trace
	}
	for subject, want := range map[string]planning.Outcome{
		"user": planning.OutResolved, "user:ada": planning.OutResolved, "user:bob": planning.OutFailed, "run:0000000000000000": planning.OutFailed, "Carol": planning.OutResolved,
	} {
		require.Equal(t, want, say(ada, subject).Status, subject)
	}
	require.Equal(t, planning.OutFailed, say(Caller{Name: "vera", Role: "viewer"}, "Carol").Status, "a viewer changes nothing that others see")
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
	require.Equal(t, "too_much_held", string(b.conduct(ob(planning.Achieve, "ir.assert", "facts", facts(101, "other"))).Obligations[0].Runs[0].Error.Code))
	long := strings.Repeat("😀", 999)
	require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Achieve, "ir.assert", "facts", []any{map[string]any{"subject": long, "predicate": long, "object": long}})).Status)
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		held, err := v.Held(long, long)
		require.Len(t, held, 1)
		return err
	}))
}

// Whose friend somebody is, is between the two; where somebody lives is known of that person by everybody.
//
// Verifies: ORC-283
func TestRelationsAreTheCallersOwn(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	ask := func(caller string, all ...planning.Obligation) Trace {
		trace, err := b.Conduct(t.Context(), Caller{Name: caller, Role: "coder"}, planning.Request{Obligations: all})
		require.NoError(t, err)
		require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
		return trace
	}
	say := func(caller string, facts ...any) { ask(caller, ob(planning.Achieve, "ir.assert", "facts", facts)) }
	people := func(caller string, filters map[string]any) any {
		trace := ask(caller, ob(planning.Report, "query.people", "filters", filters))
		require.Equal(t, &Verification{By: "again", With: []string{"ir.query"}, Verified: true}, trace.Obligations[0].Verified)
		return trace.Answers[0].Result["values"]
	}
	friends, inSeattle := map[string]any{"relation": "friend"}, map[string]any{"city": "Seattle"}
	both := map[string]any{"relation": "friend", "city": "Seattle"}
	said, err := language.In("remember that Bob is my friend and lives in Seattle", time.Unix(0, 0))
	require.NoError(t, err)
	ask("ada", said.Obligations...)
	say("ada", fact("Alice", "relation", "friend"), fact("Alice", "city", "Oslo"))
	require.Equal(t, []any{"Alice", "Bob"}, people("ada", friends))
	require.Equal(t, []any{"Bob"}, people("ada", both))
	require.Equal(t, []any{}, people("eve", friends), "nobody has said who eve's friends are")
	asked, err := language.In("list my friends in Seattle", time.Unix(0, 0))
	require.NoError(t, err)
	require.Equal(t, []any{"Bob"}, ask("ada", asked.Obligations...).Answers[0].Result["values"])
	require.Equal(t, []any{}, ask("eve", asked.Obligations...).Answers[0].Result["values"])
	require.Equal(t, []any{"Bob"}, people("eve", inSeattle), "where Bob lives is everybody's to ask")

	say("eve", fact("Bob", "relation", "colleague"), fact("Carol", "relation", "friend"), fact("Carol", "city", "Seattle"), fact("user", "friend", "Dan"))
	require.Equal(t, []any{"Carol", "Dan"}, people("eve", friends))
	require.Equal(t, []any{"Carol"}, people("eve", both))
	require.Equal(t, []any{"Alice", "Bob"}, people("ada", friends))
	require.Equal(t, []any{}, people("ada", map[string]any{"relation": "colleague"}))
	require.Equal(t, []any{}, people("ada", map[string]any{"relation": 7}), "which is none")

	require.Equal(t, planning.OutFailed, b.conduct(ob(planning.Achieve, "ir.assert", "facts", []any{fact("user:eve", "friend", "Mallory")})).Status, "nobody else says who eve's friends are")
	require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Maintain, "g", "condition", `"Bob" in ir["user:ada"].friend`)).Status, "conditions see it on the caller")
}
