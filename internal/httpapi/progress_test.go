package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-326
// Verifies: ORC-328
func TestProgressIsTold(t *testing.T) {
	const path = "/project/progress"
	h := newHarness(t)
	empty := h.expect(200, "", "viewer", http.MethodGet, path, "")
	h.expect(403, "field_forbidden", "coder", http.MethodPatch, one, exampleBody(t, "pm_moves"))
	h.expect(200, "", "pm", http.MethodPatch, one, exampleBody(t, "pm_moves"))
	h.expect(200, "", "pm", http.MethodPatch, "/requirements/REQ-002",
		`{"status":"blocked","justification":{"reason":"the licence is open",`+
			`"evidence":[{"kind":"file","path":"REQUIREMENTS.md"}]}}`)
	told := h.expect(200, "", "viewer", http.MethodGet, path, "", "If-None-Match", empty.Header.Get("ETag"))
	h.expect(304, "", "viewer", http.MethodGet, path, "", "If-None-Match", told.Header.Get("ETag"))
	h.expect(400, "unknown_parameter", "viewer", http.MethodGet, path+"?days=3", "")
	h.expect(401, "", "", http.MethodGet, path, "")

	p := told.json(t)
	days := p["days"].([]any)
	require.Len(t, days, 1)
	require.Equal(t, 0.0, days[0].(map[string]any)["done"])
	status := map[string]map[string]any{}
	for _, s := range p["in_status"].([]any) {
		status[s.(map[string]any)["status"].(string)] = s.(map[string]any)
	}
	require.Len(t, status, 13)
	require.Equal(t, 1.0, status["planned"]["now"])
	require.Equal(t, 2.0, status["not_started"]["stays"])
	require.NotContains(t, status["planned"], "median_seconds")
	refusals := p["refusals"].([]any)
	require.Len(t, refusals, 1)
	require.Equal(t, "coder", refusals[0].(map[string]any)["name"])
	stuck := p["stuck"].([]any)
	require.Len(t, stuck, 1)
	require.Equal(t, "the licence is open", stuck[0].(map[string]any)["why"])
	require.Equal(t, "pm", stuck[0].(map[string]any)["by"])
	require.Equal(t, 1.0, p["stuck_total"])
}
