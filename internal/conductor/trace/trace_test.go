package trace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

func obligation(typ planning.Type, members ...any) planning.Obligation {
	payload := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		payload[members[i].(string)] = members[i+1]
	}
	return planning.Obligation{Type: typ, Payload: payload}
}

// failed is the trace of an obligation of which each run failed with a fix.
func failed(fixes ...string) Obligation {
	one := New("o1", obligation(planning.Report, "kind", "k.x"))
	for _, fix := range fixes {
		one.Runs = append(one.Runs, Run{Status: state.RunFailed, Error: &state.Failure{Detail: "no", Fix: fix}})
	}
	one.End(planning.Failed, planning.OutFailed, "it failed")
	return one
}

// Who is told that a run failed is told what to do: what the tool says that failed last, before where all is listed.
func TestWhatToDoAboutARun(t *testing.T) {
	refused := failed("send it otherwise")
	refused.Refusal = fault.New(fault.Conflict, "x", "no").WithFix("say why")
	asks := New("o1", obligation(planning.Report, "kind", "k.x"))
	asks.Clarify([]string{"name"}, func(string) map[string]any { return nil })
	handed := Trace{Status: planning.OutClarify, Obligations: []Obligation{asks}}
	handed.Obligations[0].Emitted = nil
	for name, c := range map[string]struct {
		of   Trace
		want string
	}{
		"nothing is said":      {Trace{Obligations: []Obligation{failed()}}, "orchestrator conduct --trace r lists every attempt, and why it failed"},
		"a viewer":             {Trace{Caller: audit.Actor{Role: "viewer"}, Obligations: []Obligation{failed()}}, "the answer lists every attempt, and why it failed: --json shows it"},
		"the last tool":        {Trace{Obligations: []Obligation{failed("one", "two", "")}}, "two"},
		"a refusal":            {Trace{Obligations: []Obligation{refused}}, "say why"},
		"the first":            {Trace{Obligations: []Obligation{failed(), failed("two"), failed("three")}}, "two"},
		"a step":               {Trace{Obligations: []Obligation{{Status: planning.Failed, Steps: []Obligation{failed("deep")}}}}, "deep"},
		"a question":           {Trace{Obligations: []Obligation{failed("one"), asks}}, "answer what it asks: orchestrator answer r lists it"},
		"a question of no use": {handed, "say or send the whole again, with what it lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			c.of.ID = "r"
			if c.of.Status == "" {
				c.of.Status = planning.OutFailed
			}
			var f *fault.Error
			require.ErrorAs(t, c.of.Unresolved(), &f)
			require.Equal(t, c.want, f.Fix)
		})
	}
	resolved := failed("one")
	resolved.End(planning.Resolved, planning.OutResolved, "")
	require.Empty(t, resolved.Remedy(), "nothing is left to do")
	require.NoError(t, Trace{Status: planning.OutResolved}.Unresolved())
}

func TestQuestionsAreSentences(t *testing.T) {
	one := New("o1", obligation(planning.Report, "kind", "k.x"))
	one.Clarify([]string{"accept_fingerprint", "facts", "status", "address", "year"}, func(slot string) map[string]any {
		if slot == "year" {
			return map[string]any{"type": "integer", "description": "of the report"}
		}
		return nil
	})
	var asked []any
	for _, e := range one.Asks() {
		asked = append(asked, e.Obligation.Payload["question"])
	}
	require.Equal(t, []any{"what is the accept fingerprint?", "what are the facts?", "what is the status?", "what is the address?",
		"what is the year (of the report)?"}, asked)
	require.Equal(t, map[string]any{"type": "integer", "description": "of the report"}, one.Emitted[4].Obligation.Payload["schema"])
	one.Clarify([]string{"facts"}, func(string) map[string]any { return nil })
	require.Len(t, one.Emitted, 5, "what was asked is not asked again")
	require.Empty(t, one.AsksInVain())
	one.End(planning.Escalated, planning.OutClarify, "nobody can answer")
	require.Empty(t, one.Asks())
	require.Len(t, one.AsksInVain(), 5)
	one.End(planning.Failed, planning.OutFailed, "it expired")
	require.Empty(t, one.AsksInVain())
	one.CloseQuestions()
	require.Empty(t, one.Asks())
	require.Equal(t, planning.Failed, one.Emitted[0].Status)
}

func TestEachObligationIsVisitedBeforeItsSteps(t *testing.T) {
	of := Trace{Obligations: []Obligation{{ID: "o1", Steps: []Obligation{{ID: "o1.1", Steps: []Obligation{{ID: "o1.1.1"}}}, {ID: "o1.2"}}}, {ID: "o2"}}}
	var all []string
	for one := range of.Each() {
		all = append(all, one.ID)
	}
	require.Equal(t, []string{"o1", "o1.1", "o1.1.1", "o1.2", "o2"}, all)
	for one := range of.Each() {
		if one.ID == "o1.1.1" {
			break
		}
	}
	require.Equal(t, "o1.3", of.Obligations[0].nextID())
}

func TestTheResultOfAnObligation(t *testing.T) {
	one := New("o1", obligation(planning.Report, "kind", "k.x"))
	one.Runs = []Run{{Result: map[string]any{"value": 1}}, {Result: map[string]any{"value": 2}}}
	require.Nil(t, one.Result(), "it is not resolved")
	one.End(planning.Resolved, planning.OutResolved, "")
	require.Equal(t, map[string]any{"value": 2}, one.Result())
	one.SetResult(map[string]any{"value": 3})
	require.Equal(t, map[string]any{"value": 3}, one.Result(), "what may be answered of it")

	asked := New("o1", obligation(planning.Clarify, "slot", "year"))
	asked.Given = []questions.Given{{Value: 2026}}
	asked.End(planning.Resolved, planning.OutResolved, "")
	require.Equal(t, map[string]any{"value": 2026}, asked.Result())
	reply, given := asked.Reply()
	require.True(t, given)
	require.Equal(t, 2026, reply)
	_, given = one.Reply()
	require.False(t, given, "it is no question")

	doubted := one
	doubted.Verified = &Verification{By: "facts"}
	named := one
	named.Obligation.Name = "sum"
	plan := New("o1", obligation(planning.Achieve, "kind", "plan"))
	plan.Steps = []Obligation{one, doubted, named}
	plan.End(planning.Resolved, planning.OutResolved, "")
	require.Equal(t, map[string]any{"o1": one.Result(), "sum": one.Result()}, plan.Result(), "no step whose answer is in doubt")
}
