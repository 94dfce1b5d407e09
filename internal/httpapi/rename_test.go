package httpapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/reqdoc"
)

// Verifies: ORC-175, ORC-176

const pathOfRenames = "/project/renames"

// pairOf is a request that confirms a renaming.
func pairOf(from, to string) string {
	return `{"renames":[{"from":"` + from + `","to":"` + to + `"}],"reason":"by chapter"}`
}

func provokeRenames(h *harness) {
	post := func(status int, code, who, body string, headers ...string) {
		h.t.Helper()
		require.NotEmpty(h.t, h.expect(status, code, who, "POST", pathOfRenames, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
	}
	pair := pairOf("REQ-001", "LOGIN-1")
	for code, body := range map[string]string{"json_syntax": "{", "json_duplicate_name": `{"reason":"a","reason":"b"}`, "json_trailing_data": "{} {}", "json_empty": " "} {
		post(400, code, "pm", body)
	}
	post(400, "invalid_idempotency_key", "pm", pair, "Idempotency-Key", "a b")
	post(403, "role_forbidden", "coder", pair)
	post(403, "role_forbidden", "viewer", "[]")
	post(409, "rename_source_in_use", "pm", pair)
	post(413, "body_too_large", "pm", strings.Repeat(" ", 1<<20+1))
	post(415, "media_type", "pm", pair, "Content-Type", "text/plain")
	post(415, "content_encoding", "pm", pair, "Content-Encoding", "gzip")
	post(422, "schema_violation", "pm", `{"renames":[],"reason":"x","by":"me"}`)
	post(422, "schema_violation", "pm", `[]`)
	post(422, "rename_invalid", "pm", `{"reason":"x"}`)
	post(422, "rename_invalid", "pm", `{"qualify":"by hand","reason":"x"}`)
	post(422, "reason_required", "pm", `{"qualify":"folder"}`)
	post(422, "reason_too_long", "pm", `{"qualify":"folder","reason":"`+strings.Repeat("x", 1001)+`"}`)
	post(422, "secret_in_text", "pm", `{"qualify":"folder","reason":"`+awsKey+`"}`)
	refused := h.expect(422, "secret_in_text", "pm", "POST", pathOfRenames, pairOf("REQ-001 ", awsKey))
	require.NotContains(h.t, string(refused.Body), awsKey)
	h.patch("pm", `{"pm_notes":[{"text":"n"}]}`)
	h.write(strings.Replace(sample, "REQ-001", "LOGIN-1", 1))
	h.expect(200, "", "pm", "POST", "/project/import", "")
	post(409, "rename_target_undefined", "pm", pairOf("REQ-001", "LOGIN-2"))
	h.expect(200, "", "pm", "PATCH", "/requirements/REQ-002", `{"pm_notes":[{"text":"n"}]}`)
	post(409, "rename_target_used", "pm", pairOf("REQ-001", "REQ-002"))
	dry := h.expect(200, "", "pm", "POST", pathOfRenames+"?dry_run=true", pair)
	require.Equal(h.t, "true", dry.Header.Get("Dry-Run"))
	post(200, "", "pm", pair, "Idempotency-Key", "k")
	require.Equal(h.t, "true", h.expect(200, "", "pm", "POST", pathOfRenames, pair, "Idempotency-Key", "k").Header.Get("Idempotent-Replay"))
	post(422, "idempotency_key_reused", "pm", pairOf("REQ-002", "X-1"), "Idempotency-Key", "k")
}

// provokeClashingForm asks for a form in which two requirements would have one id.
func provokeClashingForm(h *harness) {
	for _, folder := range []string{"a", "b"} {
		h.specs = append(h.specs, reqdoc.File{Path: "specs/" + folder + "/spec.md",
			Content: []byte("# Feature Specification: F\n\n- **FR-001**: One.\n")})
	}
	h.expect(200, "", "pm", "POST", "/project/import", "")
	h.expect(409, "rename_form_invalid", "pm", "POST", pathOfRenames, `{"qualify":"none","reason":"x"}`)
}

// TestARenamedIDSaysWhereToGo: at every path that has it.
func TestARenamedIDSaysWhereToGo(t *testing.T) {
	h := newHarness(t)
	h.patch("pm", `{"pm_notes":[{"text":"n"}]}`)
	h.write(strings.Replace(sample, "REQ-001", "LOGIN-1", 1))
	h.expect(200, "", "pm", "POST", "/project/import", "")
	h.expect(200, "", "pm", "POST", pathOfRenames, pairOf("REQ-001", "LOGIN-1"))
	for _, request := range [][3]string{
		{"pm", "GET", one}, {"pm", "GET", one + "/next"}, {"pm", "GET", one + "/history"}, {"pm", "GET", one + "/review"},
		{"pm", "PATCH", one}, {"tester", "POST", one + "/test-report"}, {"coder", "POST", one + "/claim"}, {"coder", "DELETE", one + "/claim"},
	} {
		body := map[string]string{"PATCH": `{"pm_notes":[{"text":"n"}]}`, "POST": "{}"}[request[1]]
		if strings.HasSuffix(request[2], "test-report") {
			body = junit
		}
		refused := h.expect(404, "unknown_requirement", request[0], request[1], request[2], body)
		require.Equal(t, "LOGIN-1", refused.json(t)["renamed_to"], "%v", request)
		require.Equal(t, "use its present id, LOGIN-1: /requirements/LOGIN-1", refused.json(t)["fix"])
	}
	former := h.expect(200, "", "pm", "GET", "/requirements/LOGIN-1", "").json(t)["former_ids"].([]any)
	require.Equal(t, "REQ-001", former[0].(map[string]any)["id"])
	changed := h.expect(200, "", "pm", "PATCH", "/requirements/LOGIN-1", `{"pm_notes":[{"text":"n"}]}`).json(t)
	require.Equal(t, former, changed["former_ids"])
	found := h.expect(200, "", "pm", "GET", "/audit?requirement=LOGIN-1", "").json(t)["records"].([]any)
	require.Equal(t, "REQ-001", found[0].(map[string]any)["subject"])
}

// What was answered under an id is answered so again after it was renamed: a 404 would say that it was not applied.
func TestAnOldAnswerIsGivenAgainUnderTheOldID(t *testing.T) {
	h := newHarness(t)
	const note = `{"pm_notes":[{"text":"n"}]}`
	key := []string{"Idempotency-Key", "k"}
	first := h.expect(200, "", "pm", "PATCH", one, note, key...)
	h.write(strings.Replace(sample, "REQ-001", "LOGIN-1", 1))
	h.expect(200, "", "pm", "POST", "/project/import", "")
	h.expect(200, "", "pm", "POST", pathOfRenames, pairOf("REQ-001", "LOGIN-1"))
	again := h.expect(200, "", "pm", "PATCH", one, note, key...)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replay"))
	require.Equal(t, first.json(t)["id"], again.json(t)["id"])
	require.Equal(t, first.Header.Get("ETag"), again.Header.Get("ETag"))
	h.expect(404, "unknown_requirement", "pm", "PATCH", one, note, "Idempotency-Key", "another")
	h.expect(404, "unknown_requirement", "pm", "PATCH", one+"?dry_run=true", note, key...)
}
