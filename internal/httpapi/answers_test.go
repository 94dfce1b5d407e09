package httpapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// exampleBody is a change that the document shows.
func exampleBody(t *testing.T, name string) string {
	t.Helper()
	example := theContract().under("paths", "/requirements/{id}", "patch", "requestBody", "content", "application/json", "examples", name)
	require.NotNil(t, example.node, name)
	body, err := json.Marshal(example.node["value"])
	require.NoError(t, err)
	return string(body)
}

// requireExample holds a problem against the one that the document shows for it, but for the request id.
func requireExample(t *testing.T, r response, status, name string) {
	t.Helper()
	example := theContract().under("paths", "/requirements/{id}", "patch", "responses", status, "content", "application/problem+json", "examples", name)
	want, got := numbers(t, example.node["value"]).(map[string]any), numbers(t, r.json(t)).(map[string]any)
	delete(want, "instance")
	delete(got, "instance")
	require.Equal(t, want, got)
}

// testedRequirement drives REQ-001 from not_started to tested_pass with the changes that the document shows.
func testedRequirement(t *testing.T, h *harness) {
	t.Helper()
	h.patch("pm", exampleBody(t, "pm_moves"))
	h.patch("pm", move(lifecycle.DesignInProgress))
	h.patch("architect", exampleBody(t, "architect_designs"))
	h.patch("pm", move(lifecycle.DesignReady))
	h.patch("pm", move(lifecycle.ImplementationInProgress))
	h.patch("coder", exampleBody(t, "coder_implements"))
	h.patch("pm", move(lifecycle.Implemented))
	h.patch("pm", move(lifecycle.TestInProgress))
	h.patch("tester", exampleBody(t, "tester_passes"))
}

func TestTheDocumentedChangesLeadToDone(t *testing.T) {
	h := newHarness(t)
	testedRequirement(t, h)
	h.patch("pm", exampleBody(t, "pm_records_a_deviation"))
	lacking := h.do("pm", http.MethodPatch, "/requirements/REQ-001", move(lifecycle.Done))
	requireExample(t, lacking, "409", "gate_unmet")
	h.patch("pm", exampleBody(t, "pm_resolves_a_deviation"))
	done := h.patch("pm", exampleBody(t, "pm_signs_off"))
	require.Equal(t, "done", done.json(t)["status"])
	require.Equal(t, `"13"`, done.Header.Get("ETag"))
	require.Equal(t, "written", done.Header.Get("Export-Status"))

	read := h.do("viewer", http.MethodGet, "/requirements/REQ-001", "")
	answered, stored := done.json(t), read.json(t)
	require.Empty(t, answered["waiting_for"])
	require.Empty(t, answered["next"])
	delete(answered, "waiting_for")
	delete(answered, "next")
	delete(stored, "history")
	require.Equal(t, stored, answered)
	exported, err := os.ReadFile(h.Export)
	require.NoError(t, err)
	require.Equal(t, string(exported), string(h.do("viewer", http.MethodGet, "/project", "").Body))
	require.EqualValues(t, 13, h.do("viewer", http.MethodGet, "/requirements/REQ-001/history", "").json(t)["total"])
}

func TestTheDocumentedProblemsAreAnswered(t *testing.T) {
	h := newHarness(t)
	patch := func(who, body string) response { return h.do(who, http.MethodPatch, "/requirements/REQ-001", body) }
	requireExample(t, patch("coder", `{"implementation":{"summary":"x"},"status":"done"}`), "403", "field_forbidden")
	requireExample(t, patch("pm", move(lifecycle.Done)), "409", "illegal_transition")
	requireExample(t, patch("pm", `{"status":"planned"}`), "422", "justification_required")
	requireExample(t, patch("pm", `{"status":"planned","status":"done"}`), "400", "json_duplicate_name")
}

// Verifies: ORC-030
func TestListFiltersAndPages(t *testing.T) {
	h := newHarness(t)
	h.patch("pm", exampleBody(t, "pm_moves"))
	ids := func(query string) (ids []string) {
		for next := any("/requirements" + query); next != nil; {
			page := h.do("viewer", http.MethodGet, next.(string), "").json(t)
			for _, r := range page["requirements"].([]any) {
				ids = append(ids, r.(map[string]any)["id"].(string))
			}
			next = page["next"]
		}
		return ids
	}
	for query, want := range map[string][]string{
		"":                              {"REQ-001", "REQ-002", "REQ-003"},
		"?limit=1":                      {"REQ-001", "REQ-002", "REQ-003"},
		"?limit=2":                      {"REQ-001", "REQ-002", "REQ-003"},
		"?limit=1&status=not_started":   {"REQ-002", "REQ-003"},
		"?status=planned":               {"REQ-001"},
		"?role=pm&limit=1":              {"REQ-001", "REQ-002", "REQ-003"},
		"?role=coder":                   nil,
		"?q=LOG&limit=1":                {"REQ-001", "REQ-002"},
		"?q=can+delete":                 {"REQ-003"},
		"?suspect=true":                 nil,
		"?suspect=false&retired=false":  {"REQ-001", "REQ-002", "REQ-003"},
		"?after=REQ-002":                {"REQ-003"},
		"?status=done&q=nothing+at+all": nil,
	} {
		require.Equal(t, want, ids(query), query)
	}
}

func TestLogPages(t *testing.T) {
	h := newHarness(t)
	for range 3 {
		h.patch("pm", `{"pm_notes":[{"text":"again"}]}`)
	}
	for path, want := range map[string]int{"/audit?limit=1": 8, "/audit?from=3": 5, "/audit?from=99": 0, "/requirements/REQ-001/history?limit=1": 3, "/requirements/REQ-002/history": 0} {
		records := 0
		for next := any(path); next != nil; {
			page := h.do("viewer", http.MethodGet, next.(string), "").json(t)
			records += len(page["records"].([]any))
			next = page["next"]
		}
		require.Equal(t, want, records, path)
	}
}

func TestADryRunReportsFaultsOfDocuments(t *testing.T) {
	h := newHarness(t)
	before := h.Ledger.Head()
	h.write("# Sample\n\n- **REQ-001**: one\n- **REQ-001**: two\n")
	report := h.do("pm", http.MethodPost, "/project/import?dry_run=true", "")
	require.Equal(t, http.StatusOK, report.Status)
	require.Equal(t, true, report.json(t)["dry_run"])
	found := report.json(t)["errors"].([]any)
	require.Len(t, found, 1)
	require.Equal(t, 4.0, found[0].(map[string]any)["line"])
	require.Equal(t, before, h.Ledger.Head(), "nothing is on record")
	h.expect(http.StatusUnprocessableEntity, "document_invalid", "pm", http.MethodPost, "/project/import", "")
	h.expect(http.StatusForbidden, "role_forbidden", "coder", http.MethodPost, "/project/import?dry_run=true", "")
}

func TestImportReportsDrift(t *testing.T) {
	h := newHarness(t)
	h.patch("pm", exampleBody(t, "pm_moves"))
	h.write("# Sample\n\n## REQ-001: Log in with a passkey\n\nOther text.\n\n## REQ-002: Log out\n\nA user can log out.\n\n## REQ-004: New\n\nNew text.\n")
	dry := h.do("pm", http.MethodPost, "/project/import?dry_run=true", "").json(t)
	require.Equal(t, true, dry["dry_run"])
	report := h.do("pm", http.MethodPost, "/project/import", "").json(t)
	one := func(member string) map[string]any {
		list := report[member].([]any)
		require.Len(t, list, 1, member)
		return list[0].(map[string]any)
	}
	require.Equal(t, map[string]any{"id": "REQ-004", "title": "New", "path": "REQUIREMENTS.md", "line": 11.0}, one("added"))
	require.Equal(t, "REQ-001", one("changed")["id"])
	require.Equal(t, true, one("changed")["suspect"])
	require.Contains(t, one("changed")["diff"], map[string]any{"op": "insert", "text": "passkey"})
	require.Equal(t, map[string]any{"id": "REQ-003", "title": "Delete an account", "status": "not_started", "strands": []any{}}, one("retired"))
	require.Equal(t, map[string]any{"id": "REQ-002", "path": "REQUIREMENTS.md", "line": 7.0, "from": map[string]any{"path": "REQUIREMENTS.md", "line": 11.0}}, one("moved"))
	require.Equal(t, "Sample", one("documents")["title"])
	require.Equal(t, "REQ-001", report["next"].(map[string]any)["id"])
	require.Contains(t, report["waiting_for"], map[string]any{"for": "pm", "count": 3.0, "oldest": "2026-01-02T03:04:05Z",
		"first": []any{"REQ-001", "REQ-002", "REQ-004"}})
	for member := range report {
		if member != "dry_run" && member != "next" && member != "waiting_for" {
			require.Equal(t, report[member], dry[member], member)
		}
	}
	fingerprint := h.do("pm", http.MethodGet, "/requirements/REQ-001/next", "").json(t)["fingerprint"].(string)
	accepted := h.patch("pm", `{"accept_fingerprint":"`+fingerprint+`","pm_notes":[{"text":"only the wording"}]}`)
	require.Equal(t, false, accepted.json(t)["suspect"])
}

func TestABrokenImportIsShownUntilItIsMended(t *testing.T) {
	h := newHarness(t)
	review := func() map[string]any { return h.do("viewer", http.MethodGet, "/project/review", "").json(t) }
	findings := func() map[string]any { return review()["findings"].(map[string]any) }
	imported := func(status int) { h.expect(status, "", "pm", http.MethodPost, "/project/import", "") }
	good := map[string]any{"ok": true}
	require.Equal(t, good, findings()["import"])
	require.Empty(t, findings()["drift"])
	h.patch("pm", exampleBody(t, "pm_moves"))
	h.patch("pm", exampleBody(t, "pm_records_a_deviation"))

	h.write(sample + "\n## REQ-001: Another\n\nText.\n")
	h.expect(200, "", "pm", http.MethodPost, "/project/import?dry_run=true", "")
	require.Equal(t, good, findings()["import"], "a dry run is a question")
	require.Equal(t, []any{map[string]any{"path": "REQUIREMENTS.md", "detail": "it differs from what was imported"}}, findings()["drift"])
	imported(422)
	problem := findings()["import"].(map[string]any)["problem"].(map[string]any)
	require.Equal(t, "document_invalid", problem["code"])
	first := problem["errors"].([]any)[0].(map[string]any)
	require.Equal(t, "REQUIREMENTS.md", first["path"])
	require.EqualValues(t, 19, first["line"])
	ready := string(h.expect(200, "", "", http.MethodGet, "/readyz?verbose", "").Body)
	require.Contains(t, ready, `"name":"import","status":"warning","detail":"`)
	require.Contains(t, ready, "REQUIREMENTS.md:19: ")

	require.NoError(t, os.Remove(h.Document))
	imported(409)
	require.Equal(t, "requirements_unreadable", findings()["import"].(map[string]any)["problem"].(map[string]any)["code"])
	require.NotContains(t, string(h.do("", http.MethodGet, "/readyz?verbose", "").Body), h.Document, "causes stay in the log")

	h.write("# Sample\n\n## REQ-002: Log out\n\nA user can log out.\n")
	imported(200)
	h.expect(200, "", "", http.MethodGet, "/readyz", "")
	require.Equal(t, good, findings()["import"])
	require.Equal(t, []any{map[string]any{"id": "REQ-001", "status": "planned", "strands": []any{"status", "deviations"}}}, findings()["retired_with_work"])
	require.Equal(t, "REQ-001", findings()["deviations"].([]any)[0].(map[string]any)["requirement"])
	require.EqualValues(t, 0, review()["counts"].(map[string]any)["suspect"])
	h.write(strings.Replace(sample, "password", "passkey", 1))
	imported(200)
	require.EqualValues(t, 1, review()["counts"].(map[string]any)["suspect"])
}

// Verifies: ORC-030
func TestWorkflowIsDocumentedGateByGate(t *testing.T) {
	for _, w := range []lifecycle.Workflow{lifecycle.V1, lifecycle.Rework} {
		h := newHarness(t, func(o *options) { o.Workflow = w })
		var documented, there []string
		for _, gate := range theContract().under("components", "schemas", "GateName").node["enum"].([]any) {
			documented = append(documented, gate.(string))
		}
		for _, gate := range h.do("viewer", http.MethodGet, "/workflow", "").json(t)["gates"].([]any) {
			there = append(there, gate.(map[string]any)["name"].(string))
		}
		slices.Sort(documented)
		slices.Sort(there)
		require.Equal(t, slices.Compact(there), documented)
	}
}
