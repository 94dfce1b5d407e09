package httpapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/rules/planning"
)

// reviewer is the contract of an agent that says what it thinks of a requirement.
const reviewer = `name: agents.reviewer
version: "1"
role: coder
description: Says what it thinks of a requirement.
satisfies: [REPORT(requirement.opinion)]
produces: {type: object}
reliability: medium
cost: low
latency_ms: 1000
timeout_ms: 30000
verify: off
idempotent: false
implementation: {means: exec, argv: [./reviewer], env: [PATH], stdin: prompt}
`

// withReviewer has an agent that reports 110 tokens in, 10 out and 2 cents of each run, unless a file is there: quiet
// has it report nothing, and free no cost. It notes its runs in the file that is returned by ran.
func withReviewer(t *testing.T) func(*options) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "reviewer.yaml"), []byte(reviewer), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "reviewer"), []byte(`#!/bin/sh
cat > /dev/null
echo ran >> runs
if [ -f quiet ]; then echo fine; exit; fi
if [ ! -f free ]; then cost=',"total_cost_usd":0.02'; fi
echo '{"type":"result","result":"fine","usage":{"input_tokens":110,"output_tokens":10}'$cost'}'
`), 0o700))
	return func(o *options) { o.Tools = dir }
}

// opinions is a request for what the agent thinks of some requirements, with budgets.
func opinions(budgets string, ids ...string) string {
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprintf(`{"type":"REPORT","payload":{"kind":"requirement.opinion","id":%q}}`, id))
	}
	return `{"obligations":[` + strings.Join(all, ",") + `],"budgets":{` + budgets + `}}`
}

func provokeUsage(t *testing.T, h *harness) {
	for range 2 {
		h.expect(200, "", "pm", "POST", "/obligations", opinions("", "REQ-001"))
	}
	h.expect(200, "", "pm", "POST", "/obligations", opinions("", "REQ-002"))
	r := h.expect(200, "", "viewer", "GET", "/usage?limit=1", "")
	next := r.json(t)["next"].(string)
	require.Equal(t, "<"+next+`>; rel="next"`, r.Header.Get("Link"))
	h.expect(200, "", "viewer", "GET", next, "")
}

// Verifies: ORC-293
//
// TestWhatAgentsUsedIsAnswered: to every role; what no client reports is left out, and how many runs reported nothing is said.
func TestWhatAgentsUsedIsAnswered(t *testing.T) {
	var folder string
	h := newHarness(t, withReviewer(t), func(o *options) { folder = o.Tools })
	usage := func(query string) string {
		t.Helper()
		var answers []string
		for _, who := range []string{"viewer", "coder", "pm"} {
			answers = append(answers, strings.TrimSpace(string(h.expect(200, "", who, "GET", "/usage"+query, "").Body)))
		}
		require.Equal(t, answers[0], answers[1])
		require.Equal(t, answers[0], answers[2])
		return answers[0]
	}
	require.JSONEq(t, `{"usage":[],"total":{"runs":0,"unreported":0,"without_cost":0},"next":null}`, usage(""))
	conduct := func(who string, ids ...string) {
		t.Helper()
		require.Equal(t, "resolved", h.expect(200, "", who, "POST", "/obligations", opinions("", ids...)).json(t)["status"])
	}
	conduct("pm", "REQ-001", "REQ-002", "REQ-001")
	h.expect(200, "", "pm", "POST", "/obligations", obligation("query.math", `"expr":"2+2"`))
	touch := func(name string) { require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600)) }
	touch("free")
	conduct("coder", "REQ-002")
	touch("quiet")
	conduct("pm", "REQ-002")

	entry := func(id, caller, rest string) string {
		return `{"requirement":"` + id + `","actor":"agents.reviewer","caller":"` + caller + `",` + rest + `}`
	}
	first := entry("REQ-001", "pm", `"client":"claude","runs":2,"unreported":0,"without_cost":0,"input_tokens":220,"output_tokens":20,"cost_usd":0.04`)
	free := entry("REQ-002", "coder", `"client":"claude","runs":1,"unreported":0,"without_cost":1,"input_tokens":110,"output_tokens":10`)
	quiet := entry("REQ-002", "pm", `"runs":1,"unreported":1,"without_cost":1`)
	second := entry("REQ-002", "pm", `"client":"claude","runs":1,"unreported":0,"without_cost":0,"input_tokens":110,"output_tokens":10,"cost_usd":0.02`)
	total := `"total":{"runs":5,"unreported":1,"without_cost":2,"input_tokens":440,"output_tokens":40,"cost_usd":0.06},"next":null}`
	require.JSONEq(t, `{"usage":[`+strings.Join([]string{first, free, quiet, second}, ",")+`],`+total, usage(""))
	require.Contains(t, usage("?requirement=REQ-001"), `"runs":2,`)
	require.Contains(t, usage("?actor=coder"), `"total":{"runs":1,`)
	require.Contains(t, usage("?actor=agents.reviewer&requirement=REQ-002"), `"total":{"runs":3,`)
	require.Contains(t, usage("?since=2999-01-01"), `"usage":[]`)
	require.Contains(t, usage("?since=2001-01-01T00:00:00Z"), `"total":{"runs":5,`)
	for _, query := range []string{"since=yesterday", "since=", "actor=", "requirement=", "before=0", "limit=0"} {
		h.expect(400, "invalid_parameter", "pm", "GET", "/usage?"+query, "")
	}
	h.expect(401, "token_missing", "", "GET", "/usage", "")
}

// Verifies: ORC-294
//
// TestABudgetOfTokensOrMoneyStopsARun: the run that reaches the sum is the last; the trace says why no agent starts after
// it, and what needs no agent is still answered.
func TestABudgetOfTokensOrMoneyStopsARun(t *testing.T) {
	for name, c := range map[string]struct {
		budgets string
		ran     int
		why     string
	}{
		"tokens, by the first run":   {`"max_tokens":120`, 1, "max_tokens is used up: agents reported 120 tokens, and the budget is 120"},
		"tokens, by the second run":  {`"max_tokens":121`, 2, "max_tokens is used up: agents reported 240 tokens, and the budget is 121"},
		"money, by the first run":    {`"max_cost_usd":0.02`, 1, "max_cost_usd is used up: agents reported 0.0200 US dollars, and the budget is 0.02"},
		"money, by the second run":   {`"max_cost_usd":0.03`, 2, "max_cost_usd is used up: agents reported 0.0400 US dollars, and the budget is 0.03"},
		"both, of which one is less": {`"max_tokens":100000,"max_cost_usd":0.01`, 1, "max_cost_usd is used up: agents reported 0.0200 US dollars, and the budget is 0.01"},
		"neither":                    {`"max_tokens":361,"max_cost_usd":0.07`, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var folder string
			h := newHarness(t, withReviewer(t), func(o *options) { folder = o.Tools })
			request := strings.Replace(opinions(c.budgets, "REQ-001", "REQ-002", "REQ-003"), `],"budgets"`, `,{"type":"REPORT","payload":{"kind":"query.math","expr":"2+2"}}],"budgets"`, 1)
			answer := h.expect(200, "", "pm", "POST", "/obligations", request)
			var trace conductor.Trace
			require.NoError(t, json.Unmarshal(answer.Body, &trace))
			for i, o := range trace.Obligations[:3] {
				if i < c.ran {
					require.Equal(t, planning.OutResolved, o.Outcome, o.Why)
					require.EqualValues(t, 120, o.Runs[0].Usage.Tokens())
					continue
				}
				require.Equal(t, planning.OutTruncated, o.Outcome)
				require.Empty(t, o.Runs)
				require.Contains(t, o.Why, c.why)
			}
			require.Equal(t, planning.OutResolved, trace.Obligations[3].Outcome, "math takes no tokens")
			want := planning.OutTruncated
			if c.ran == 3 {
				want = planning.OutResolved
			}
			require.Equal(t, want, trace.Status)
			ran, err := os.ReadFile(filepath.Join(folder, "runs"))
			require.NoError(t, err)
			require.Equal(t, c.ran, strings.Count(string(ran), "ran"), "agents that were started")
			stored := h.expect(200, "", "viewer", "GET", "/traces/"+trace.ID, "")
			require.JSONEq(t, string(answer.Body), string(stored.Body))
			require.Contains(t, string(h.expect(200, "", "pm", "GET", "/usage", "").Body), fmt.Sprintf(`"total":{"runs":%d,`, c.ran))
		})
	}
}

// Verifies: ORC-294
//
// TestABudgetThatNobodyReportsAgainst: an agent that reports nothing spends nothing of it, and the sum says so.
func TestABudgetThatNobodyReportsAgainst(t *testing.T) {
	var folder string
	h := newHarness(t, withReviewer(t), func(o *options) { folder = o.Tools })
	require.NoError(t, os.WriteFile(filepath.Join(folder, "quiet"), nil, 0o600))
	answer := h.expect(200, "", "pm", "POST", "/obligations", opinions(`"max_tokens":1`, "REQ-001", "REQ-002"))
	require.Equal(t, "resolved", answer.json(t)["status"])
	require.Contains(t, string(h.expect(200, "", "pm", "GET", "/usage", "").Body), `"total":{"runs":2,"unreported":2,"without_cost":2}`)
}
