package httpapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

const (
	pathOfMode         = "/boundary/mode"
	pathOfAttestations = "/boundary/attestations"
)

// judged adds a call to the journal as the hook would, with the verdict that the policy gives it.
func (h *harness) judged(id string, actor boundary.ActorKind, tool, file string) {
	h.t.Helper()
	l := folder.Line{
		ID: id, At: h.Clock.Now(), Kind: folder.KindDecision, Client: "claude", Session: "s1", Tool: tool, Actor: &boundary.Actor{Kind: actor},
		Mode: boundary.Validate, Named: []boundary.Target{{Path: file}}, ToolUseID: "use-" + id, Micros: 640,
	}
	p, err := h.Project.Policy()
	require.NoError(h.t, err)
	v := boundary.Judge(&p, l.Call())
	v.Steps, v.Targets, v.Fix = nil, nil, "" // as the hook leaves them out
	l.Verdict = &v
	require.NoError(h.t, h.Project.Append(l))
}

func (h *harness) policyFile() string { return filepath.Join(h.Project.Path(), "policy.json") }

func attesting(item, note string) string { return fmt.Sprintf(`{"item":%q,"note":%q}`, item, note) }

func mode(to, reason string) string { return fmt.Sprintf(`{"mode":%q,"reason":%q}`, to, reason) }

func provokeBoundary(t *testing.T, all *seen) {
	h := newHarness(t, into(all))
	h.judged("1000000000000000", boundary.Main, "Edit", "main.go")
	h.judged("2000000000000000", boundary.Agent, "Edit", "main.go")
	for _, path := range []string{"/boundary/report?since=2026-01-01T00:00:00Z", "/boundary/readiness", "/boundary/decisions"} {
		h.expect(200, "", "viewer", "GET", path, "")
		h.expect(200, "", "viewer", "HEAD", path, "")
	}
	h.expect(400, "invalid_parameter", "viewer", "GET", "/boundary/report?since=yesterday", "")
	h.expect(400, "invalid_parameter", "viewer", "GET", "/boundary/decisions?from=-1", "")
	h.expect(400, "invalid_parameter", "viewer", "GET", "/boundary/decisions?violations=yes", "")
	h.expect(200, "", "pm", "PUT", pathOfMode, mode("off", "a pause"))
	provokeModeRefused(h)
	h.expect(200, "", "pm", "POST", pathOfAttestations, attesting("team", "all were briefed"))
	provokeAttestationRefused(h)

	policy, err := os.ReadFile(h.policyFile())
	require.NoError(t, err)
	for damage, pointer := range map[string]string{`{`: "", `{"schema_version":1,"mode":"on"}`: "/mode", `{"schema_version":1,"mode":"off","agents":null}`: "/agents"} {
		require.NoError(t, os.WriteFile(h.policyFile(), []byte(damage), 0o600))
		for _, path := range []string{"/boundary/report", "/boundary/readiness", "/boundary/decisions"} {
			wrong := h.expect(409, "policy_unreadable", "viewer", "GET", path, "").json(t)
			require.Equal(t, pointer, wrong["errors"].([]any)[0].(map[string]any)["pointer"])
			require.NotContains(t, wrong["detail"], h.Project.Root, "folders of the machine are nobody's business")
		}
		h.expect(409, "policy_unreadable", "pm", "PUT", pathOfMode, mode("enforce", "x"))
		h.expect(409, "policy_unreadable", "pm", "POST", pathOfAttestations, attesting("team", "x"))
	}
	require.NoError(t, os.Remove(h.policyFile()))
	for _, path := range []string{"/boundary/report", "/boundary/readiness", "/boundary/decisions"} {
		h.expect(404, "no_boundary", "viewer", "GET", path, "")
	}
	h.expect(404, "no_boundary", "pm", "PUT", pathOfMode, mode("enforce", "x"))
	h.expect(404, "no_boundary", "pm", "POST", pathOfAttestations, attesting("team", "x"))

	require.NoError(t, os.WriteFile(h.policyFile(), policy, 0o600))
	journal := filepath.Join(h.Project.Path(), "journal")
	require.NoError(t, os.RemoveAll(journal))
	require.NoError(t, os.WriteFile(journal, nil, 0o600)) // no folder: it can be neither read nor written, by root neither
	for _, path := range []string{"/boundary/report", "/boundary/readiness", "/boundary/decisions"} {
		h.expect(503, "journal_unreadable", "viewer", "GET", path, "")
	}
	h.expect(503, "journal_unreadable", "pm", "PUT", pathOfMode, mode("enforce", "x"))
	h.expect(503, "boundary_unwritable", "pm", "PUT", pathOfMode, mode("validate", "x"))
	h.expect(503, "boundary_unwritable", "pm", "POST", pathOfAttestations, attesting("team", "x"))
}

func provokeAttestationRefused(h *harness) {
	post := func(status int, code, who, body string, headers ...string) {
		h.t.Helper()
		require.NotEmpty(h.t, h.expect(status, code, who, "POST", pathOfAttestations, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
	}
	for code, body := range map[string]string{"json_syntax": "{", "json_duplicate_name": `{"item":"team","item":"feedback"}`, "json_trailing_data": "{} {}", "json_empty": " "} {
		post(400, code, "pm", body)
	}
	post(403, "role_forbidden", "coder", attesting("team", "x"))
	post(413, "body_too_large", "pm", strings.Repeat(" ", 1<<20+1))
	post(415, "media_type", "pm", attesting("team", "x"), "Content-Type", "text/plain")
	post(415, "content_encoding", "pm", attesting("team", "x"), "Content-Encoding", "gzip")
	post(422, "schema_violation", "pm", `{"item":"team","note":"x","Item":"feedback"}`)
	post(422, "schema_violation", "pm", `{"item":"team","note":"x","revoke":"yes"}`)
	post(422, "unknown_attestation", "pm", attesting("Team", "x"))
	post(422, "reason_required", "pm", `{"item":"team"}`)
	post(422, "reason_required", "pm", attesting("team", " \t"))
	post(422, "reason_too_long", "pm", attesting("team", strings.Repeat("x", 1001)))
	post(422, "secret_in_text", "pm", attesting("team", "the key is "+awsKey))
}

// Verifies: ORC-217
func TestAnAttestationIsOnRecord(t *testing.T) {
	h := newHarness(t)
	team := func() map[string]any {
		for _, c := range h.expect(200, "", "viewer", "GET", "/boundary/readiness", "").json(t)["checks"].([]any) {
			if c := c.(map[string]any); c["name"] == "team briefed" {
				return c
			}
		}
		return nil
	}
	require.Equal(t, false, team()["passed"])
	said := h.expect(200, "", "pm", "POST", pathOfAttestations, attesting("team", "all were briefed")).json(t)
	require.Equal(t, map[string]any{"item": "team", "at": "2026-01-02T03:04:05Z", "by": "pm", "note": "all were briefed", "revoked": false}, said)
	record := h.do("viewer", "GET", fmt.Sprintf("/audit/records/%d", h.Ledger.Head().Size-1), "").json(t)
	lines := record["data"].(map[string]any)["lines"].([]any)
	line := lines[len(lines)-1].(map[string]any)
	require.Equal(t, []any{"attestation", "team", "pm", "all were briefed"}, []any{line["kind"], line["what"], line["by"], line["reason"]})
	require.Equal(t, true, team()["passed"])
	h.expect(200, "", "pm", "POST", pathOfAttestations, `{"item":"team","note":"two are new","revoke":true}`)
	require.Equal(t, false, team()["passed"])
	require.Contains(t, team()["value"], "revoked on 2026-01-02 by pm: two are new")
}

// Verifies: ORC-215
func TestReviewsAreAnsweredAndCounted(t *testing.T) {
	h := newHarness(t)
	due := func(n string) {
		t.Helper()
		require.Contains(t, string(h.do("", "GET", "/metrics", "").Body), "orchestrator_boundary_reviews_due "+n+"\n")
	}
	reviews := func(path string) []any {
		return h.expect(200, "", "viewer", "GET", path, "").json(t)["reviews"].([]any)
	}
	require.Empty(t, reviews("/boundary/report"))
	h.expect(200, "", "pm", "PUT", pathOfMode, `{"mode":"enforce","reason":"the release is frozen","override":"until it is out"}`)
	for _, path := range []string{"/boundary/report", "/boundary/readiness"} {
		all := reviews(path)
		require.Len(t, all, 5, path)
		first := all[0].(map[string]any)
		require.Equal(t, []any{"48h", "2026-01-04T03:04:05Z", "coming"}, []any{first["name"], first["at"], first["state"]})
	}
	due("0")
	h.Clock.Advance(8 * 24 * time.Hour)
	due("2")
	require.Equal(t, "due", reviews("/boundary/readiness")[1].(map[string]any)["state"])
	enforced := h.expect(200, "", "viewer", "GET", "/boundary/readiness", "").json(t)
	require.Equal(t, []any{"enforce", "2026-01-02T03:04:05Z", "pm", "the release is frozen"},
		[]any{enforced["mode"], enforced["since"], enforced["by"], enforced["reason"]})
	h.expect(200, "", "pm", "PUT", pathOfMode, mode("validate", "it was too strict"))
	due("0")
	recovery := h.expect(200, "", "viewer", "GET", "/boundary/readiness", "").json(t)["figures"].(map[string]any)["recovery"].(map[string]any)
	require.Equal(t, "it was too strict", recovery["reason"])
}

func provokeModeRefused(h *harness) {
	put := func(status int, code, who, body string, headers ...string) {
		h.t.Helper()
		require.NotEmpty(h.t, h.expect(status, code, who, "PUT", pathOfMode, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
	}
	for code, body := range map[string]string{"json_syntax": "{", "json_duplicate_name": `{"mode":"off","mode":"enforce"}`, "json_trailing_data": "{} {}", "json_empty": " "} {
		put(400, code, "pm", body)
	}
	put(403, "role_forbidden", "coder", mode("off", "x"))
	put(409, "boundary_not_ready", "pm", mode("enforce", "x"))
	put(413, "body_too_large", "pm", strings.Repeat(" ", 1<<20+1))
	put(415, "media_type", "pm", mode("off", "x"), "Content-Type", "text/plain")
	put(415, "content_encoding", "pm", mode("off", "x"), "Content-Encoding", "gzip")
	put(422, "schema_violation", "pm", `{"mode":"off","reason":"x","Mode":"enforce"}`)
	put(422, "schema_violation", "pm", `[]`)
	put(422, "unknown_mode", "pm", mode("Enforce", "x"))
	put(422, "unknown_mode", "pm", `{"reason":"x"}`)
	put(422, "reason_required", "pm", `{"mode":"validate"}`)
	put(422, "reason_required", "pm", mode("validate", " \t"))
	put(422, "reason_too_long", "pm", mode("validate", strings.Repeat("x", 1001)))
	put(422, "reason_too_long", "pm", fmt.Sprintf(`{"mode":"enforce","reason":"x","override":%q}`, strings.Repeat("x", 1001)))
	put(422, "secret_in_text", "pm", mode("validate", "the key is "+awsKey))
}

func TestAModeIsSwitchedOnRecord(t *testing.T) {
	h := newHarness(t)
	require.Equal(t, map[string]any{"mode": "validate", "from": "validate"}, h.expect(200, "", "pm", "PUT", pathOfMode, mode("validate", "again")).json(t))
	h.Clock.Advance(time.Hour)
	before := h.Ledger.Head().Size
	require.Equal(t, map[string]any{"mode": "validate", "from": "validate"}, h.expect(200, "", "pm", "PUT", pathOfMode, mode("validate", "again")).json(t))
	require.Equal(t, before, h.Ledger.Head().Size, "nothing was switched, and nothing is recorded")

	control := strings.Repeat(`\u0001`, 1000) // the longest that a reason takes in the journal
	h.expect(200, "", "pm", "PUT", pathOfMode, `{"mode":"off","reason":"`+control+`","override":"`+control+`"}`)
	h.expect(200, "", "pm", "PUT", pathOfMode, mode("validate", "b"))
	answer := h.expect(200, "", "pm", "PUT", pathOfMode, `{"mode":"enforce","reason":"the release is frozen","override":"until it is out"}`).json(t)
	require.Equal(t, map[string]any{"mode": "enforce", "from": "validate"}, answer)
	p, err := h.Project.Policy()
	require.NoError(t, err)
	require.Equal(t, boundary.Enforce, p.Mode)
	require.True(t, h.Project.IsMarked())
	record := h.do("viewer", "GET", fmt.Sprintf("/audit/records/%d", h.Ledger.Head().Size-1), "").json(t)
	require.Equal(t, "boundary.recorded", record["kind"])
	lines := record["data"].(map[string]any)["lines"].([]any)
	require.Equal(t, map[string]any{
		"id": "0000000000000005", "at": "2026-01-02T04:04:05Z", "kind": "mode", "by": "pm", "mode": "enforce", "from": "validate",
		"reason": "the release is frozen", "override": "until it is out",
	}, lines[len(lines)-1])

	refusal := h.expect(403, "role_forbidden", "tester", "PUT", pathOfMode, mode("off", "x"))
	require.Contains(t, refusal.Header.Get("Audit-Receipt"), "index=")
	record = h.do("viewer", "GET", fmt.Sprintf("/audit/records/%d", h.Ledger.Head().Size-1), "").json(t)
	require.Equal(t, "request.refused", record["kind"])
	require.Equal(t, "PUT /boundary/mode", record["data"].(map[string]any)["request"])
	require.Equal(t, boundary.Enforce, h.guard.Mode())
}

func TestDecisionsComeInPages(t *testing.T) {
	h := newHarness(t)
	for i := range 25 {
		actor := boundary.Agent
		if i%2 == 0 {
			actor = boundary.Main
		}
		h.judged(fmt.Sprintf("%016x", i+1), actor, "Edit", fmt.Sprintf("f%d.go", i))
	}
	var ids []string
	for path := "/boundary/decisions?limit=5&violations=true"; path != ""; {
		page := h.expect(200, "", "viewer", "GET", path, "").json(t)
		require.Equal(t, 13.0, page["total"])
		for _, d := range page["decisions"].([]any) {
			d := d.(map[string]any)
			require.Equal(t, map[string]any{"kind": "main"}, d["actor"])
			ids = append(ids, d["id"].(string))
		}
		path, _ = page["next"].(string)
	}
	require.Len(t, ids, 13)
	require.IsIncreasing(t, ids)
	beyond := h.expect(200, "", "viewer", "GET", "/boundary/decisions?from=9007199254740992", "").json(t)
	require.Equal(t, map[string]any{"total": 25.0, "decisions": []any{}, "next": nil}, beyond)
	report := h.expect(200, "", "viewer", "GET", "/boundary/report", "").json(t)
	require.Equal(t, 13.0, report["violations"])
	require.Len(t, report["latest"], 13)
	later := h.expect(200, "", "viewer", "GET", "/boundary/report?since=2026-02-01T00:00:00%2B01:00", "").json(t)
	require.Equal(t, 0.0, later["decisions"])
}

func TestTheMetricsOfTheBoundary(t *testing.T) {
	h := newHarness(t)
	require.Contains(t, string(h.do("", "GET", "/metrics", "").Body), "orchestrator_boundary_mode{mode=\"validate\"} 1\n")
	h.judged("1000000000000000", boundary.Main, "Edit", "main.go")
	h.expect(200, "", "pm", "PUT", pathOfMode, mode("off", "a pause"))
	metrics := string(h.do("", "GET", "/metrics", "").Body)
	for _, line := range []string{`boundary_mode{mode="off"} 1`, `boundary_mode{mode="validate"} 0`, `boundary_mode{mode="confirm"} 0`, `boundary_mode{mode="enforce"} 0`, "boundary_lines_recorded_total 3", `boundary_decisions_total{decision="warn"} 1`} {
		require.Contains(t, metrics, "orchestrator_"+line+"\n")
	}
}
