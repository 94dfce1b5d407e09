package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// scheduled is a request with one SCHEDULE.
func scheduled(when string) string {
	return `{"obligations":[{"type":"SCHEDULE","payload":{` + when + `,"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"1+1"}}]}}]}`
}

// provokeSchedules has schedules made, looked at and ended, and what is refused of that.
func provokeSchedules(h *harness) {
	made := h.expect(200, "", "coder", "POST", "/obligations", scheduled(`"every":"1h"`)).json(h.t)
	path := "/schedules/" + made["id"].(string) + "-o1"
	h.expect(422, "schedule_time", "coder", "POST", "/obligations", scheduled(`"at":"2001-01-01T00:00:00Z"`))
	for _, who := range []string{"coder", "pm"} {
		h.expect(200, "", who, "GET", path, "")
		h.expect(200, "", who, "HEAD", path, "")
		h.expect(200, "", who, "GET", "/schedules?active=true&limit=1", "")
		h.expect(200, "", who, "HEAD", "/schedules", "")
	}
	h.expect(403, "schedule_forbidden", "tester", "GET", path, "")
	h.expect(404, "unknown_schedule", "coder", "GET", "/schedules/none", "")
	h.expect(400, "unknown_parameter", "coder", "GET", path+"?x=1", "")
	h.expect(400, "invalid_parameter", "coder", "GET", "/schedules?active=perhaps", "")
	refused := func(status int, code, who, path string) {
		require.NotEmpty(h.t, h.expect(status, code, who, "DELETE", path, "").Header.Get("Audit-Receipt"), "it is not on record")
	}
	refused(403, "schedule_forbidden", "tester", path)
	refused(404, "unknown_schedule", "coder", "/schedules/none")
	refused(400, "unknown_parameter", "coder", path+"?x=1")
	h.expect(200, "", "coder", "DELETE", path, "")
	refused(410, "schedule_ended", "coder", path)
	h.addToken("sam", lifecycle.Coder)
	one := strings.TrimSuffix(strings.TrimPrefix(scheduled(`"every":"1h"`), `{"obligations":[`), "]}")
	all := strings.Repeat(one+",", 19) + one
	require.NotContains(h.t, string(h.expect(200, "", "sam", "POST", "/obligations", `{"obligations":[`+all+`]}`).Body), "too_many")
	h.expect(409, "too_many_schedules", "sam", "POST", "/obligations", scheduled(`"every":"1h"`))
}

// Verifies: ORC-257
func TestWhatIsScheduledIsCheckedAsARequest(t *testing.T) {
	h := newHarness(t)
	for body, pointer := range map[string]string{
		`{"every":"1h","obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":{"from":"o7.value"}}}]}`:                                         "/obligations/0/payload/obligations/0/payload/expr",
		`{"every":"1h","obligations":[{"type":"ACHIEVE","payload":{"kind":"plan","steps":[{"type":"SCHEDULE","payload":{"every":"1h","obligations":[]}}]}}]}`: "/obligations/0/payload/obligations",
		`{"every":"1h","obligations":[{"type":"ACHIEVE","payload":{"kind":"plan","steps":[{"type":"REPORT","payload":{"kind":"query.math","expr":7}}]}}]}`:    "/obligations/0/payload/obligations/0/payload/steps/0/payload/expr",
		`{"every":"1h","obligations":[{"type":"CLARIFY","payload":{"slot":"x","schema":{"type":"nothing"}}}]}`:                                                "/obligations/0/payload/obligations/0/payload/schema/type",
	} {
		answer := h.do("coder", "POST", "/obligations", `{"obligations":[{"type":"SCHEDULE","payload":`+body+`}]}`)
		require.Equal(t, http.StatusBadRequest, answer.Status, "%s", answer.Body)
		require.Equal(t, pointer, answer.json(t)["errors"].([]any)[0].(map[string]any)["pointer"], fmt.Sprint(body))
	}
	h.expect(422, "condition_invalid", "coder", "POST", "/obligations", `{"obligations":[{"type":"SCHEDULE","payload":{"every":"1h","obligations":[{"type":"AVOID","payload":{"condition":"nobody("}}]}}]}`)
	h.expect(422, "schedule_time", "coder", "POST", "/obligations", `{"obligations":[{"type":"SCHEDULE","payload":{"obligations":[{"type":"VERIFY","payload":{}}]}}]}`)
	// references within belong to what is scheduled, and are not resolved before
	h.expect(200, "", "coder", "POST", "/obligations", `{"obligations":[{"type":"SCHEDULE","payload":{"every":"1h","obligations":[
		{"type":"REPORT","name":"sum","payload":{"kind":"query.math","expr":"1+1"}},{"type":"REPORT","payload":{"kind":"query.math","expr":"{{sum.value}}+1"}}]}}]}`)
}

// Verifies: ORC-260
func TestWhatIsOnRecordIsTold(t *testing.T) {
	h := newHarness(t)
	answered := func(who, payload string) string {
		return h.expect(200, "", who, "POST", "/obligations", `{"obligations":[`+payload+`]}`).json(t)["answers"].([]any)[0].(map[string]any)["text"].(string)
	}
	const discover = `{"type":"DISCOVER_OP","payload":{"capability":"REPORT(query.maths)"}}`
	require.Equal(t, "No tool satisfies REPORT(query.maths).\nSpelled alike: REPORT(query.math), REPORT(query.facts), REPORT(query.people).", answered("viewer", discover))
	h.expect(422, "missing_capability", "coder", "POST", "/obligations", obligation("query.maths", `"expr":"1"`))
	h.expect(422, "missing_capability", "tester", "POST", "/obligations", obligation("query.maths", `"expr":"1"`))
	require.Contains(t, answered("viewer", discover), "Asked for in vain before: 2 times, by coder, tester, last on 2")
	require.Contains(t, answered("coder", `{"type":"DISCOVER_OP","payload":{"capability":"REPORT(query.math)"}}`), "- math.eval (built-in)")
	require.Contains(t, answered("viewer", `{"type":"DISCOVER_OP","payload":{"capability":"SCHEDULE"}}`), `- schedule.add (built-in), but not for you: viewers cannot change anything`)

	run := h.expect(200, "", "coder", "POST", "/obligations", `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"1/0"}},{"type":"REPORT","payload":{"kind":"status.name"}}]}`).json(t)["id"].(string)
	whole := answered("viewer", `{"type":"JUSTIFY","payload":{"about":"`+run+`"}}`)
	require.Contains(t, whole, "- the run of coder (coder) is clarify")
	require.Contains(t, whole, "- o1: math.eval: it failed: ")
	require.Contains(t, whole, "- o2.1 waits for an answer: what is the name?")
	one := answered("viewer", `{"type":"JUSTIFY","payload":{"about":"`+run+`/o1"}}`)
	require.NotContains(t, one, "o2")
	require.Contains(t, one, "- o1 REPORT(query.math) is escalated: ")
	h.expect(403, "field_forbidden", "coder", "PATCH", "/requirements/REQ-001", `{"status":"planned"}`)
	about := answered("viewer", `{"type":"JUSTIFY","payload":{"about":"REQ-001","kind":"failure"}}`)
	require.Contains(t, about, "- REQ-001 is not_started")
	require.Contains(t, about, "is missing, by the ")
	require.Contains(t, about, "- coder (coder) was refused with field_forbidden: ")
	for _, nothing := range []string{"REQ-999", run + "/o9", "0000000000000000"} {
		failed := h.expect(200, "", "coder", "POST", "/obligations", `{"obligations":[{"type":"JUSTIFY","payload":{"about":"`+nothing+`"}}]}`)
		require.Contains(t, string(failed.Body), "nothing is on record about", nothing)
	}
}

// A sentence schedules a question, with the whole id of its requirement, for whoever may; a viewer schedules nothing,
// and neither does a question.
//
// Verifies: ORC-261
func TestASentenceSchedules(t *testing.T) {
	h := newHarness(t)
	made := h.do("coder", http.MethodPost, "/requests", utter("every 2 hours tell me the status of REQ-001")).json(t)
	require.Equal(t, "resolved", made["status"], made)
	require.Regexp(t, `^Scheduled for \S+, and every 2h from then on\. The schedule is \S+\.$`, answersOf(made)[0]["text"])
	list := h.do("coder", http.MethodGet, "/schedules?active=true", "").json(t)["schedules"].([]any)
	require.Len(t, list, 1)
	require.Equal(t, []any{map[string]any{"type": "REPORT", "payload": map[string]any{"kind": "requirement.status", "id": "REQ-001"}}},
		list[0].(map[string]any)["obligations"])
	require.NotEqual(t, "resolved", h.do("viewer", http.MethodPost, "/requests", utter("every 2 hours project status")).json(t)["status"])
	h.expect(422, "not_understood", "coder", http.MethodPost, "/requests", utter("every 2 hours project status?"))
	require.Len(t, h.do("pm", http.MethodGet, "/schedules?active=true", "").json(t)["schedules"], 1)
}
