package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

func stating(scope string, facts ...any) planning.Obligation {
	return ob(planning.Achieve, "ir.assert", "facts", facts, "scope", scope)
}

// foundBy returns whom somebody finds by a filter.
func (b bench) foundBy(who, predicate string, object any) any {
	b.t.Helper()
	trace := b.saying(who, ob(planning.Report, "query.people", "filters", map[string]any{predicate: object}))
	require.Equal(b.t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	return trace.Answers[0].Result["values"]
}

// holds reports whether a condition over ir holds for somebody.
func (b bench) holds(who, condition string) bool {
	return b.saying(who, ob(planning.Maintain, "g", "condition", condition)).Status == planning.OutResolved
}

// What is a caller's own is seen by nobody else: not in answers, conditions, inputs or sources.
//
// Verifies: ORC-268
func TestWhoSeesAFact(t *testing.T) {
	where := "Oslo"
	b := conductorOf(t, store.NewMemory(), cities(planning.CheckBlocking, &where))
	b.saying("ada", stating("own", fact("Bob", "city", "Oslo")), ob(planning.Achieve, "ir.assert", "facts", []any{fact("Carol", "city", "Oslo"), fact("user", "city", "Bonn")}))
	require.Equal(t, []any{"Bob", "Carol"}, b.foundBy("ada", "city", "Oslo"))
	require.Equal(t, []any{"Carol"}, b.foundBy("eve", "city", "Oslo"), "what has no scope is the project's")
	require.Equal(t, []any{"user:ada"}, b.foundBy("ada", "city", "Bonn"))
	require.Equal(t, []any{}, b.foundBy("eve", "city", "Bonn"), "what is about a caller is the caller's")
	require.True(t, b.holds("ada", `ir["Bob"].city == "Oslo" && "user:ada" in ir`))
	require.True(t, b.holds("eve", `!("Bob" in ir) && !("user:ada" in ir) && ir["Carol"].city == "Oslo"`))

	ask := ob(planning.Report, "k.city", "who", "Bob")
	require.Equal(t, planning.OutResolved, b.saying("ada", ask).Status)
	require.Contains(t, b.saying("eve", ask).Obligations[0].Why, "no source states value", "another's own fact confirms nothing")
	b.saying("eve", stating("own", fact("Bob", "city", "Lima")))
	require.Equal(t, planning.OutResolved, b.saying("ada", ask).Status, "nor does it contradict")
	require.Equal(t, []any{"Bob"}, b.foundBy("eve", "city", "Lima"))

	b = conductorOf(t, store.NewMemory())
	b.saying("ada", stating("own", fact("Bob", "city", "Oslo")))
	b.saying("eve", stating("own", fact("Bob", "city", "Lima")), livesIn("Rome"))
	require.Equal(t, []any{"Bob"}, b.foundBy("pat", "city", "Rome"))
	require.Equal(t, []any{"Bob"}, b.foundBy("eve", "city", "Lima"), "a fact of the project does not take the place of one's own")
	b.saying("ada", stating("project", fact("Bob", "city", "Oslo")))
	require.Equal(t, []any{"Bob"}, b.foundBy("pat", "city", "Oslo"), "and what is held as one's own may be stated for all")

	b.saying("ada", stating("project", fact("user", "team", "core")), ob(planning.Achieve, "status.name", "value", "Ada", "scope", "project"))
	require.Equal(t, []any{"user:ada"}, b.foundBy("eve", "team", "core"))
	require.Equal(t, []any{"user:ada"}, b.foundBy("eve", "name", "Ada"))
	b.saying("ada", ob(planning.Achieve, "status.name", "value", "Ada L"))
	require.Equal(t, []any{}, b.foundBy("eve", "name", "Ada"))
	require.Equal(t, []any{}, b.foundBy("eve", "name", "Ada L"), "the newest word has the scope")
}

// Verifies: ORC-269
func TestWhoEndsAFact(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	end := func(who, role string, more ...any) ObligationTrace {
		trace, err := b.Conduct(t.Context(), Caller{Name: who, Role: role}, planning.Request{Obligations: []planning.Obligation{
			ob(planning.Achieve, "ir.retract", append([]any{"subject", "Bob", "predicate", "city", "object", "Oslo"}, more...)...)}})
		require.NoError(t, err)
		return trace.Obligations[0]
	}
	failed := func(of ObligationTrace) string {
		require.Equal(t, planning.Escalated, of.Status)
		return string(of.Runs[0].Error.Code)
	}
	require.Equal(t, "not_held", failed(end("ada", "coder")))
	b.saying("ada", livesIn("Oslo"), stating("own", fact("Bob", "phone", "123")))
	b.saying("eve", stating("own", fact("Bob", "city", "Oslo")))
	require.Equal(t, planning.Resolved, end("eve", "coder").Status, "their own")
	require.Equal(t, []any{"Bob"}, b.foundBy("ada", "city", "Oslo"))
	require.Equal(t, "fact_forbidden", failed(end("eve", "coder")))
	require.Contains(t, end("eve", "coder").Runs[0].Error.Detail, "the fact is ada's")
	require.Equal(t, "fact_forbidden", failed(end("eve", "architect", "owner", "ada")), "only a pm may name another")
	require.Empty(t, end("vera", "viewer").Runs)
	require.Equal(t, planning.Resolved, end("ada", "coder").Status)
	require.Equal(t, []any{}, b.foundBy("ada", "city", "Oslo"))
	require.False(t, b.holds("ada", `has(ir["Bob"].city)`))
	require.Equal(t, "not_held", failed(end("ada", "coder")), "it is ended once")

	b.saying("ada", livesIn("Oslo"))
	require.Equal(t, planning.Resolved, end("pat", "pm").Status, "a pm ends what others stated")
	require.Equal(t, "not_held", failed(end("pat", "pm", "object", "123", "predicate", "phone")), "and does not see what is their own")
	require.Equal(t, planning.Resolved, end("pat", "pm", "object", "123", "predicate", "phone", "owner", "ada").Status, "unless the owner is named")
	require.Equal(t, planning.Resolved, end("pat", "pm", "object", "friend", "predicate", "relation", "owner", "ada").Status)
	require.Equal(t, []any{}, b.foundBy("ada", "relation", "friend"))
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		held, err := v.Held("Bob", "city")
		require.Empty(t, held)
		return err
	}))
}

// Verifies: ORC-269
func TestWhatIsListedOfFacts(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	list := func(who, role string, more ...any) (ObligationTrace, map[string]any) {
		trace, err := b.Conduct(t.Context(), Caller{Name: who, Role: role}, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "query.facts", more...)}})
		require.NoError(t, err)
		return trace.Obligations[0], trace.Obligations[0].Result()
	}
	first := b.saying("ada", livesIn("Oslo"), stating("own", fact("Bob", "age", "42")), ob(planning.Report, "query.facts", "subject", "Bob"))
	require.Equal(t, planning.OutResolved, first.Status, first.Obligations[2].Why)
	listed := first.Answers[len(first.Answers)-1].Result["facts"].([]any)
	require.Equal(t, map[string]any{"subject": "Bob", "predicate": "city", "object": "Oslo", "owner": "ada", "scope": "project",
		"source": map[string]any{"kind": "caller", "by": "ada"}}, listed[1], "what the run itself stated has no moment")
	require.Contains(t, first.Answers[len(first.Answers)-1].Text, "- Bob, age, 42 (of ada, who alone sees it)\n- Bob, city, Oslo (of ada)")

	_, result := list("ada", "coder")
	require.EqualValues(t, 3, result["total"])
	require.Equal(t, map[string]any{"subject": "user:ada", "predicate": "friend", "object": "Bob", "owner": "ada", "scope": "own",
		"source": map[string]any{"kind": "caller", "by": "ada"}, "since": "2026-01-02T03:04:05Z"}, result["facts"].([]any)[2])
	_, result = list("ada", "coder", "limit", 1)
	require.EqualValues(t, 3, result["total"])
	require.Len(t, result["facts"], 1)
	_, result = list("ada", "coder", "subject", "user")
	require.EqualValues(t, 1, result["total"])
	_, result = list("eve", "viewer", "predicate", "city")
	require.EqualValues(t, 1, result["total"])
	_, result = list("pat", "pm")
	require.EqualValues(t, 1, result["total"], "a pm sees what is everybody's")
	_, result = list("pat", "pm", "owner", "ada")
	require.EqualValues(t, 3, result["total"], "and of somebody who is named, all")
	of, _ := list("eve", "coder", "owner", "ada")
	require.Equal(t, "fact_forbidden", string(of.Runs[0].Error.Code))
}
