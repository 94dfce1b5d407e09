package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

const pathOfClaim = one + "/claim"

func provokeClaims(h *harness) {
	h.addToken("carla", lifecycle.Coder)
	post := func(status int, code, who, body string, headers ...string) {
		h.t.Helper()
		require.NotEmpty(h.t, h.expect(status, code, who, "POST", pathOfClaim, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
	}
	for code, body := range map[string]string{"json_syntax": "{", "json_duplicate_name": `{"for":"1m","for":"2m"}`, "json_trailing_data": "{} {}", "json_empty": " "} {
		post(400, code, "coder", body)
	}
	h.expect(400, "invalid_id", "coder", "POST", "/requirements/REQ%00001/claim", "{}")
	h.expect(400, "invalid_id", "coder", "DELETE", "/requirements/REQ%00001/claim", "")
	h.expect(400, "invalid_parameter", "coder", "DELETE", pathOfClaim+"?field=test&field=test", "")
	post(403, "role_forbidden", "coder", `{"field":"test"}`)
	post(413, "body_too_large", "coder", strings.Repeat(" ", 1<<20+1))
	post(415, "media_type", "coder", "{}", "Content-Type", "text/plain")
	post(415, "content_encoding", "coder", "{}", "Content-Encoding", "gzip")
	post(422, "schema_violation", "coder", `{"until":"noon"}`)
	post(422, "schema_violation", "coder", `[]`)
	post(422, "invalid_claim", "coder", `{"for":"5h"}`)
	post(422, "invalid_claim", "pm", `{}`)
	h.expect(422, "invalid_claim", "pm", "DELETE", pathOfClaim, "")
	post(200, "", "coder", `{"field":"implementation","for":"30m"}`)
	post(409, "claimed", "carla", `{"field":"implementation","for":"30m"}`)
	h.expect(409, "claimed", "carla", "PATCH", one, exampleBody(h.t, "coder_implements"))
	h.addToken("tessa", lifecycle.Tester)
	post(200, "", "tester", `{}`)
	h.expect(409, "claimed", "tessa", "POST", one+"/test-report", junit)
	h.expect(409, "claimed", "carla", "POST", "/obligations", achieving("implementation", exampleBody(h.t, "coder_implements")))
	h.expect(403, "claim_of_another", "carla", "DELETE", pathOfClaim+"?field=implementation", "")
	require.NotEmpty(h.t, h.expect(204, "", "coder", "DELETE", pathOfClaim, "").Header.Get("Audit-Receipt"))
	h.expect(204, "", "coder", "DELETE", pathOfClaim, "")
	ids := "# Many\n"
	for _, id := range []string{"1", "2", "3", "4", "5", "6"} {
		ids += "\n- **REQ-00" + id + "**: It works.\n"
	}
	h.write(ids)
	h.expect(200, "", "pm", "POST", "/project/import", "")
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		h.expect(200, "", "coder", "POST", "/requirements/REQ-00"+id+"/claim", "{}")
	}
	h.expect(409, "too_many_claims", "coder", "POST", "/requirements/REQ-006/claim", "{}")
	h.write("# Few\n\n- **REQ-002**: It works.\n")
	h.expect(200, "", "pm", "POST", "/project/import", "")
	post(409, "retired", "carla", "{}")
}

func TestAClaimKeepsAFieldForAWhile(t *testing.T) {
	h := newHarness(t)
	h.addToken("carla", lifecycle.Coder)
	taken := h.expect(200, "", "coder", "POST", pathOfClaim, `{"for":"10m"}`).json(t)
	require.Equal(t, map[string]any{"name": "coder", "role": "coder"}, taken["by"])
	require.Equal(t, "implementation", taken["field"])
	require.Equal(t, false, taken["renewed"])
	require.Equal(t, true, h.expect(200, "", "coder", "POST", pathOfClaim, `{"for":"1h"}`).json(t)["renewed"])
	h.expect(200, "", "tester", "POST", pathOfClaim, `{}`)
	require.Contains(t, string(h.do("", "GET", "/metrics", "").Body), "orchestrator_claims 2\n", "both are of one requirement")
	h.expect(204, "", "tester", "DELETE", pathOfClaim, "")
	answer := h.expect(409, "claimed", "carla", "PATCH", one, exampleBody(t, "coder_implements"))
	require.Equal(t, "3600", answer.Header.Get("Retry-After"))
	refused := answer.json(t)
	require.Contains(t, refused["fix"], "DELETE /requirements/REQ-001/claim?field=implementation")
	require.Contains(t, refused["detail"], "claimed by coder until ")
	require.Equal(t, true, refused["retryable"])
	h.expect(409, "claimed", "carla", "PATCH", one+"?dry_run=true", exampleBody(t, "coder_implements"))
	h.patch("coder", exampleBody(t, "coder_implements"))
	h.expect(204, "", "pm", "DELETE", pathOfClaim+"?field=implementation", "")
	h.expect(200, "", "carla", "POST", pathOfClaim, `{}`)
	h.Clock.Advance(31 * time.Minute)
	h.expect(200, "", "coder", "POST", pathOfClaim, `{}`)
	kinds := ""
	for _, rec := range h.expect(200, "", "viewer", "GET", one+"/history", "").json(t)["records"].([]any) {
		kinds += rec.(map[string]any)["kind"].(string) + " "
	}
	require.Equal(t, "requirement.claimed requirement.claimed requirement.released requirement.changed requirement.refused requirement.released requirement.claimed requirement.claimed requirement.claimed ", kinds)
}

// All tokens that were minted for one run claim as one.
func TestARunClaimsAsOne(t *testing.T) {
	h := newHarness(t)
	h.mint("agents.a", "coder", "REQ-001")
	h.mintFor("agents.b", "coder", "REQ-001", "run-of-agents.a")
	h.mint("agents.c", "coder", "REQ-001")
	require.Equal(t, "run:run-of-agents.a", h.expect(200, "", "agents.a", "POST", pathOfClaim, `{}`).json(t)["holder"])
	require.Equal(t, true, h.expect(200, "", "agents.b", "POST", pathOfClaim, `{}`).json(t)["renewed"])
	h.expect(409, "claimed", "agents.c", "POST", pathOfClaim, `{}`)
	h.expect(403, "agent_bound", "agents.a", "POST", "/requirements/REQ-002/claim", `{}`)
	h.expect(204, "", "agents.b", "DELETE", pathOfClaim, "")
}
