package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
	"orchestrator/schemas"
)

// Every kind that a tool of the box satisfies has its own branch in the schema: what the tool takes belongs there, and nothing else.
func TestTheSchemaKnowsEveryKindOfTheBox(t *testing.T) {
	for _, c := range newHarness(t).conductor("").Tools.Contracts() {
		for _, capability := range c.Satisfies {
			typ, kind, _ := strings.Cut(strings.TrimSuffix(capability, ")"), "(")
			found := func(member string) (pointers []string) {
				payload := map[string]any{"kind": kind, member: []any{[]any{true}}}
				if kind == "" {
					delete(payload, "kind") // whatever it is about
				}
				request := map[string]any{"obligations": []any{map[string]any{"type": typ, "payload": payload}}}
				for _, f := range schemas.Violations(schemas.Obligations, request) {
					if f.Code != "required" {
						pointers = append(pointers, strings.TrimPrefix(f.Pointer, "/obligations/0/payload")+" "+string(f.Code))
					}
				}
				return pointers
			}
			require.Equal(t, []string{" additionalProperties"}, found("bogus"), capability)
			for _, in := range c.Consumes {
				require.Len(t, found(in.Name), 1, "%s %s", capability, in.Name)
				require.True(t, strings.HasPrefix(found(in.Name)[0], "/"+in.Name), "%s %s: %s", capability, in.Name, found(in.Name))
			}
		}
	}
}

// Only what no tool satisfies is a missing capability. What else was not met is told as well, and how it ended.
//
// Verifies: ORC-279
func TestWhatNoToolSatisfies(t *testing.T) {
	h := newHarness(t)
	refused := h.expect(http.StatusUnprocessableEntity, "missing_capability", "coder", "POST", "/obligations", `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"1/0"}},
		{"type":"REPORT","payload":{"kind":"query.astronauts"}},{"type":"VERIFY","payload":{"kind":"answers"}},
		{"type":"REPORT","payload":{"kind":"status.name"}},{"type":"REPORT","payload":{"kind":"query.math","expr":"1+1"}}]}`)
	var problem struct {
		Run     string              `json:"run"`
		Detail  string              `json:"detail"`
		Errors  []fault.Field       `json:"errors"`
		Missing []string            `json:"missing_capabilities"`
		Emitted []conductor.Emitted `json:"emitted"`
	}
	require.NoError(t, json.Unmarshal(refused.Body, &problem))
	require.Equal(t, "there is no tool for 1 of 5 obligations", problem.Detail)
	require.Equal(t, []fault.Field{
		{Pointer: "/obligations/0", Code: "failed", Detail: "math.eval: it failed: the expression divides by zero", Fix: "change the divisor; a negative power of 0 divides by zero too"},
		{Pointer: "/obligations/1", Code: "missing_capability", Detail: "no tool satisfies REPORT(query.astronauts)"},
		{Pointer: "/obligations/2", Code: "clarify", Detail: "an answer is still to come"},
		{Pointer: "/obligations/3", Code: "clarify", Detail: "it needs name", Fix: "what is the name? Answer with POST /obligations/" + problem.Run + `/answers {"obligation":"o4.1"}`},
	}, problem.Errors)
	require.Equal(t, []string{"REPORT(query.astronauts)"}, problem.Missing)
	require.Equal(t, []conductor.Emitted{{
		ID: "o2.1", Status: planning.Escalated, Obligation: planning.Obligation{Type: planning.DiscoverOp, Payload: map[string]any{"capability": "REPORT(query.astronauts)"}},
	}}, problem.Emitted)
}

// A run is answered with the bytes that GET /traces has of it.
func TestARunIsAnsweredAsItIsKept(t *testing.T) {
	h := newHarness(t)
	for _, body := range []string{
		obligation("query.math", sum), obligation("query.math", `"expr":"1/0"`), obligation("query.count_letters", `"letter":"<","text":"<\u00e9\u2028refusal"`),
		`{"obligations":[{"type":"REPORT","payload":{"kind":"status.name"}}]}`, strings.Replace(obligation("query.math", sum), "[", `[{"type":"VERIFY","payload":{"kind":"answers"}},`, 1),
	} {
		answered := h.expect(200, "", "coder", "POST", "/obligations", body)
		run := answered.json(t)["id"].(string)
		require.Equal(t, string(h.expect(200, "", "coder", "GET", "/traces/"+run, "").Body), string(answered.Body), body)
	}
}

// obligation is a request with one REPORT.
func obligation(kind, members string) string {
	return `{"obligations":[{"type":"REPORT","payload":{"kind":"` + kind + `",` + members + `}}]}`
}

const sum = `"expr":"1+1"`

func provokeConductor(h *harness) {
	trace := h.expect(200, "", "coder", "POST", "/obligations", obligation("query.math", sum)).json(h.t)
	h.expect(200, "", "coder", "POST", "/obligations?plan=true", obligation("query.math", sum))
	h.expect(200, "", "coder", "POST", "/requests", `{"utterance":"what is 1+1"}`)
	h.expect(200, "", "coder", "POST", "/requests", `{"utterance":"what is 1+1","idempotency_key":"k"}`)
	for _, path := range []string{"/obligations", "/obligations/" + trace["id"].(string), "/traces/" + trace["id"].(string), "/tools"} {
		h.expect(200, "", "viewer", "GET", path, "")
		h.expect(200, "", "viewer", "HEAD", path, "")
	}
	next := h.expect(200, "", "viewer", "GET", "/obligations?limit=2", "").json(h.t)["next"].(string)
	require.Nil(h.t, h.expect(200, "", "viewer", "GET", next, "").json(h.t)["next"])
	h.expect(404, "unknown_run", "viewer", "GET", "/traces/0000000000000000", "")
	h.expect(404, "unknown_run", "viewer", "GET", "/obligations/0000000000000000", "")
	h.expect(400, "invalid_parameter", "viewer", "GET", "/obligations?before=0", "")
	h.expect(400, "invalid_parameter", "viewer", "POST", "/obligations?plan=perhaps", "{}")

	for path, understood := range map[string]string{"/obligations": obligation("query.math", `"expr":"2+2"`), "/requests": `{"utterance":"what is 2+2"}`, "/drive": `{"max_steps":1}`} {
		refused := func(status int, code, body string, headers ...string) {
			h.t.Helper()
			require.NotEmpty(h.t, h.expect(status, code, "coder", "POST", path, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
		}
		refused(400, "json_syntax", "{")
		refused(413, "body_too_large", strings.Repeat(" ", 1<<20+1))
		refused(415, "media_type", understood, "Content-Type", "text/plain")
		refused(415, "content_encoding", understood, "Content-Encoding", "gzip")
		if path == "/drive" {
			continue // which has no key: what was done before is not due any more
		}
		keyed := strings.TrimSuffix(understood, "}") + `,"idempotency_key":"of` + path + `"}`
		first := h.expect(200, "", "coder", "POST", path, keyed)
		require.Equal(h.t, first.Body, h.expect(200, "", "coder", "POST", path, keyed).Body, "the first answer")
		refused(409, "idempotency_conflict", strings.Replace(keyed, "2+2", "3+3", 1))
	}
	require.NoError(h.t, state.New(h.Ledger).Step(context.Background(), "00000000000000aa", "begun", audit.Actor{Name: "coder", Role: "coder"}, func(w *state.Writer) error {
		under := planning.Request{Obligations: []planning.Obligation{{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": "1+1"}}}, IdempotencyKey: "slow"}
		return errors.Join(w.Key("coder", "slow"), w.Request(state.Request{ID: "00000000000000aa", Number: 100, Caller: audit.Actor{Name: "coder", Role: "coder"}, Request: under}))
	}))
	h.expect(409, "run_under_way", "coder", "POST", "/obligations", strings.TrimSuffix(obligation("query.math", sum), "}")+`,"idempotency_key":"slow"}`)
	h.expect(400, "invalid_obligations", "coder", "POST", "/obligations", `{"obligations":[]}`)
	h.expect(400, "invalid_references", "coder", "POST", "/obligations", obligation("query.math", `"expr":{"from":"o2.value"}`))
	provokeDrive(h)
	provokeAnswers(h)
	provokeSchedules(h)
	h.expect(422, "secret_in_text", "coder", "POST", "/obligations", obligation("status.name", `"n":"`+awsKey+`"`))
	h.expect(422, "missing_capability", "coder", "POST", "/obligations", obligation("query.astronauts", `"n":1`))
	both := strings.Replace(obligation("query.math", sum), "[", `[{"type":"REPORT","payload":{"kind":"query.astronauts"}},`, 1)
	answers := h.expect(422, "missing_capability", "coder", "POST", "/obligations", both).json(h.t)["answers"].([]any)
	require.Equal(h.t, "1+1 = 2", answers[0].(map[string]any)["text"], "the others are answered")
	h.expect(422, "condition_invalid", "coder", "POST", "/obligations", `{"obligations":[{"type":"AVOID","payload":{"condition":"nobody("}}]}`)
	provokeRefusedRuns(h)
	h.expect(422, "secret_in_text", "coder", "POST", "/requests", `{"utterance":"how many a's in `+awsKey+`"}`)
	h.expect(422, "schema_violation", "coder", "POST", "/requests", `{"utterance":"what is 2+2","role":"pm"}`)
	h.expect(422, "not_understood", "coder", "POST", "/requests", `{"utterance":"colourless green ideas sleep furiously"}`)
	h.expect(422, "utterance_too_long", "coder", "POST", "/requests", `{"utterance":"`+strings.Repeat("a ", 1001)+`"}`)
}

// provokeRefusedRuns has runs of one obligation, whose change is refused.
func provokeRefusedRuns(h *harness) {
	why := `"justification":{"reason":"x","evidence":[{"kind":"file","path":"a"}]}`
	change := func(id, more string) string {
		return `{"obligations":[{"type":"ACHIEVE","payload":{"kind":"requirement.status","id":"` + id + `","status":"planned",` + why + more + `}}]}`
	}
	h.expect(403, "field_forbidden", "coder", "POST", "/obligations", change("REQ-003", ""))
	h.expect(404, "unknown_requirement", "pm", "POST", "/obligations", change("REQ-999", ""))
	h.expect(412, "stale_revision", "pm", "POST", "/obligations", change("REQ-003", `,"revision":7`))
	h.expect(403, "field_forbidden", "coder", "POST", "/requests", `{"utterance":"set REQ-003 to planned because it is time, see a.md"}`)
	h.expect(404, "unknown_requirement", "pm", "POST", "/requests", `{"utterance":"set REQ-999 to planned because it is time, see a.md"}`)
}
