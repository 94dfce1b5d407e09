package conductor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// asking is a CLARIFY for a slot.
func asking(slot string) planning.Obligation {
	return planning.Obligation{Type: planning.Clarify, Payload: map[string]any{"slot": slot, "schema": map[string]any{"type": "string"}}}
}

func runsOf(all []fake) (n []int) {
	for _, f := range all {
		n = append(n, *f.runs)
	}
	return n
}

// Case 17: what a step lacks is asked for, nothing is run, and the answer counts for the steps that lack it.
//
// Verifies: ORC-245, ORC-255
func TestAPlanThatIsAnswered(t *testing.T) {
	given := ob(planning.Achieve, "k.welcome", "person", "Eve")
	for name, c := range map[string]struct {
		asked planning.Obligation
		runs  []int
		id    string // of the question: after those of the steps
	}{
		"a contract":       {ob(planning.Achieve, "k.welcome"), []int{1, 1}, "o1.3"},
		"a step":           {plan(ob(planning.Report, "k.say", "n", "x"), ob(planning.Achieve, "k.welcome"), given), []int{3, 2}, "o1.4"},
		"a step of a step": {plan(ob(planning.Report, "k.say", "n", "x"), plan(ob(planning.Achieve, "k.welcome"), ob(planning.Achieve, "k.welcome"))), []int{3, 2}, "o1.3"},
		"a taking step":    {plan(called("a", ob(planning.Report, "k.say", "n", "x")), ob(planning.Achieve, "k.welcome", "other", take("a.value"))), []int{2, 1}, "o1.3"},
	} {
		t.Run(name, func(t *testing.T) {
			all := welcome()
			b := conductorOf(t, store.NewMemory(), all...)
			run := b.conduct(c.asked, called("after", ob(planning.Report, "k.say", "n", "after")), plan(ob(planning.Report, "k.say", "n", "z"), ob(planning.Report, "k.say", "n", "{{after.value}}")))
			require.Equal(t, planning.OutClarify, run.Status)
			require.Empty(t, run.Obligations[0].Runs)
			require.Empty(t, run.Obligations[0].Steps)
			before := runsOf(all[1:])
			asked := b.questions(run.ID)
			require.Len(t, asked, 1)
			require.Equal(t, []string{c.id, "o1", "person", `{"type":"string"}`}, []string{asked[0].ID, asked[0].Obligation, asked[0].Slot, string(asked[0].Schema)})
			_, err := b.Answer(t.Context(), ada, run.ID, Reply{Value: 7.0})
			require.True(t, fault.Is(err, questions.CodeUnfit), "%v", err)

			after := b.reply(run.ID, Reply{Obligation: "o1", Value: "Ann {{o2.value}}"})
			require.Equal(t, planning.OutResolved, after.Status, after.Obligations[0].Why)
			require.Equal(t, planning.Resolved, after.Obligations[0].Emitted[0].Status)
			for i, step := range after.Obligations[0].Steps {
				require.Equal(t, fmt.Sprintf("o1.%d", i+1), step.ID, "as the plan named it before")
			}
			require.Equal(t, c.asked, after.Obligations[0].Obligation, "it is shown as it was asked for")
			require.Equal(t, raw(t, Trace{Obligations: run.Obligations[1:]}), raw(t, Trace{Obligations: after.Obligations[1:]}), "what had ended stays as it was")
			for i, n := range runsOf(all[1:]) {
				require.Equal(t, c.runs[i], n-before[i])
			}
			var said []any
			ids := map[string]bool{}
			for one := range after.Each() {
				require.False(t, ids[one.ID], "the id %s is given once", one.ID)
				ids[one.ID] = true
				if one.Obligation.Kind() == "k.sent" {
					said = append(said, one.Runs[0].Inputs["n"])
				}
			}
			require.Equal(t, "Dear Ann {{o2.value}},", said[0], "an answer is no template")
			if name == "a step" {
				require.Equal(t, "Dear Eve,", said[1], "what a step is given stays")
			}
		})
	}
}

// asksMidway is a plan that sends, asks for a year, and says it; and an obligation that takes what it said.
func asksMidway() []planning.Obligation {
	return []planning.Obligation{
		plan(ob(planning.Achieve, "k.sent", "n", "x"), called("year", asking("year")), called("said", ob(planning.Report, "k.say", "n", "in {{year.value}}"))),
		ob(planning.Report, "k.say", "n", "{{o1.said.value}}!"),
	}
}

// Verifies: ORC-245, ORC-253
func TestAStepThatWaits(t *testing.T) {
	all := welcome()
	b := conductorOf(t, store.NewMemory(), all...)
	run := b.conduct(asksMidway()...)
	require.Equal(t, planning.OutClarify, run.Status)
	require.Equal(t, []string{"it waits for o1.2", "it waits for o1"}, []string{run.Obligations[0].Steps[2].Why, run.Obligations[1].Why})
	require.Equal(t, []int{0, 0, 1}, runsOf(all))
	require.Equal(t, "o1.2", b.questions(run.ID)[0].ID)
	after := b.reply(run.ID, Reply{Value: "2026"})
	require.Equal(t, planning.OutResolved, after.Status, after.Obligations[0].Why)
	require.Equal(t, []string{"k.say: in 2026 (not verified)", "k.say: in 2026! (not verified)"}, texts(after))
	require.Equal(t, []int{0, 2, 1}, runsOf(all), "a step that ended is not run again")
	require.Equal(t, raw(t, Trace{Obligations: run.Obligations[0].Steps[:1]}), raw(t, Trace{Obligations: after.Obligations[0].Steps[:1]}))
	again, err := b.Answer(t.Context(), ada, run.ID, Reply{Value: "2026"})
	require.NoError(t, err)
	require.Equal(t, raw(t, after), raw(t, again))
}

// What ran before the answer counts against the budgets, the steps included.
func TestTheBudgetsOfAPlanThatIsAnswered(t *testing.T) {
	for most, want := range map[int]planning.Outcome{3: planning.OutResolved, 2: planning.OutTruncated, 1: planning.OutTruncated} {
		b := conductorOf(t, store.NewMemory(), welcome()...)
		run, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: asksMidway(), Budgets: planning.Budgets{MaxToolRuns: most}})
		require.NoError(t, err)
		require.Equal(t, planning.OutClarify, run.Status)
		require.Equal(t, want, b.reply(run.ID, Reply{Value: "2026"}).Status)
	}
}

// Plans of contracts: one that failed is not run again, and one that waited goes on, although it would not be allowed
// to begin now.
func TestAContractsPlanThatWaits(t *testing.T) {
	failing := named("t.fail", "ACHIEVE(k.fail)", outOfOrder("out of order"))
	first := byPlan("t.a", "ACHIEVE(k.p)", nil, ob(planning.Achieve, "k.sent", "n", "first"), ob(planning.Achieve, "k.fail"))
	second := byPlan("t.b", "ACHIEVE(k.p)", nil, ob(planning.Achieve, "status.name", "value", "Jeff"), called("year", asking("year")), called("again", asking("again")),
		ob(planning.Achieve, "k.sent", "n", "{{year.value}} {{again.value}}"))
	second.contract.Preconditions = []string{"!('user:ada' in ir)"}
	all := append(welcome(), failing, first, second)
	b := conductorOf(t, store.NewMemory(), all...)
	run := b.conduct(ob(planning.Achieve, "k.p"))
	require.Equal(t, planning.OutClarify, run.Status, run.Obligations[0].Why)
	var ids []string
	for _, step := range run.Obligations[0].Steps {
		ids = append(ids, step.ID)
	}
	require.Equal(t, []string{"o1.1", "o1.2", "o1.3", "o1.4", "o1.5", "o1.6"}, ids)
	next := b.reply(run.ID, Reply{Obligation: "o1.4", Value: "2026"})
	require.Equal(t, planning.OutClarify, next.Status, next.Obligations[0].Why)
	after := b.reply(run.ID, Reply{Obligation: "o1.5", Value: "again"})
	require.Equal(t, planning.OutResolved, after.Status, after.Obligations[0].Why)
	require.Equal(t, []int{0, 0, 2, 1}, runsOf(all[:4]))
	require.Equal(t, raw(t, Trace{Obligations: run.Obligations[0].Steps[:3]}), raw(t, Trace{Obligations: after.Obligations[0].Steps[:3]}))
	require.Equal(t, "2026 again", after.Obligations[0].Steps[5].Runs[0].Inputs["n"])
	require.Equal(t, []Candidate{{Tool: "t.a", Taken: true, Reason: run.Obligations[0].Candidates[0].Reason}, {Tool: "t.b", Taken: true, Reason: "succeeded"}}, after.Obligations[0].Candidates)
}

// Verifies: ORC-246
//
// A plan fails with the question of a step, and so does what takes its result.
func TestTheQuestionOfAStepThatExpires(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), welcome()...)
	asked := planning.Request{Obligations: append(asksMidway(), plan(ob(planning.Achieve, "k.welcome"))), AnswerWithinS: 60}
	run, err := b.Conduct(t.Context(), ada, asked)
	require.NoError(t, err)
	*b.now = b.now.Add(time.Minute)
	looked, err := b.Summary(t.Context(), run.ID)
	require.NoError(t, err)
	for _, o := range looked.Obligations {
		require.NotEqual(t, planning.Active, o.Status, o.ID)
	}
	_, err = b.Answer(t.Context(), ada, run.ID, Reply{Obligation: "o1.2", Value: "2026"})
	require.True(t, fault.Is(err, questions.CodeExpired), "%v", err)
	var after Trace
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		after, err = traceIn(v, run.ID)
		return err
	}))
	b.kept(after)
	require.Equal(t, planning.OutFailed, after.Status)
	require.Contains(t, after.Obligations[0].Why, `o1.2: nobody answered "what is year?"`)
	require.Equal(t, "what it waits for was not answered in time", after.Obligations[1].Why)
	require.Equal(t, planning.Resolved, after.Obligations[0].Steps[0].Status, "what was done is done")
}

// A viewer's plan has nobody who can answer it, and waits for nobody.
func TestAViewersPlan(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), welcome()...)
	trace, err := b.Conduct(t.Context(), Caller{Name: "vic", Role: "viewer"}, planning.Request{Obligations: []planning.Obligation{plan(called("year", asking("year")), ob(planning.Report, "k.say", "n", take("year.value")))}})
	require.NoError(t, err)
	for one := range trace.Each() {
		require.Equal(t, planning.Escalated, one.Status, one.ID)
	}
}

// Verifies: ORC-247
//
// At whichever write the service dies: what waited for an answer goes on to the same trace, and no step runs twice but
// the one that was cut off.
func TestACrashAtEveryWriteOfAnAnsweredPlan(t *testing.T) {
	for name, asked := range map[string][]planning.Obligation{
		"a step waits":       asksMidway(),
		"the plan is asked":  {plan(ob(planning.Achieve, "k.welcome"), ob(planning.Achieve, "k.sent", "n", "x")), ob(planning.Report, "k.say", "n", "{{o1.o2.value}}")},
		"a contract's plan":  {ob(planning.Achieve, "k.welcome"), ob(planning.Report, "k.say", "n", "{{o1.o2.value}}")},
		"a plan in the plan": {plan(ob(planning.Achieve, "k.sent", "n", "x"), plan(called("year", asking("year")), ob(planning.Achieve, "k.sent", "n", "{{year.value}}")))},
	} {
		t.Run(name, func(t *testing.T) {
			ended := ""
			for writes, done := 0, false; !done; writes++ {
				s := &failing{store.NewMemory(), 1 << 30}
				all := welcome()
				for i := range all {
					all[i].contract.Idempotent = true
				}
				b := conductorOn(t, s, s.Memory, all...)
				run := b.conduct(asked...)
				before := runsOf(all)
				s.left = writes
				_, err := b.Answer(t.Context(), ada, run.ID, Reply{Value: "Ann"})
				done = err == nil
				s.left = 1 << 30
				b.Stop()
				b = conductorOn(t, s, s.Memory, all...)
				left, openErr := b.Unfinished(t.Context())
				require.NoError(t, openErr)
				for _, cut := range left {
					_, openErr := b.Resume(t.Context(), cut)
					require.NoError(t, openErr)
				}
				if len(left) == 0 && err != nil {
					require.Equal(t, before, runsOf(all), "the answer itself was not recorded")
					b.reply(run.ID, Reply{Value: "Ann"})
				}
				trace, traceErr := b.Trace(t.Context(), run.ID)
				require.NoError(t, traceErr)
				if ended == "" {
					ended = string(trace)
					require.Contains(t, ended, `"status":"resolved"`)
				}
				require.Equal(t, ended, string(trace), "after %d writes", writes)
				var known Trace
				require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
					known, traceErr = traceIn(v, run.ID)
					return traceErr
				}))
				sent := 0
				for one := range known.Each() {
					if one.Obligation.Kind() == "k.sent" {
						sent += len(one.Runs)
					}
				}
				require.LessOrEqual(t, *all[2].runs, sent+1, "what changes something is on record before and after")
			}
		})
	}
}

// What agents used before an answer counts in the budgets after it.
func TestTheTokensOfAnAgentBeforeAnAnswer(t *testing.T) {
	y := yardOf(t, store.NewMemory(), coder("a.coder", func(f *fake) { f.contract.Implementation.Usage = "claude" }))
	y.script("a.coder", `touch done; echo '{"type":"result","usage":{"input_tokens":110,"output_tokens":10},"total_cost_usd":0.02}'`)
	run, err := y.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{toBuild, asking("year")}})
	require.NoError(t, err)
	require.Equal(t, planning.Resolved, run.Obligations[0].Status, run.Obligations[0].Why)
	for why, budgets := range map[string]planning.Budgets{
		"max_tokens is used up: agents reported 120 tokens": {MaxTokens: 100}, "max_tool_runs is exhausted": {MaxToolRuns: 1},
		"exceed the 1 bytes of max_result_bytes": {MaxResultBytes: 1},
	} {
		r := y.newRun(state.Request{ID: run.ID, Caller: ada, Request: planning.Request{Budgets: budgets}})
		r.earlier, err = earlierOf(t.Context(), y.state, run.ID)
		require.NoError(t, err)
		one := newTrace("o1", toBuild)
		r.takeUp(&one)
		require.Contains(t, r.spent.Refuses(&planning.Contract{Role: "coder"}, y.Clock()), why)
	}
}

// What was answered before counts in the bytes of the results.
func TestTheBytesOfResultsBeforeAnAnswer(t *testing.T) {
	first := conductorOf(t, store.NewMemory(), welcome()...).conduct(asksMidway()...)
	before := 0
	for o := range first.Each() {
		for _, run := range o.Runs {
			raw, err := ledger.Encode(run.Result)
			require.NoError(t, err)
			before += len(raw)
		}
	}
	require.NotZero(t, before)
	for most, want := range map[int]planning.Outcome{before: planning.OutTruncated, 1 << 20: planning.OutResolved} {
		b := conductorOf(t, store.NewMemory(), welcome()...)
		run, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: asksMidway(), Budgets: planning.Budgets{MaxResultBytes: most}})
		require.NoError(t, err)
		require.Equal(t, planning.OutClarify, run.Status)
		require.Equal(t, want, b.reply(run.ID, Reply{Value: "2026"}).Status)
	}
}
