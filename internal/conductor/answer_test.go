package conductor

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

var (
	bob  = Caller{Name: "bob", Role: "coder"}
	boss = Caller{Name: "eve", Role: "pm"}
)

// reply answers a question, and holds what a trace of it has to be.
func (b bench) reply(run string, r Reply) Trace {
	b.t.Helper()
	trace, err := b.Answer(b.t.Context(), ada, run, r)
	require.NoError(b.t, err)
	b.kept(trace)
	return trace
}

func (b bench) questions(run string) (all []state.Question) {
	b.t.Helper()
	require.NoError(b.t, b.state.View(b.t.Context(), func(v state.View) (err error) {
		all, err = v.Questions(run)
		return err
	}))
	return all
}

// Verifies: ORC-245
func TestAQuestionThatIsAnswered(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace := b.conduct(ob(planning.Report, "query.math", "expr", "2+2"), ob(planning.Report, "status.name"))
	require.Equal(t, planning.OutClarify, trace.Status)
	require.Equal(t, []string{"2+2 = 4"}, texts(trace))
	asked := b.questions(trace.ID)
	require.Len(t, asked, 1)
	require.Equal(t, []any{"o2.1", "o2", "name", "what is the name?", state.QuestionWaits, questions.DefaultWait},
		[]any{asked[0].ID, asked[0].Obligation, asked[0].Slot, asked[0].Question, asked[0].Status, asked[0].Expires.Sub(asked[0].Asked)})

	after := b.reply(trace.ID, Reply{Obligation: "o2", Value: "Jeff"})
	require.Equal(t, planning.OutResolved, after.Status)
	require.Equal(t, []string{"2+2 = 4", "Your name is Jeff."}, texts(after), "in the order of the request")
	require.Equal(t, raw(t, Trace{Obligations: trace.Obligations[:1]}), raw(t, Trace{Obligations: after.Obligations[:1]}), "what had ended stays as it was")
	require.Equal(t, []questions.Given{{Question: "o2.1", Slot: "name", Value: "Jeff", By: ada}}, after.Obligations[1].Given)
	require.NotContains(t, after.Obligations[1].Obligation.Payload, "name", "the obligation is as it was asked for")
	require.Equal(t, planning.Resolved, after.Obligations[1].Emitted[0].Status)

	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		held, err := v.Held(builtin.UserSubject(ada), "name")
		require.NoError(t, err)
		require.Len(t, held, 1)
		source, found, err := v.Source(held[0].Source)
		require.True(t, found)
		require.Equal(t, []string{"answer", "ada", trace.ID}, []string{source.Kind, source.Name, source.Run})
		return err
	}))
	require.Equal(t, []string{"Your name is Jeff."}, texts(b.conduct(ob(planning.Report, "status.name"))), "it is known from now on")
}

// Verifies: ORC-245
func TestAnswersThatAreRefused(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	clarify := planning.Obligation{Type: planning.Clarify, Payload: map[string]any{"slot": "year", "schema": map[string]any{"type": "integer", "minimum": 1900.0}}}
	run := b.conduct(ob(planning.Report, "query.count_letters"), clarify, ob(planning.Report, "query.math", "expr", "1+1")).ID
	for name, c := range map[string]struct {
		who   Caller
		run   string
		reply Reply
		kind  fault.Kind
		code  fault.Code
		says  string
	}{
		"no such run":        {ada, "0000000000000000", Reply{Value: "x"}, fault.NotFound, "unknown_run", ""},
		"no such obligation": {ada, run, Reply{Obligation: "o9", Value: "x"}, fault.NotFound, questions.CodeUnknown, "o1.1 (letter); o1.2 (text)"},
		"one that asks none": {ada, run, Reply{Obligation: "o3", Value: "x"}, fault.NotFound, questions.CodeUnknown, ""},
		"several":            {ada, run, Reply{Obligation: "o1", Value: "x"}, fault.Invalid, questions.CodeAmbiguous, "o1.1 (letter); o1.2 (text)"},
		"none is named":      {ada, run, Reply{Value: "x"}, fault.Invalid, questions.CodeAmbiguous, "o2 (year)"},
		"somebody else":      {bob, run, Reply{Obligation: "o2", Value: 2000.0}, fault.Forbidden, questions.CodeForbidden, "ada (coder)"},
		"in another role":    {Caller{Name: "ada", Role: "tester"}, run, Reply{Obligation: "o2", Value: 2000.0}, fault.Forbidden, questions.CodeForbidden, ""},
		"of another type":    {ada, run, Reply{Obligation: "o2", Value: "two"}, fault.Invalid, questions.CodeUnfit, "/value"},
		"out of range":       {ada, run, Reply{Obligation: "o2", Value: 7.0}, fault.Invalid, questions.CodeUnfit, "1900"},
		"one of the box":     {ada, run, Reply{Obligation: "o1", Slot: "letter", Value: true}, fault.Invalid, questions.CodeUnfit, "/value"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Answer(t.Context(), c.who, c.run, c.reply)
			require.ErrorIs(t, err, c.kind)
			require.True(t, fault.Is(err, c.code), "%v", err)
			require.NotEmpty(t, fault.As(err).Fix)
			require.Contains(t, err.Error()+fault.As(err).Fix, c.says)
		})
	}
	for _, q := range b.questions(run) {
		require.Equal(t, state.QuestionWaits, q.Status, "a refused answer leaves the question open")
	}
}

// The answer of a pm counts as that of who asked, under the pm's own name.
func TestAPMAnswersForOthers(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	run := b.conduct(ob(planning.Report, "status.name")).ID
	trace, err := b.Answer(t.Context(), boss, run, Reply{Value: "Ada"})
	require.NoError(t, err)
	require.Equal(t, []string{"Your name is Ada."}, texts(trace))
	require.Equal(t, boss, trace.Obligations[0].Given[0].By)
	require.Equal(t, ada, trace.Caller)
	require.Equal(t, planning.OutResolved, b.conduct(ob(planning.Report, "status.name")).Status, "it is known of ada")
}

// Verifies: ORC-246
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	run := b.conduct(ob(planning.Report, "status.name"))
	first := b.reply(run.ID, Reply{Value: "Jeff"})
	again, err := b.Answer(t.Context(), ada, run.ID, Reply{Obligation: "o1.1", Value: "Jeff"})
	require.NoError(t, err, "the same answer of the same caller")
	require.Equal(t, raw(t, first), raw(t, again))
	for _, c := range []struct {
		who   Caller
		value any
	}{{ada, "Jim"}, {boss, "Jeff"}} {
		_, err = b.Answer(t.Context(), c.who, run.ID, Reply{Obligation: "o1", Value: c.value})
		require.ErrorIs(t, err, fault.Conflict)
		require.True(t, fault.Is(err, questions.CodeAnswered))
		require.Contains(t, err.Error(), "ada (coder) at 2026-01-02T03:04:05Z")
	}
}

// Several questions of one obligation are answered one by one; it is run once all of them are.
func TestSeveralQuestions(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	run := b.conduct(ob(planning.Report, "query.count_letters"), planning.Obligation{Type: planning.Verify, Payload: map[string]any{}})
	require.Equal(t, []planning.Status{planning.Active, planning.Active}, []planning.Status{run.Obligations[0].Status, run.Obligations[1].Status})
	one := b.reply(run.ID, Reply{Obligation: "o1", Slot: "text", Value: "strawberry"})
	require.Equal(t, planning.OutClarify, one.Status)
	require.Empty(t, one.Obligations[0].Runs)
	require.Len(t, one.Obligations[0].Emitted, 2, "nothing is asked twice")
	both := b.reply(run.ID, Reply{Obligation: "o1", Value: "r"})
	require.Equal(t, planning.OutResolved, both.Status)
	require.EqualValues(t, 3, both.Answers[0].Result["value"])
	require.Equal(t, planning.Resolved, both.Obligations[1].Status, "the VERIFY has waited")
}

// What was tried before a question is on record, and is not tried again.
func TestALaterCandidateThatLacksAnInput(t *testing.T) {
	first, dependency := named("t.a", "ACHIEVE(k.x)", outOfOrder("out of order")), named("t.d", "ACHIEVE(k.d)")
	second := named("t.b", "ACHIEVE(k.x)", withInput("city"), func(f *fake) { f.contract.DependsOn = []string{"t.c"}; f.contract.Consumes = nil })
	third := named("t.c", "ACHIEVE(k.c)", withInput("city"), func(f *fake) { f.contract.DependsOn = nil })
	second.contract.DependsOn = []string{"t.d", "t.c"}
	b := conductorOf(t, store.NewMemory(), first, second, third, dependency)
	run := b.conduct(ob(planning.Achieve, "k.x"))
	require.Equal(t, planning.OutClarify, run.Status, "it is asked for before the failure is justified")
	require.Equal(t, planning.Clarify, run.Obligations[0].Emitted[0].Obligation.Type)
	after := b.reply(run.ID, Reply{Value: "Rome"})
	require.Equal(t, planning.OutResolved, after.Status)
	require.Equal(t, []int{1, 1, 1, 1}, []int{*first.runs, *second.runs, *third.runs, *dependency.runs})
	require.Len(t, after.Obligations[0].Runs, 4)
}

// An obligation that is met without the answer to its question does not wait for it.
func TestAQuestionThatIsWithdrawn(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	run := b.conduct(ob(planning.Report, "status.name"), ob(planning.Report, "status.name"))
	after := b.reply(run.ID, Reply{Obligation: "o1", Value: "Jeff"})
	require.Equal(t, planning.OutResolved, after.Status, "the name is known now")
	require.Equal(t, state.QuestionWithdrawn, b.questions(run.ID)[1].Status)
	_, err := b.Answer(t.Context(), ada, run.ID, Reply{Obligation: "o2", Value: "Jim"})
	require.True(t, fault.Is(err, questions.CodeAnswered))
}

func TestACLARIFYThatIsAnswered(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	run := b.conduct(planning.Obligation{Type: planning.Clarify, Payload: map[string]any{"slot": "year", "schema": map[string]any{"type": "integer"}}})
	after := b.reply(run.ID, Reply{Value: 2026.0})
	require.Equal(t, planning.Resolved, after.Obligations[0].Status)
	require.EqualValues(t, 2026, after.Obligations[0].Given[0].Value)
	_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{{Type: planning.Clarify, Payload: map[string]any{"slot": "year", "schema": map[string]any{"type": "whole"}}}}})
	require.ErrorIs(t, err, fault.Malformed)
	require.Contains(t, err.Error(), "/obligations/0/payload/schema")
}

// Verifies: ORC-246
//
// A question expires whether or not somebody looks. What follows is the same at a look-up and on record.
func TestAQuestionThatExpires(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	asked := planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "status.name"), ob(planning.Verify, "answers")}, AnswerWithinS: 60, IdempotencyKey: "k"}
	run, err := b.Conduct(t.Context(), ada, asked)
	require.NoError(t, err)
	b.later(59 * time.Second)
	looked, err := b.Summary(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, state.QuestionWaits, looked.Obligations[0].Questions[0].Status)
	page, _, err := b.List(t.Context(), 0, 10, &ada)
	require.NoError(t, err)
	require.Len(t, page, 1)
	for _, who := range []Caller{bob, boss} {
		page, _, err = b.List(t.Context(), 0, 10, &who)
		require.NoError(t, err)
		require.Equal(t, who == boss, len(page) == 1)
	}

	b.later(time.Second)
	before, err := b.Trace(t.Context(), run.ID)
	require.NoError(t, err)
	require.Contains(t, string(before), `nobody answered \"what is the name?\" until 2026-01-02T03:05:05Z`)
	require.NotContains(t, string(before), `"active"`)
	again, err := b.Conduct(t.Context(), ada, asked)
	require.NoError(t, err)
	require.Equal(t, string(before), raw(t, again), "by its idempotency key, too")
	looked, err = b.Summary(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, []any{planning.Failed, state.QuestionExpired}, []any{looked.Obligations[0].Status, looked.Obligations[0].Questions[0].Status})
	page, _, err = b.List(t.Context(), 0, 10, &ada)
	require.NoError(t, err)
	require.Empty(t, page)

	for range 2 {
		_, err = b.Answer(t.Context(), ada, run.ID, Reply{Obligation: "o1", Value: "Jeff"})
		require.ErrorIs(t, err, fault.Gone)
		require.True(t, fault.Is(err, questions.CodeExpired))
	}
	require.Equal(t, state.QuestionExpired, b.questions(run.ID)[0].Status, "it is on record")
	after, err := b.Trace(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	recorded, err := b.Summary(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, looked.Obligations[0], recorded.Obligations[0])
}

// A viewer's run leaves nothing that could be answered, and says so.
func TestAViewersQuestion(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace, err := b.Conduct(t.Context(), Caller{Name: "vic", Role: "viewer"}, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "query.math")}})
	require.NoError(t, err)
	require.Equal(t, []any{planning.OutClarify, planning.Escalated}, []any{trace.Status, trace.Obligations[0].Status})
	require.Contains(t, trace.Obligations[0].Why, "it needs expr; a viewer's run is not kept")
	_, err = b.Answer(t.Context(), boss, trace.ID, Reply{Value: "1+1"})
	require.ErrorIs(t, err, fault.NotFound)
}

// What a language model asks is no question that an answer alone could lead on.
func TestAQuestionOfATranslator(t *testing.T) {
	b := conductorOf(t, store.NewMemory())
	trace, err := b.Ask(t.Context(), ada, Asked{Utterance: "x", Translate: func(context.Context) ([]planning.Obligation, error) {
		return []planning.Obligation{{Type: planning.Clarify, Payload: map[string]any{"slot": "utterance", "question": "What is meant?"}}}, nil
	}})
	require.NoError(t, err)
	require.Equal(t, planning.Escalated, trace.Obligations[0].Status)
	require.Empty(t, b.questions(trace.ID))
}

// Guardrails hold for what runs after an answer, too, and what was run before counts in the budgets.
func TestAfterAnAnswer(t *testing.T) {
	first, second := named("t.a", "ACHIEVE(k.x)"), named("t.b", "ACHIEVE(k.y)", withInput("city"))
	request := func(budget int) planning.Request {
		return planning.Request{Budgets: planning.Budgets{MaxToolRuns: budget}, Obligations: []planning.Obligation{
			ob(planning.Avoid, "g", "condition", `has(input.city) && input.city == "Rome"`), ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y"),
		}}
	}
	for _, c := range []struct {
		budget int
		city   string
		want   planning.Outcome
	}{{2, "Oslo", planning.OutResolved}, {1, "Oslo", planning.OutTruncated}, {2, "Rome", planning.OutGuardrail}} {
		b := conductorOf(t, store.NewMemory(), first, second)
		run, err := b.Conduct(t.Context(), ada, request(c.budget))
		require.NoError(t, err)
		require.Equal(t, c.want, b.reply(run.ID, Reply{Value: c.city}).Status)
	}
}

// Verifies: ORC-245
//
// What the tools of the box need is asked for, whatever it is, and nothing is run.
func TestEveryInputOfTheBoxIsAskedFor(t *testing.T) {
	b := overProject(t, store.NewMemory(), &project{})
	boxed := conductorOf(t, store.NewMemory())
	seen := 0
	for _, on := range []bench{b, boxed} {
		for _, c := range on.Tools.Contracts() {
			for _, pattern := range c.Satisfies {
				typ, kind, _ := strings.Cut(strings.TrimSuffix(pattern, ")"), "(")
				needs := slices.ContainsFunc(c.Consumes, func(in planning.Input) bool { return in.Required })
				if !needs {
					continue
				}
				seen++
				o := ob(planning.Type(typ), kind)
				require.Empty(t, violationsOf(t, o), "%s without its inputs fits the schema", pattern)
				trace := on.conduct(o)
				require.Equal(t, planning.OutClarify, trace.Status, pattern)
				require.Empty(t, trace.Obligations[0].Runs, pattern)
				for _, in := range c.Consumes {
					asks := slices.ContainsFunc(trace.Obligations[0].Emitted, func(e Emitted) bool { return e.Obligation.Payload["slot"] == in.Name })
					require.Equal(t, in.Required, asks, "%s: %s", pattern, in.Name)
					if in.Required {
						o.Payload[in.Name] = []any{[]any{}}
						require.NotEmpty(t, violationsOf(t, o), "%s: %s of another type", pattern, in.Name)
						delete(o.Payload, in.Name)
					}
				}
			}
		}
	}
	require.Greater(t, seen, 12)
}
