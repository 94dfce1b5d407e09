package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/provenance"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// cities is a tool that says where somebody lives, and whose contract says that it is in one place.
func cities(check planning.Checking, where *string) fake {
	return named("t.city", "REPORT(k.city)", withInput("who"), func(f *fake) {
		f.contract.Verify, f.contract.Relations = check, map[string]planning.Relation{"city": planning.Functional,
			"Home Town": planning.Functional, "Home": planning.Functional, "HOME": planning.ManyPerSubject}
		f.contract.Produces = map[string]any{"type": "object", "required": []any{"value"}}
		f.run = func(tools.In) (map[string]any, error) { return map[string]any{"value": *where}, nil }
	})
}

// saying has somebody conduct obligations.
func (b bench) saying(who string, all ...planning.Obligation) Trace {
	b.t.Helper()
	trace, err := b.Conduct(b.t.Context(), Caller{Name: who, Role: "coder"}, planning.Request{Obligations: all})
	require.NoError(b.t, err)
	return trace
}

func livesIn(city string) planning.Obligation {
	return ob(planning.Achieve, "ir.assert", "facts", []any{fact("Bob", "city", city), fact("Bob", "relation", "friend")})
}

// Verifies: ORC-241
func TestAnswersThatNeedASource(t *testing.T) {
	where := "Oslo"
	where1 := ob(planning.Report, "k.city", "who", "Bob")
	b := conductorOf(t, store.NewMemory(), cities(planning.CheckBlocking, &where))
	trace := b.conduct(where1)
	require.Equal(t, planning.Failed, trace.Obligations[0].Status)
	require.Contains(t, trace.Obligations[0].Verified.Why, "no source states value")
	withheld(t, trace.Obligations[0], trace.Answers[0])

	trace = b.conduct(livesIn("Oslo"), where1)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[1].Why)
	id := trace.ID + "/o1/1/caller"
	require.Equal(t, &Verification{By: byFacts, With: []string{id}, Verified: true, Sources: []provenance.Source{{ID: id, Kind: "caller", By: "ada"}}},
		trace.Obligations[1].Verified, "the caller states it in the same request")
	trace = b.saying("eve", where1)
	require.Equal(t, []provenance.Source{{ID: id, Kind: "caller", By: "ada", Run: id[:16], At: b.Clock()}}, trace.Obligations[0].Verified.Sources, "another one stated it before")
	where = "Lima"
	trace = b.conduct(where1)
	require.Contains(t, trace.Obligations[0].Verified.Why, `value is "Lima", but stated is "Oslo" (ada, on `)
	require.Equal(t, []any{map[string]any{"id": id, "kind": "caller", "by": "ada", "run": id[:16], "at": "2026-01-02T03:04:05Z"}},
		trace.Obligations[0].Emitted[0].Obligation.Payload["evidence"].(map[string]any)["sources"])

	doubtful := conductorOf(t, store.NewMemory(), cities(planning.CheckNonBlocking, &where))
	trace = doubtful.conduct(where1)
	require.Equal(t, planning.OutResolved, trace.Status)
	require.True(t, trace.Answers[0].Uncertain)
	require.Equal(t, "Lima", trace.Answers[0].Result["value"])
	trace = doubtful.conduct(where1, ob(planning.Verify, "answers"))
	require.Nil(t, trace.Answers[0].Result, "a VERIFY of the answers blocks it")
}

// What was answered to a question is a source, and is named with who answered.
func TestAnswersToQuestionsAreSources(t *testing.T) {
	echo := named("t.color", "REPORT(k.color)", withInput("color"), func(f *fake) {
		f.contract.Verify = planning.CheckBlocking
		f.run = func(in tools.In) (map[string]any, error) { return map[string]any{"color": in.Input["color"]}, nil }
	})
	b := conductorOf(t, store.NewMemory(), echo)
	asked := b.conduct(ob(planning.Report, "k.color"))
	require.Equal(t, planning.OutClarify, asked.Status)
	trace := b.reply(asked.ID, Reply{Obligation: "o1", Value: 7})
	id := trace.ID + "/o1.1"
	require.Equal(t, &Verification{By: byFacts, With: []string{id}, Verified: true, Sources: []provenance.Source{{ID: id, Kind: "answer", By: "ada"}}},
		trace.Obligations[0].Verified)

	asked = b.conduct(ob(planning.Achieve, "ir.assert"))
	trace = b.reply(asked.ID, Reply{Obligation: "o1", Value: []any{fact("Dan", "city", "Lima")}})
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		held, err := provenance.Held(v, trace.ID, "Dan", "city")
		require.NoError(t, err)
		require.Equal(t, []provenance.Said{{Value: "Lima", Source: provenance.Source{ID: trace.ID + "/o1.1", Kind: "answer", By: "ada"}}}, held)
		return nil
	}))
}

// Verifies: ORC-242
func TestContradictedRelations(t *testing.T) {
	where := "Oslo"
	b := conductorOf(t, store.NewMemory(), cities(planning.CheckBlocking, &where))
	people := func(predicate, object string) planning.Obligation {
		return ob(planning.Report, "query.people", "filters", map[string]any{predicate: object})
	}
	b.saying("ada", livesIn("Rome"))
	b.saying("ada", livesIn("Oslo"))
	require.Equal(t, []any{"Bob"}, b.conduct(people("city", "Oslo")).Answers[0].Result["values"], "the newer word of ada")
	require.Equal(t, []any{}, b.conduct(people("city", "Rome")).Answers[0].Result["values"])

	b.saying("eve", livesIn("Lima"))
	for _, question := range []planning.Obligation{people("city", "Oslo"), people("city", "Lima"), ob(planning.Report, "k.city", "who", "Bob")} {
		trace := b.conduct(question)
		of := trace.Obligations[0]
		withheld(t, of, trace.Answers[0])
		require.Contains(t, of.Verified.Why, `city of Bob is functional, and contradicted: "Oslo" (ada, on 2026-01-02T03:04:05Z in the run `)
		require.Contains(t, of.Verified.Why, `and "Lima" (eve, on `)
		require.Len(t, of.Verified.Sources, 2)
	}
	require.Equal(t, []any{"Bob"}, b.conduct(people("relation", "friend")).Answers[0].Result["values"], "which rests on no city")
	require.Equal(t, []any{}, b.conduct(people("city", "Rome")).Answers[0].Result["values"], "and so does this")

	b.saying("eve", livesIn("Oslo"))
	trace := b.conduct(ob(planning.Report, "k.city", "who", "Bob"), people("city", "Oslo"))
	require.Equal(t, planning.OutResolved, trace.Status, "eve says what ada says")
	require.Len(t, trace.Obligations[0].Verified.Sources, 2)
	require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Maintain, "g", "condition", `ir["Bob"].city == "Oslo"`)).Status, "conditions see it once")
	b.saying("ada", livesIn("Bonn"))
	require.Equal(t, planning.Failed, b.conduct(people("city", "Bonn")).Obligations[0].Status, "eve has not taken back her word")
}

// Where nothing is declared a subject has many objects.
func TestRelationsWithManyObjects(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	b.saying("ada", livesIn("Oslo"), livesIn("Rome"))
	b.saying("eve", livesIn("Lima"))
	for _, city := range []string{"Oslo", "Rome", "Lima"} {
		trace := b.conduct(ob(planning.Report, "query.people", "filters", map[string]any{"city": city}))
		require.Equal(t, []any{"Bob"}, trace.Answers[0].Result["values"])
	}
}

// A fact that cannot be held beside another one of the same obligation, or that is written like one that is known, is
// refused before anything is asserted.
//
// Verifies: ORC-242
func TestFactsThatCannotBeHeldTogether(t *testing.T) {
	where := "Oslo"
	b := conductorOf(t, store.NewMemory(), cities(planning.CheckBlocking, &where))
	say := func(facts ...any) ObligationTrace {
		return b.conduct(ob(planning.Achieve, "ir.assert", "facts", facts)).Obligations[0]
	}
	require.Equal(t, planning.Resolved, say(fact("Eve", "city", "Oslo"), fact("Eve", "city", "Oslo"),
		fact("Eve", "pet", "cat"), fact("Eve", "pet", "dog"), fact("Bob", "HOME", "here"),
		fact("Zo\u00e9", "city", "Oslo"), fact("Kim", "city", "Oslo"), fact("Alice Smith", "city", "Oslo")).Status)
	for why, facts := range map[string][]any{
		`the city of "Bob" is given twice, as Boston and as Rome, and there can be one`: {
			fact("Bob", "city", "Boston"), fact("Bob", "age", "7"), fact("Bob", "city", "Rome")},
		`the city of "bob" is given twice`:                                  {fact("Bob", "city", "Boston"), fact("bob", "city", "Boston")},
		`the relation "City" is declared as "city"`:                         {fact("Bob", "City", "Boston")},
		`the relation "city " is declared as "city"`:                        {fact("Bob", "city ", "Boston")},
		`the city is known of "Eve", which is read as "eve"`:                {fact("eve", "city", "Rome")},
		"the city is known of \"Zo\u00e9\", which is read as \"Zoe\u0301\"": {fact("Zoe\u0301", "city", "Rome")},
		"the city is known of \"Kim\", which is read as \"\uff2bim\"":       {fact("\uff2bim", "city", "Rome")},
		`the city is known of "Kim", which is read as "Ki\u200bm"`:          {fact("Ki\u200bm", "city", "Rome")},
		`the city is known of "Alice Smith", which is read as "Alice`:       {fact("Alice\u00a0 Smith", "city", "Rome")},
		`the relation "ci\u200bty" is declared as "city"`:                   {fact("Bob", "ci\u200bty", "Boston")},
		`facts about "USER:eve"`:                                            {fact("USER:eve", "city", "Boston")},
		`facts about "us\u200ber:ada"`:                                      {fact("us\u200ber:ada", "city", "Boston")},
		`the relation "home town" is declared as "Home Town"`:               {fact("Bob", "home town", "Boston")},
		`the name of "user:ada" is given twice`:                             {fact("user", "name", "Ada"), fact("user", "name", "Eve")},
	} {
		of := say(facts...)
		require.Equal(t, planning.Escalated, of.Status, why)
		require.Contains(t, of.Why, why)
		if code := string(of.Runs[0].Error.Code); code != "subject_forbidden" {
			require.Equal(t, "facts_contradicted", code)
			require.Contains(t, of.Runs[0].Error.Fix, "nothing of this obligation was applied")
		}
		people := b.conduct(ob(planning.Report, "query.people", "filters", map[string]any{"age": "7"}))
		require.Empty(t, people.Answers[0].Result["values"], "nor is the rest of it held")
	}
	require.Equal(t, planning.Resolved, say(fact("eve", "pet", "cat"), fact("Eve", "city", "Rome")).Status, "a newer word")
}

// What is another caller's own is not found by writing a name in another way either.
//
// Verifies: ORC-242, ORC-268
func TestTheSpellingOfWhatIsOnesOwn(t *testing.T) {
	where := "Oslo"
	b := conductorOf(t, store.NewMemory(), cities(planning.CheckBlocking, &where))
	say := func(who, subject, scope string) ObligationTrace {
		facts := []any{fact(subject, "city", "Oslo")}
		return b.saying(who, ob(planning.Achieve, "ir.assert", "facts", facts, "scope", scope)).Obligations[0]
	}
	require.Equal(t, planning.Resolved, say("ada", "Hidden Person", "own").Status)
	require.Equal(t, planning.Resolved, say("eve", "hidden person", "own").Status)
	require.Equal(t, planning.Resolved, say("pat", "HIDDEN PERSON", "project").Status)
	require.Contains(t, say("ada", "hidden person", "own").Why, `which is read as "hidden person"`, "ada sees her own")
}
