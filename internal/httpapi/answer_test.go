package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const twoQuestions = `{"obligations":[{"type":"REPORT","payload":{"kind":"status.name"}},{"type":"REPORT","payload":{"kind":"query.count_letters"}}]}`

// asking has a run ask, and returns the path of its answers.
func (h *harness) asking(who, body string) string {
	h.t.Helper()
	return "/obligations/" + h.expect(200, "", who, "POST", "/obligations", body).json(h.t)["id"].(string) + "/answers"
}

func provokeAnswers(h *harness) {
	path := h.asking("coder", twoQuestions)
	refused := func(status int, code, who, body string, headers ...string) {
		h.t.Helper()
		require.NotEmpty(h.t, h.expect(status, code, who, "POST", path, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
	}
	refused(400, "json_syntax", "coder", "{")
	refused(400, "invalid_answer", "coder", `{"obligation":"o1"}`)
	refused(403, "answer_forbidden", "tester", `{"obligation":"o1","value":"Jeff"}`)
	refused(404, "unknown_question", "coder", `{"obligation":"o9","value":"Jeff"}`)
	refused(413, "body_too_large", "coder", strings.Repeat(" ", 1<<20+1))
	refused(415, "media_type", "coder", "{}", "Content-Type", "text/plain")
	refused(415, "content_encoding", "coder", "{}", "Content-Encoding", "gzip")
	refused(422, "answer_unfit", "coder", `{"obligation":"o1","value":7}`)
	refused(422, "question_ambiguous", "coder", `{"value":"Jeff"}`)
	refused(422, "secret_in_text", "coder", `{"obligation":"o1","value":"`+awsKey+`"}`)
	h.expect(404, "unknown_run", "coder", "POST", "/obligations/0000000000000000/answers", `{"value":1}`)
	h.expect(400, "invalid_parameter", "coder", "GET", "/obligations?waiting=perhaps", "")

	first := h.expect(200, "", "coder", "POST", path, `{"obligation":"o1","value":"Jeff"}`)
	require.Equal(h.t, first.Body, h.expect(200, "", "coder", "POST", path, `{"obligation":"o1","value":"Jeff"}`).Body, "the same answer again")
	refused(409, "answered", "coder", `{"obligation":"o1","value":"Jim"}`)
	h.expect(409, "run_under_way", "pm", "POST", "/obligations/00000000000000aa/answers", `{"value":1}`) // which provokeConductor has begun
	path = h.asking("coder", `{"answer_within_s":1,"obligations":[{"type":"REPORT","payload":{"kind":"query.math"}}]}`)
	h.Clock.Advance(time.Second)
	refused(410, "expired", "coder", `{"value":"1+1"}`)
}

// asksOf returns the runs that ask what a caller may answer.
func (h *harness) asksOf(who string) []any {
	h.t.Helper()
	return h.expect(200, "", who, http.MethodGet, "/obligations?waiting=true", "").json(h.t)["runs"].([]any)
}

func TestAQuestionOverHTTP(t *testing.T) {
	h := newHarness(t)
	path := h.asking("coder", strings.Replace(twoQuestions, `{"obligations"`, `{"answer_within_s":60,"obligations"`, 1))
	require.Len(t, h.asksOf("coder"), 1)
	require.Len(t, h.asksOf("pm"), 1, "who may answer for others")
	require.Empty(t, h.asksOf("tester"))

	trace := h.expect(200, "", "coder", "POST", path, `{"obligation":"o1","value":"Jeff"}`).json(t)
	require.Equal(t, "clarify", trace["status"])
	require.Equal(t, "Your name is Jeff.", trace["answers"].([]any)[0].(map[string]any)["text"])
	require.Equal(t, trace, h.expect(200, "", "viewer", "GET", "/traces/"+trace["id"].(string), "").json(t))

	refusal := h.expect(422, "answer_unfit", "coder", "POST", path, `{"obligation":"o2.1","value":["r"]}`).json(t)
	require.Equal(t, "/value", refusal["errors"].([]any)[0].(map[string]any)["pointer"])
	h.Clock.Advance(time.Minute)
	require.Empty(t, h.asksOf("coder"))
	gone := h.expect(410, "expired", "coder", "POST", path, `{"obligation":"o2.1","value":"r"}`)
	require.Contains(t, gone.json(t)["fix"], "letter in its payload")
	one := h.expect(200, "", "viewer", "GET", strings.TrimSuffix(path, "/answers"), "").json(t)
	require.NotContains(t, one["obligations"].([]any)[1].(map[string]any)["status"], "active")
}

// How long a question of spoken words waits can be said as well.
func TestAQuestionOfWordsWaitsAsLongAsIsSaid(t *testing.T) {
	h := newHarness(t)
	run := h.expect(200, "", "coder", "POST", "/requests", `{"utterance":"what is my name","answer_within_s":60}`).json(t)["id"].(string)
	h.Clock.Advance(59 * time.Second)
	require.Len(t, h.asksOf("coder"), 1)
	h.Clock.Advance(time.Second)
	require.Empty(t, h.asksOf("coder"))
	h.expect(410, "expired", "coder", "POST", "/obligations/"+run+"/answers", `{"value":"Jeff"}`)
	for _, wrong := range []string{"-1", "2592001", "1.5", `"60"`, "1e300"} {
		h.expect(422, "schema_violation", "coder", "POST", "/requests", `{"utterance":"what is my name","answer_within_s":`+wrong+`}`)
	}
}

// The schema of a question is looked at before anything runs, also that of a step.
func TestTheSchemaOfAStepsQuestion(t *testing.T) {
	h := newHarness(t)
	const step = `{"type":"CLARIFY","payload":{"slot":"year","schema":{"type":"sometimes"}}}`
	before := h.expect(200, "", "viewer", "GET", "/obligations", "").json(t)["runs"]
	for body, at := range map[string]string{
		`{"type":"ACHIEVE","payload":{"kind":"plan","steps":[` + step + `]}}`:                                                        "/obligations/0/payload/steps/0/payload/schema/type",
		`{"type":"ACHIEVE","payload":{"kind":"plan","steps":[{"type":"ACHIEVE","payload":{"kind":"plan","steps":[` + step + `]}}]}}`: "/obligations/0/payload/steps/0/payload/steps/0/payload/schema/type",
	} {
		refusal := h.expect(400, "invalid_obligations", "coder", "POST", "/obligations", `{"obligations":[`+body+`]}`).json(t)
		require.Equal(t, at, refusal["errors"].([]any)[0].(map[string]any)["pointer"])
	}
	require.Equal(t, before, h.expect(200, "", "viewer", "GET", "/obligations", "").json(t)["runs"])
}

// What an obligation on the record is about is asked for where it is left out, as other inputs are.
//
// Verifies: ORC-299
func TestWhatIsOnRecordIsAskedFor(t *testing.T) {
	h := newHarness(t)
	for obligation, c := range map[string]struct{ unfit, fit, text string }{
		`{"type":"DISCOVER_OP","payload":{}}`: {"sums", "REPORT(query.math)", "math.eval"},
		`{"type":"JUSTIFY","payload":{}}`:     {" ", "REQ-001", "What is on record about REQ-001:"},
	} {
		path := h.asking("coder", `{"obligations":[`+obligation+`]}`)
		h.expect(422, "answer_unfit", "coder", http.MethodPost, path, `{"value":"`+c.unfit+`"}`)
		done := h.expect(200, "", "coder", http.MethodPost, path, `{"value":"`+c.fit+`"}`).json(t)
		require.Equal(t, "resolved", done["status"], done)
		require.Contains(t, answersOf(done)[0]["text"], c.text)
	}
	h.expect(400, "invalid_obligations", "coder", http.MethodPost, "/obligations",
		`{"obligations":[{"type":"SCHEDULE","payload":{"every":"1h"}}]}`)
}
