package httpapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

const pathOfWorkflow = "/workflow"

func workflowTo(name, reason string) string {
	return `{"workflow":"` + name + `","reason":"` + reason + `"}`
}

func provokeWorkflow(h *harness) {
	put := func(status int, code, who, body string, headers ...string) {
		h.t.Helper()
		require.NotEmpty(h.t, h.expect(status, code, who, "PUT", pathOfWorkflow, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
	}
	for code, body := range map[string]string{"json_syntax": "{", "json_duplicate_name": `{"reason":"a","reason":"b"}`, "json_trailing_data": "{} {}", "json_empty": " "} {
		put(400, code, "pm", body)
	}
	put(403, "role_forbidden", "coder", workflowTo("rework", "x"))
	put(403, "role_forbidden", "viewer", "[]")
	put(413, "body_too_large", "pm", strings.Repeat(" ", 1<<20+1))
	put(415, "media_type", "pm", workflowTo("rework", "x"), "Content-Type", "text/plain")
	put(415, "content_encoding", "pm", workflowTo("rework", "x"), "Content-Encoding", "gzip")
	put(422, "schema_violation", "pm", `{"workflow":"rework","reason":"x","by":"me"}`)
	put(422, "schema_violation", "pm", `[]`)
	put(422, "unknown_workflow", "pm", workflowTo("agile", "x"))
	put(422, "unknown_workflow", "pm", `{"reason":"x"}`)
	put(422, "reason_required", "pm", workflowTo("rework", " "))
	put(422, "reason_too_long", "pm", workflowTo("rework", strings.Repeat("x", 1001)))
	put(422, "secret_in_text", "pm", workflowTo("rework", awsKey))
	put(200, "", "pm", workflowTo("rework", "work must return"))
	h.patch("pm", move(lifecycle.Blocked))
	put(409, "workflow_would_strand", "pm", workflowTo("v1", "as it was"))
}

// Verifies: ORC-017
func TestTheWorkflowIsSwitched(t *testing.T) {
	h := newHarness(t)
	h.patch("pm", move(lifecycle.Blocked))
	stuck := h.expect(409, "illegal_transition", "pm", "PATCH", one, move(lifecycle.NotStarted))
	require.Contains(t, stuck.json(t)["fix"], "PUT /workflow")
	switched := h.expect(200, "", "pm", "PUT", pathOfWorkflow, workflowTo("rework", "it must return"))
	require.Equal(t, map[string]any{"workflow": "rework", "from": "v1", "unchanged": false, "dead_ends": []any{}}, switched.json(t))
	require.Equal(t, "written", switched.Header.Get("Export-Status"))
	h.patch("pm", move(lifecycle.NotStarted))
	same := h.expect(200, "", "pm", "PUT", pathOfWorkflow, workflowTo("rework", "again"))
	require.Equal(t, true, same.json(t)["unchanged"])
	require.Empty(t, same.Header.Get("Audit-Receipt"))
	require.Equal(t, "rework", h.expect(200, "", "viewer", "GET", pathOfWorkflow, "").json(t)["name"])
	back := h.expect(200, "", "pm", "PUT", pathOfWorkflow, workflowTo("v1", "nothing is stuck"))
	require.Len(t, back.json(t)["dead_ends"], 4)
}
