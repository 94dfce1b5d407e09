package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// conduct sends obligations as who, and expects a trace.
func (h *harness) conduct(who, body string) conductor.Trace {
	h.t.Helper()
	return h.traced(h.do(who, http.MethodPost, "/obligations", body))
}

// ask sends an utterance as who, and expects a trace.
func (h *harness) ask(who, utterance string) conductor.Trace {
	h.t.Helper()
	body, err := json.Marshal(map[string]string{"utterance": utterance})
	require.NoError(h.t, err)
	return h.traced(h.do(who, http.MethodPost, "/requests", string(body)))
}

func (h *harness) traced(r response) (trace conductor.Trace) {
	h.t.Helper()
	require.Equal(h.t, http.StatusOK, r.Status, "%s", r.Body)
	require.NoError(h.t, json.Unmarshal(r.Body, &trace))
	return trace
}

// achieving is a request for one change of REQ-001.
func achieving(kind, members string) string {
	return `{"obligations":[{"type":"ACHIEVE","payload":{"kind":"requirement.` + kind + `","id":"REQ-001",` + strings.TrimPrefix(members, "{") + `}]}`
}

// records are the last records about a requirement, newest first.
func (h *harness) records(id string) []audit.Record {
	h.t.Helper()
	page, err := h.Service.History(h.t.Context(), id, 0, 100)
	require.NoError(h.t, err)
	all := make([]audit.Record, len(page.Records))
	for i, raw := range page.Records {
		require.NoError(h.t, json.Unmarshal(raw, &all[i]))
	}
	return all
}

func (h *harness) statusOf(id string) string {
	h.t.Helper()
	status, _ := h.do("viewer", http.MethodGet, "/requirements/"+id, "").json(h.t)["status"].(string)
	return status
}

// Verifies: ORC-284
func TestAPMMovesAStatusThroughTheConductor(t *testing.T) {
	h := newHarness(t)
	trace := h.conduct("pm", achieving("status", move(lifecycle.Planned)))
	require.Equal(t, planning.OutResolved, trace.Status)
	run := trace.Obligations[0].Runs[0]
	require.Equal(t, "planned", run.Result["status"], "read back from the store")
	for _, v := range run.Postconditions {
		require.True(t, v.Holds, v.Condition)
	}
	require.Equal(t, "planned", h.statusOf("REQ-001"))
	last := h.records("REQ-001")[0]
	require.Equal(t, audit.Actor{Name: "pm", Role: "pm"}, last.Actor)
	require.Equal(t, trace.ID, last.RequestID, "the record names the run")

	trace = h.ask("viewer", "status of REQ-001; list the planned requirements; project status; what should the pm do next for REQ-001")
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, "REQ-001 is planned (Log in with a password); why: a test; waits for pm.", trace.Answers[0].Text)
	require.Equal(t, "Requirements (status planned): 1.\n- REQ-001 is planned (Log in with a password); waits for pm", trace.Answers[1].Text)
	require.Equal(t, "The requirements of the project, 3 in all, by status: not_started 2, planned 1.", trace.Answers[2].Text)
	require.Equal(t, "What is next:\n- REQ-001, pm: move it to design_in_progress", trace.Answers[3].Text)
	for _, o := range trace.Obligations {
		require.Equal(t, &conductor.Verification{By: "again", With: []string{o.Runs[0].Tool}, Verified: true}, o.Verified)
	}
	trace = h.ask("pm", "mark REQ-002 as blocked because the supplier is late, see mail/late.txt; what is blocked and why")
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, "REQ-002 is blocked now (was not_started).", trace.Answers[0].Text)
	require.Equal(t, "Requirements (status blocked): 1.\n- REQ-002 is blocked (Log out); why: the supplier is late; waits for pm", trace.Answers[1].Text)
	require.Empty(t, h.ask("pm", "list the requirements of kind story").Answers[0].Result["requirements"])
}

// A tool does for its caller what the caller may do, and no more; what it was refused is on record.
//
// Verifies: ORC-284
func TestNobodyMayMoreThroughTheConductor(t *testing.T) {
	h := newHarness(t)
	for name, c := range map[string]struct {
		who, body string
		status    int
		code      string
	}{
		"a coder signs off": {"coder", achieving("signoff", `{"approvals":[{"decision":"approved"}],"status":"done","justification":{"reason":"x","evidence":[{"kind":"file","path":"a"}]}}`), 403, "field_forbidden"},
		"a viewer changes":  {"viewer", achieving("status", move(lifecycle.Planned)), 403, "field_forbidden"},
		"there is no way":   {"pm", achieving("status", move(lifecycle.Done)), 409, "illegal_transition"},
		"no justification":  {"pm", achieving("status", `{"status":"planned"}`), 422, "justification_required"},
	} {
		t.Run(name, func(t *testing.T) {
			before := h.do("pm", http.MethodGet, "/requirements/REQ-001", "").Body
			refused := h.expect(c.status, c.code, c.who, http.MethodPost, "/obligations", c.body).json(t)
			require.NotEmpty(t, refused["detail"])
			require.NotEmpty(t, refused["fix"])
			require.NotContains(t, refused["fix"], "Idempotency-Key", "the caller has sent none")
			require.Equal(t, map[string]any{"status": "not_started", "revision": 1.0}, refused["current"])
			if c.who != "viewer" { // whose runs are not kept
				trace := h.expect(200, "", "viewer", http.MethodGet, "/traces/"+refused["run"].(string), "").json(t)
				require.Equal(t, "failed", trace["outcome"])
				require.Equal(t, c.code, trace["obligations"].([]any)[0].(map[string]any)["refusal"].(map[string]any)["code"])
			}
			require.Equal(t, before, h.do("pm", http.MethodGet, "/requirements/REQ-001", "").Body)
			last := h.records("REQ-001")[0]
			require.Equal(t, "requirement.refused", last.Kind)
			require.Equal(t, audit.Actor{Name: c.who, Role: c.who}, last.Actor)
			require.Contains(t, string(last.Data), c.code)
		})
	}
}

// Verifies: ORC-144
func TestWhatIsNextForARole(t *testing.T) {
	h := newHarness(t)
	const others = "Others have the turn: pm (3: REQ-001, REQ-002, REQ-003)."
	require.Equal(t, "There is nothing to do for the tester now. "+others, h.ask("viewer", "what should the tester do next").Answers[0].Text)
	require.Equal(t, "There is nothing to do for the viewer now. "+others, h.ask("viewer", "what should I do next?").Answers[0].Text)
	require.Equal(t, "REQ-001 is not_started, 8 moves from done. Missing:\n"+
		`- the move to planned: PATCH {"status":"planned"} with its justification, by the pm`+"\n"+
		"- a design_spec: PATCH with design_spec, by the architect\n- an implementation: PATCH with implementation, by the coder\n"+
		"- a test record written since the present test phase began, on reports newer than the implementation: "+
		"POST /requirements/REQ-001/test-report <the report as the test tool wrote it>, or PATCH with test, by the tester\n"+
		"- an approval by PM on the current text, not older than the test record: PATCH with approvals, by the pm", h.ask("viewer", "why is REQ-001 not done?").Answers[0].Text)
	h.patch("pm", move(lifecycle.Planned))
	h.patch("pm", move(lifecycle.DesignInProgress))
	require.Equal(t, "What is next:\n- REQ-001, architect: supply what design_ready needs (lacks a design_spec)", h.ask("architect", "what is next").Answers[0].Text)
	trace := h.conduct("architect", achieving("design_spec", `{"design_spec":{"summary":"a form"}}`))
	require.Equal(t, planning.OutResolved, trace.Status, "%+v", trace.Obligations[0].Runs)
	require.Equal(t, []any{"design_spec"}, trace.Obligations[0].Runs[0].Result["parts"])
	require.Len(t, h.ask("pm", "list the requirements assigned to architect").Answers[0].Result["requirements"], 1)
	h.patch("pm", move(lifecycle.DesignReady))
	h.patch("pm", move(lifecycle.ImplementationInProgress))
	h.patch("coder", `{"implementation":{"summary":"done","files":[{"path":"a.go"}]}}`)
	h.patch("pm", move(lifecycle.Implemented))
	h.patch("pm", move(lifecycle.TestInProgress))
	text := h.ask("coder", "what should the tester do next").Answers[0].Text
	require.True(t, strings.HasPrefix(text, "What is next:\n- REQ-001, tester: supply what tested_pass needs (lacks "), text)
}

// Verifies: ORC-284
func TestAChangeIsMadeOnce(t *testing.T) {
	h := newHarness(t)
	body := strings.TrimSuffix(achieving("status", move(lifecycle.Planned)), "}") + `,"idempotency_key":"once"}`
	first := h.conduct("pm", body)
	again := h.conduct("pm", body)
	require.Equal(t, planning.OutResolved, first.Status)
	require.Equal(t, first, again)
	require.InDelta(t, 2, h.do("pm", http.MethodGet, "/requirements/REQ-001", "").json(t)["revision"], 0)
}

// The key of a run whose change was refused gives that refusal again.
//
// Verifies: ORC-142
func TestARefusedChangeIsRefusedOnce(t *testing.T) {
	h := newHarness(t)
	body := strings.TrimSuffix(achieving("status", move(lifecycle.Done)), "}") + `,"idempotency_key":"once"}`
	first := h.expect(409, "illegal_transition", "pm", http.MethodPost, "/obligations", body).json(t)
	h.patch("pm", move(lifecycle.Planned))
	size := h.Service.State().LogSize
	again := h.expect(409, "illegal_transition", "pm", http.MethodPost, "/obligations", body).json(t)
	require.Equal(t, first["run"], again["run"])
	require.Equal(t, first["current"], again["current"])
	require.Equal(t, size, h.Service.State().LogSize)
}

// Of several obligations each has what became of it, with the problem that its change is refused with.
//
// Verifies: ORC-142
func TestSeveralObligationsHaveTheirRefusals(t *testing.T) {
	h := newHarness(t)
	alone := func(body string) string {
		return strings.TrimSuffix(strings.TrimPrefix(body, `{"obligations":[`), "]}")
	}
	bodies := []string{move(lifecycle.Planned), move(lifecycle.Done), `{"status":"design_in_progress"}`}
	several := ""
	for _, body := range bodies {
		several += "," + alone(achieving("status", body))
	}
	trace := h.expect(200, "", "pm", "POST", "/obligations", `{"obligations":[`+several[1:]+`]}`).json(t)
	require.Equal(t, "failed", trace["outcome"])
	of := func(trace map[string]any, i int) any {
		return trace["obligations"].([]any)[i].(map[string]any)["refusal"]
	}
	require.Nil(t, of(trace, 0))
	kept := h.expect(200, "", "viewer", "GET", "/traces/"+trace["id"].(string), "").json(t)
	for i, status := range map[int]int{1: 409, 2: 422} {
		want := h.expect(status, "", "pm", "PATCH", one, bodies[i]).json(t)
		delete(want, "instance")
		require.Equal(t, want, of(trace, i))
		require.Equal(t, want["type"], of(kept, i).(map[string]any)["type"])
		require.Equal(t, float64(status), of(kept, i).(map[string]any)["status"])
	}
	require.Contains(t, of(trace, 2).(map[string]any)["errors"].([]any)[0], "example")
	require.NotContains(t, of(kept, 2).(map[string]any)["errors"].([]any)[0], "example")
}

// TestARefusedRunIsAnsweredAsAPatchIs: with the examples, too.
//
// Verifies: ORC-142, ORC-284
func TestARefusedRunIsAnsweredAsAPatchIs(t *testing.T) {
	h := newHarness(t)
	testedRequirement(t, h)
	want := h.expect(409, "gate_unmet", "pm", "PATCH", one, move(lifecycle.Done)).json(t)
	got := h.expect(409, "gate_unmet", "pm", "POST", "/obligations", achieving("status", move(lifecycle.Done))).json(t)
	require.Contains(t, want["errors"].([]any)[0], "example")
	for _, of := range []map[string]any{want, got} {
		delete(of, "instance")
		delete(of, "run")
	}
	require.Equal(t, want, got)
}

func TestVerifyingThroughTheConductor(t *testing.T) {
	h := newHarness(t)
	h.conduct("pm", achieving("status", move(lifecycle.Planned)))
	h.expect(http.StatusForbidden, "field_forbidden", "coder", http.MethodPost, "/obligations", achieving("status", move(lifecycle.Blocked)))
	refused := h.expect(http.StatusBadRequest, "invalid_obligations", "coder", http.MethodPost, "/obligations", achieving("implementation", `{"implementation":{"summary":"done"},"branch":"main"}`))
	require.Contains(t, string(refused.Body), "branch", "what the change cannot hold is not left out in silence")
	trace := h.ask("viewer", "verify the log")
	require.Equal(t, planning.OutResolved, trace.Status, "%+v", trace.Obligations[0])
	require.Equal(t, true, trace.Obligations[0].Runs[0].Result["ok"])
	require.Greater(t, trace.Obligations[0].Runs[0].Result["records"], 10.0)
	trace = h.ask("viewer", "verify the evidence of REQ-001")
	require.Equal(t, planning.OutFailed, trace.Status)
	require.Equal(t, "evidence_not_looked_up", string(trace.Obligations[0].Runs[0].Error.Code))
}

func TestEvidenceIsLookedUpAgain(t *testing.T) {
	var c clone
	h := newHarness(t, inRepository(t, &c, map[string]string{"plan.md": "a plan\n", "a.go": "package a\n"}))
	trace := h.ask("viewer", "verify the evidence of REQ-001")
	require.Equal(t, "no_evidence", string(trace.Obligations[0].Runs[0].Error.Code))
	refused := h.expect(422, "evidence_not_found", "pm", http.MethodPost, "/obligations", achieving("status", strings.ReplaceAll(move(lifecycle.Planned), "plan.md", "lost.md")))
	require.Contains(t, string(refused.Body), "lost.md", "it says which")
	for _, to := range []lifecycle.Status{lifecycle.Planned, lifecycle.DesignInProgress} {
		require.Equal(t, planning.OutResolved, h.conduct("pm", achieving("status", move(to))).Status)
	}
	h.patch("architect", `{"design_spec":{"summary":"a form"}}`)
	h.patch("pm", move(lifecycle.DesignReady))
	h.patch("pm", move(lifecycle.ImplementationInProgress))
	trace = h.conduct("coder", achieving("implementation", `{"implementation":{"summary":"done","files":[{"path":"a.go"}]}}`))
	require.Equal(t, planning.OutResolved, trace.Status, "%+v", trace.Obligations[0].Runs)
	require.Equal(t, planning.OutResolved, h.ask("tester", "verify the evidence of REQ-001").Status)

	c.write("a.go", "package b\n", h.Clock.Now())
	c.commit("Rewrite it")
	trace = h.ask("tester", "verify the evidence of REQ-001")
	require.Equal(t, planning.OutFailed, trace.Status)
	require.Contains(t, trace.Obligations[0].Why, "/implementation_evidence/0: a.go has other content")
	require.NotContains(t, h.do("pm", http.MethodGet, "/requirements/REQ-001", "").json(t), "stale", "the look changes nothing")
}

// What a payload says is kept with its digits, and the first answer for a key has them too.
func TestNumbersOfPayloadsKeepTheirDigits(t *testing.T) {
	h := newHarness(t)
	body := func(object string) string {
		return `{"obligations":[{"type":"ACHIEVE","payload":{"kind":"ir.assert","facts":[{"subject":"s","predicate":"p","object":` + object + `}]}}],"idempotency_key":"k"}`
	}
	first := h.expect(200, "", "coder", "POST", "/obligations", body("12345678901234567890"))
	require.Contains(t, string(first.Body), `"object":12345678901234567890`)
	require.Equal(t, string(first.Body), string(h.expect(200, "", "coder", "POST", "/obligations", body("12345678901234567890")).Body))
	h.expect(409, "idempotency_conflict", "coder", "POST", "/obligations", body("12345678901234567891"))
	for filter, want := range map[string]string{"12345678901234567890": `["s"]`, "12345678901234567891": `[]`} {
		found := h.expect(200, "", "coder", "POST", "/obligations", obligation("query.people", `"filters":{"p":`+filter+`}`))
		require.Contains(t, string(found.Body), `"values":`+want)
	}
}

// TestAViewersQuestionsLeaveNothing: the trace is in the answer, and neither the log nor any table has it.
func TestAViewersQuestionsLeaveNothing(t *testing.T) {
	h := newHarness(t)
	h.conduct("coder", `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"1+1"}}]}`)
	size := h.Service.State().LogSize
	body := `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"2+2"}}],"idempotency_key":"k"}`
	first := h.expect(200, "", "viewer", "POST", "/obligations", body).json(t)
	require.Len(t, first["answers"], 1)
	again := h.expect(200, "", "viewer", "POST", "/obligations", body).json(t)
	require.Equal(t, first["id"], again["id"], "the same question to the same tools")
	other := strings.Replace(body, "2+2", "3+3", 1)
	h.expect(200, "", "viewer", "POST", "/obligations", other) // the key was not remembered
	h.ask("viewer", "status of REQ-001; verify the log; what should the pm do next")
	h.expect(422, "missing_capability", "viewer", "POST", "/obligations", `{"obligations":[{"type":"REPORT","payload":{"kind":"query.astronauts"}}]}`)
	h.expect(200, "", "viewer", "POST", "/obligations?plan=true", body)
	h.expect(200, "", "coder", "POST", "/obligations?plan=true", body)
	for _, facts := range []string{
		`{"type":"ACHIEVE","payload":{"kind":"ir.assert","facts":[{"subject":"a","predicate":"b","object":1}]}}`,
		`{"type":"ACHIEVE","payload":{"kind":"status.name","value":"Vera"}}`,
	} {
		require.NotEqual(t, planning.OutResolved, h.conduct("viewer", `{"obligations":[`+facts+`]}`).Status, facts)
	}
	require.Equal(t, size, h.Service.State().LogSize)
	for _, path := range []string{"/traces/", "/obligations/"} {
		gone := h.expect(404, "unknown_run", "viewer", "GET", path+first["id"].(string), "").json(t)
		require.Contains(t, gone["fix"], "viewer's")
	}
	require.Len(t, h.do("viewer", "GET", "/obligations", "").json(t)["runs"], 1)

	h.expect(400, "invalid_obligations", "viewer", "POST", "/obligations", `{"obligations":[]}`)
	require.Equal(t, size+1, h.Service.State().LogSize, "a refusal is on record")
	h.expect(403, "field_forbidden", "viewer", "POST", "/obligations", achieving("status", move(lifecycle.Planned)))
	require.Equal(t, size+2, h.Service.State().LogSize, "and so is that of a change")
}
