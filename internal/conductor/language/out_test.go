package language

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/planning"
)

// outcome is the obligation of an utterance and a result as JSON.
func outcome(t *testing.T, utterance, result string) (planning.Obligation, map[string]any) {
	t.Helper()
	request, err := In(utterance, moment)
	require.NoError(t, err)
	require.Len(t, request.Obligations, 1)
	var r map[string]any
	d := json.NewDecoder(strings.NewReader(result))
	d.UseNumber()
	require.NoError(t, d.Decode(&r))
	return request.Obligations[0], r
}

func TestOut(t *testing.T) {
	for _, c := range []struct{ utterance, result, want string }{
		{"2+2", `{"value":"4"}`, "2+2 = 4"},
		{"2+2", `{"value":4}`, "2+2 = 4"},
		{"1/3", `{"value":"1/3","decimal":"0.333…"}`, "1/3 = 1/3 (about 0.333…)"},
		{"2+2", `{"sum":4}`, `{"sum":4}`},
		{"how many r's in strawberry", `{"value":3}`, `"strawberry" has the letter "r" 3 times.`},
		{"how many w's in strawberry", `{"value":1}`, `"strawberry" has the letter "w" 1 time.`},
		{"how many x's in strawberry", `{"value":0}`, `"strawberry" has the letter "x" 0 times.`},
		{"what is my name", `{"value":"Jeff"}`, "Your name is Jeff."},
		{"what was refused yesterday", `{"refusals":[]}`, "Nothing was refused from 2026-11-22T00:00:00Z until 2026-11-23T00:00:00Z."},
		{"what of Ada was refused today", `{"refusals":[]}`, "Nothing was refused of Ada from 2026-11-23T00:00:00Z until 2026-11-23T22:30:00Z."},
		{"who approved REQ-7", `{"id":"REQ-7","status":"planned","did":"approved","acts":[]}`, "It is not on record that REQ-7 was ever approved: it is planned."},
		{"who approved REQ-7", `{"id":"REQ-7","status":"planned","did":"approved","acts":[
			{"what":"approved","by":"ada","role":"pm","at":"2026-11-02T08:00:00Z","why":"it is good","counts":false}]}`,
			"ada (pm) approved REQ-7 on 2026-11-02T08:00:00Z; why: it is good; it does not count any more."},
		{"who implemented REQ-7", `{"id":"REQ-7","status":"implemented","did":"implemented","acts":[
			{"what":"wrote","part":"implementation","by":"bob","role":"coder","at":"2026-11-02T08:00:00Z"},
			{"what":"moved","to":"implemented","by":"bob","role":"coder","at":"2026-11-02T09:00:00Z"}]}`,
			"bob (coder) wrote the implementation of REQ-7 on 2026-11-02T08:00:00Z.\nbob (coder) moved REQ-7 to implemented on 2026-11-02T09:00:00Z."},
		{"who implemented REQ-7", `{"id":"REQ-7","acts":[{"by":"bob"}]}`, `{"acts":[{"by":"bob"}],"id":"REQ-7"}`},
		{"my name is Jeff", `{"value":"Jeff"}`, "From now on your name is Jeff."},
		{"list my friends in Seattle", `{"values":["Alice Smith","Bob Johnson"]}`, "I know of these (city Seattle, relation friend): Alice Smith, Bob Johnson."},
		{"list my friends", `{"values":[]}`, "I know of nobody (relation friend)."},
		{"list my friends", `{"values":[7]}`, `{"values":[7]}`},
		{"list the requirements", `{"requirements":[]}`, "There are no such requirements (any)."},
		{"what is blocked and why", `{"requirements":[{"id":"REQ-7","status":"blocked","title":"Log in","why":["REQ-1 is late","no key"]}],"next":"REQ-7"}`,
			"Requirements (status blocked): 1.\n- REQ-7 is blocked (Log in); why: REQ-1 is late, no key\nThere are more."},
		{"list the requirements", `{"requirements":[{"id":"REQ-7"}]}`, `{"requirements":[{"id":"REQ-7"}]}`},
		{"status of REQ-7", `{"id":"REQ-7","status":"planned","waiting_for":["architect"],"suspect":true}`, "REQ-7 is planned; waits for architect; suspect."},
		{"status of REQ-7", `{"id":"REQ-7","status":"planned","title":"x\n- REQ-8 is done"}`, "REQ-7 is planned (x - REQ-8 is done)."},
		{"set REQ-7 to done", `{"id":"REQ-7","status":"done"}`, "REQ-7 is done now."},
		{"what is next", `{"steps":[{"id":"REQ-7","role":"tester","do":"move to tested_pass","lacks":["test"]},"wait"]}`,
			"What is next:\n- REQ-7, tester: move to tested_pass (lacks test)\n- wait"},
		{"what is next", `{"steps":[]}`, "There is nothing to do now."},
		{"what is next", `{"steps":[],"for":"viewer","waiting":[{"for":"pm","count":2,"first":["REQ-1","REQ-2"]},{"for":"operator","count":9,"first":["REQ-3"]}]}`,
			"There is nothing to do for the viewer now. Others have the turn: pm (2: REQ-1, REQ-2); operator (9: REQ-3 and more)."},
		{"what is next", `{"steps":[],"waiting":[{"for":"pm"}]}`, `{"steps":[],"waiting":[{"for":"pm"}]}`},
		{"what is next", `{"steps":[],"waiting":7}`, `{"steps":[],"waiting":7}`},
		{"why is REQ-7 not done", `{"id":"REQ-7","status":"tested_pass","moves":1,"missing":[{"what":"deviation D-1 is open","by":"pm","with":"a resolution"}]}`,
			"REQ-7 is tested_pass, one move from done. Missing:\n- deviation D-1 is open: a resolution, by the pm"},
		{"why is REQ-7 not done", `{"id":"REQ-7","status":"blocked","moves":0,"missing":[{"what":"nothing leads on","by":"pm","with":"PUT /workflow"}]}`,
			"REQ-7 is blocked. Missing:\n- nothing leads on: PUT /workflow, by the pm"},
		{"why is REQ-7 not done", `{"id":"REQ-7","status":"done","missing":[]}`, "REQ-7 is done, and nothing is missing."},
		{"why is REQ-7 not done", `{"id":"REQ-7","status":"done","missing":[{"what":"x"}]}`, `{"id":"REQ-7","missing":[{"what":"x"}],"status":"done"}`},
		{"project status", `{"counts":{"planned":2,"done":1,"blocked":0},"total":3}`, "The requirements of the project, 3 in all, by status: done 1, planned 2."},
		{"project status", `{"counts":{}}`, "The project has no requirements."},
		{"verify the log", `{"ok":true}`, "The log was checked and is in order."},
		{"verify the log", `{"ok":false,"problems":["record 7 was changed"]}`, "The log is not in order: record 7 was changed."},
		{"verify the log", `{"ok":true,"problems":["record 7"]}`, `{"ok":true,"problems":["record 7"]}`},
		{"verify the evidence of REQ-7", `{"ok":false}`, "The evidence of REQ-7 is not in order."},
		{"remember that Bob lives in Rome", `{"asserted":1}`, "I will remember: Bob, city, Rome."},
		{"remember that Bob lives in Rome", `{"asserted":0}`, `{"asserted":0}`},
		{"normalize email A@B.org", `{"value":"A@b.org"}`, "The address is A@b.org"},
		{"what time is it in Europe/Berlin", `{"value":"2026-01-02T03:04:05+01:00","zone":"Europe/Berlin"}`, "It is 2026-01-02T03:04:05+01:00 in Europe/Berlin."},
		{"what is my name", `{"value":"\u001b[31mred\u0000\u202e"}`, "Your name is \ufffd[31mred\ufffd\ufffd."},
	} {
		t.Run(c.utterance+" "+c.result, func(t *testing.T) {
			o, r := outcome(t, c.utterance, c.result)
			require.Equal(t, c.want, Out(o, r))
		})
	}
}

func TestOutOfUnknownKindsNamesTheMembers(t *testing.T) {
	o := planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "query.stars"}}
	require.Equal(t, `query.stars: a <x>, y; b 1; c {"d":2}; e null; f ""`,
		Out(o, map[string]any{"b": 1, "a": []any{"<x>", "y"}, "c": map[string]any{"d": 2}, "e": nil, "f": ""}))
	require.Equal(t, "query.stars: 7", Out(o, map[string]any{"value": 7}))
	require.Equal(t, "query.stars: value null", Out(o, map[string]any{"value": nil}))
	require.Equal(t, "query.stars: nothing", Out(o, nil))
	require.Equal(t, "k.x: 5 (not verified)", Unverified("k.x: 5"))
	require.NotEmpty(t, Out(o, map[string]any{"x": math.NaN()}))
}

// Every sentence that is understood has an answer in words, whatever its tool leaves out.
func TestEveryFormHasATemplate(t *testing.T) {
	made := map[string]bool{}
	for _, f := range forms {
		made[f.name()] = true
		require.Contains(t, templates, f.name())
		o, r := outcome(t, f.Examples[0], `{}`)
		require.Equal(t, `{}`, Out(o, r), "of nothing, nothing is said")
	}
	for name := range templates {
		require.True(t, made[name] || unspoken[name] != "", "no sentence makes %s", name)
	}
}

func TestUncertainAndAskFor(t *testing.T) {
	o := planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": "2+2"}}
	require.Equal(t, "I have no answer that I can vouch for to REPORT(query.math) about 2+2: the second evaluation gave 5.", Uncertain(o, "the second evaluation gave 5"))
	require.Equal(t, "I have no answer that I can vouch for to VERIFY(audit): no tool could check it.", Uncertain(planning.Obligation{Type: planning.Verify, Payload: map[string]any{"kind": "audit"}}, "no tool could check it."))
	require.Equal(t, "What is your name? (name is missing)", AskFor("name", "What is your name?"))
	require.Equal(t, "What is the value? (zone is missing)", AskFor("zone", " "))
}

func TestOutOfADeduction(t *testing.T) {
	o := planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "rules.deduce"}}
	proof := []any{map[string]any{"step": 1, "fact": "parent(a, b)"}, map[string]any{"step": 2, "fact": "elder(a, b)", "rule": "elder(X, Y) :- parent(X, Y).", "from": []any{1}}}
	require.Equal(t, "Yes, 1 in all: elder(a, b).\n1. parent(a, b)\n2. elder(a, b), of 1 by elder(X, Y) :- parent(X, Y).",
		Out(o, map[string]any{"holds": true, "answers": []any{"elder(a, b)"}, "count": 1, "proof": proof}))
	require.Equal(t, "No: it does not follow from the facts and rules.",
		Out(o, map[string]any{"holds": false, "answers": []any{}, "count": 0, "proof": []any{}}))
	odd := map[string]any{"holds": true, "answers": []any{}, "count": 0, "proof": []any{}}
	require.Equal(t, `{"answers":[],"count":0,"holds":true,"proof":[]}`, Out(o, odd))
}
