package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// Verifies: ORC-028, ORC-031
func TestEveryDocumentedAnswerHappens(t *testing.T) {
	all := &seen{}
	t.Run("accepted", func(t *testing.T) { provokeAccepted(newHarness(t, into(all))) })
	t.Run("unreadable", func(t *testing.T) { provokeUnreadable(newHarness(t, into(all))) })
	t.Run("refused", func(t *testing.T) { provokeRefused(newHarness(t, into(all))) })
	t.Run("conditions", func(t *testing.T) { provokeConditions(t, all) })
	t.Run("unwritable export", func(t *testing.T) { provokeUnwritableExport(t, all) })
	t.Run("reports", func(t *testing.T) { provokeReports(t, all) })
	t.Run("evidence", func(t *testing.T) { provokeEvidence(t, all) })
	t.Run("documents", func(t *testing.T) { provokeDocuments(newHarness(t, into(all))) })
	t.Run("at every path", func(t *testing.T) { provokeEverywhere(t, all) })
	t.Run("conductor", func(t *testing.T) { provokeConductor(newHarness(t, into(all))) })
	t.Run("language model", func(t *testing.T) { provokeModel(t, all) })
	t.Run("claims", func(t *testing.T) { provokeClaims(newHarness(t, into(all))) })
	t.Run("workflow", func(t *testing.T) { provokeWorkflow(newHarness(t, into(all))) })
	t.Run("renames", func(t *testing.T) { provokeRenames(newHarness(t, into(all))) })
	t.Run("a form that clashes", func(t *testing.T) { provokeClashingForm(newHarness(t, into(all))) })
	t.Run("conventions", func(t *testing.T) { provokeConventions(newHarness(t, into(all))) })
	t.Run("usage", func(t *testing.T) { provokeUsage(t, newHarness(t, into(all), withReviewer(t))) })
	t.Run("boundary", func(t *testing.T) { provokeBoundary(t, all) })
	t.Run("failures", func(t *testing.T) { provokeFailures(t, all) })
	t.Run("failing stores", func(t *testing.T) { provokeFailingStores(t, all) })
	t.Run("stopping", func(t *testing.T) { provokeStopping(t, all) })
	t.Run("log budget", func(t *testing.T) { provokeSpentBudget(newHarness(t, into(all), withBudget(1))) })
	t.Run("full disk", func(t *testing.T) { provokeFullDisk(t, all) })
	t.Run("bodies", func(t *testing.T) { provokeBodiesInFlight(newHarness(t, into(all))) })
	t.Run("mcp", func(t *testing.T) { provokeMCP(newHarness(t, into(all))) })
	t.Run("replicas", func(t *testing.T) { provokeReplicas(t, all) })
	t.Run("live", func(t *testing.T) { provokeLive(newHarness(t, into(all))) })
	t.Run("raw", func(t *testing.T) { provokeRaw(newHarness(t, into(all), hastily)) })

	var missing []string
	expect := func(what string) {
		if !all.has(what) {
			missing = append(missing, what)
		}
	}
	for _, op := range operations() {
		method, path, _ := strings.Cut(op, " ")
		responses := theContract().under("paths", path, strings.ToLower(method), "responses")
		for status := range responses.node {
			if status == "500" && op != "POST /project/import" { // a defect can be provoked there alone
				continue
			}
			expect(op + " " + status)
			for header := range theContract().child(responses, status, "headers").node {
				if slices.Contains(anyAnswer, header) {
					continue
				}
				expect(op + " " + status + " " + http.CanonicalHeaderKey(header))
			}
		}
	}
	for status := range theContract().under("x-answers-outside-operations").node {
		expect("outside operations " + status)
	}
	for code := range theContract().codes() {
		expect("code " + code)
	}
	require.Empty(t, missing)
	checkExamples(t, all)
}

func into(all *seen) func(*options) { return func(o *options) { o.Seen = all } }

// expect sends a request and expects a status and, if code is not empty, a problem code.
func (h *harness) expect(status int, code, who, method, path, body string, headers ...string) response {
	h.t.Helper()
	r := h.do(who, method, path, body, headers...)
	require.Equal(h.t, status, r.Status, "%s", r.Body)
	if code != "" {
		require.Equal(h.t, code, r.json(h.t)["code"])
	}
	return r
}

const one = "/requirements/REQ-001"

// awsKey is the example of the AWS documentation, put together so that no scanner takes it for a leak.
const awsKey = "AK" + "IAIOSFODNN7EXAMPLE"

func provokeAccepted(h *harness) {
	for _, path := range []string{
		"/healthz", "/livez", "/readyz?verbose", "/version", "/metrics", "/openapi.yaml", "/openapi.json", "/workflow", "/project/import", "/project/renames", "/project/review",
		"/project/progress", "/requirements", "/next", one + "/next", one + "/history", one + "/review", "/audit",
		"/audit/checkpoint", "/audit/key", "/audit/records/0", "/audit/proof/inclusion?index=2&size=4", "/audit/proof/consistency?old=2", "/audit/tile/0/000.p/3", "/audit/tile/0%2F000.p%2F3",
	} {
		h.expect(200, "", "viewer", "GET", path, "")
		h.expect(200, "", "viewer", "HEAD", path, "")
	}
	for _, name := range schemaNames() {
		h.expect(200, "", "", "GET", "/schemas/"+name, "")
	}
	h.expect(200, "", "pm", "GET", "/next?limit=1", "")
	h.expect(400, "unknown_cursor", "pm", "GET", "/next?after=none", "")
	for _, path := range []string{"/project", one, "/next", one + "/next"} {
		etag := h.expect(200, "", "viewer", "GET", path, "").Header.Get("ETag")
		h.expect(304, "", "viewer", "GET", path, "", "If-None-Match", `"other", W/`+etag)
	}
	h.expect(200, "", "pm", "PATCH", "/requirements/REQ-002", `{"pm_notes":[{"text":"n"}]}`, "Prefer", "return=minimal")
	h.expect(200, "", "tester", "POST", "/requirements/REQ-002/test-report", junit, "Prefer", "return=representation")
	dry := h.expect(200, "", "coder", "PATCH", one+"?dry_run=true", exampleBody(h.t, "coder_implements"))
	require.Equal(h.t, "true", dry.Header.Get("Dry-Run"))
	require.Empty(h.t, dry.Header.Get("ETag"))
	first := h.patch("coder", exampleBody(h.t, "coder_implements"), "Idempotency-Key", "k", "If-Match", `"1"`)
	again := h.patch("coder", exampleBody(h.t, "coder_implements"), "Idempotency-Key", "k", "If-Match", `"1"`)
	require.Equal(h.t, "true", again.Header.Get("Idempotent-Replay"))
	require.Equal(h.t, first.Body, again.Body)
	h.expect(200, "", "pm", "POST", "/project/import", "")
	large := h.patch("coder", `{"implementation":{"summary":"`+strings.Repeat("x", 20_000)+`","notes":"`+strings.Repeat("y", 20_000)+`","files":[{"path":"a","change":"z"}`+strings.Repeat(`,{"path":"`+strings.Repeat("p", 990)+`"}`, 30)+`]}}`)
	require.Equal(h.t, `"3"`, large.Header.Get("ETag"))
	records := h.do("viewer", "GET", one+"/history", "").json(h.t)["records"].([]any)
	blob := records[0].(map[string]any)["data"].(map[string]any)["blob"].(string)
	h.expect(200, "", "viewer", "GET", "/audit/blobs/"+blob, "")
	h.expect(404, "unknown_blob", "viewer", "GET", "/audit/blobs/"+strings.Repeat("0", 64), "")
	h.expect(404, "unknown_record", "viewer", "GET", "/audit/records/99", "")
	h.expect(400, "invalid_parameter", "viewer", "GET", "/audit/records/-1", "")
	for _, path := range []string{"/audit/proof/inclusion?index=0&size=99", "/audit/proof/consistency?old=1&new=99", "/audit/tile/0/000", "/audit/tile/entries/000.p/99", "/audit/tile/7/000.p/1"} {
		h.expect(404, "beyond_log", "viewer", "GET", path, "")
	}
	for _, path := range []string{"inclusion", "inclusion?index=x", "inclusion?index=4&size=4", "inclusion?index=0&size=0", "consistency", "consistency?old=0", "consistency?old=3&new=2"} {
		h.expect(400, "invalid_parameter", "viewer", "GET", "/audit/proof/"+path, "")
	}
	for _, path := range []string{"0/0", "data/000", "8/000.p/1", "0/000.p/0", "0/000.p/256", "-1/000.p/1", "entries", "x/000", "0/x000/001"} {
		h.expect(404, "unknown_path", "viewer", "GET", "/audit/tile/"+path, "")
	}
	h.expect(404, "unknown_schema", "", "GET", "/schemas/none.schema.json", "")
}

func provokeUnreadable(h *harness) {
	for code, body := range map[string]string{
		"json_byte_order_mark": "\ufeff{}",
		"json_depth":           strings.Repeat("[", 10_000),
		"json_duplicate_name":  `{"test":null,"test":null}`,
		"json_empty":           " ",
		"json_not_an_object":   `[]`,
		"json_nul":             `{"pm_notes":[{"text":"\u0000"}]}`,
		"json_number":          `{"test":{"results":{"passed":1e5000000}}}`,
		"json_syntax":          `{"status":"` + "\xff" + `"}`,
		"json_trailing_data":   `{} {}`,
		"json_values":          "[" + strings.Repeat("1,", 20_000) + "1]",
	} {
		h.expect(400, code, "pm", "PATCH", one, body)
	}
	h.expect(400, "invalid_id", "pm", "PATCH", "/requirements/REQ%00001", `{}`)
	h.expect(400, "invalid_id", "pm", "PATCH", "/requirements/REQ%00001", `{}`)
	h.expect(400, "unknown_parameter", "pm", "PATCH", one+"?force=true", `{}`)
	h.expect(400, "invalid_parameter", "pm", "PATCH", one+"?dry_run=yes", `{}`)
	h.expect(400, "invalid_if_match", "pm", "PATCH", one, `{}`, "If-Match", "3")
	h.expect(400, "invalid_idempotency_key", "pm", "PATCH", one, `{}`, "Idempotency-Key", "a b")
	h.expect(400, "body_not_expected", "pm", "POST", "/project/import", `{}`)
	h.expect(400, "invalid_parameter", "viewer", "GET", "/requirements?limit=0", "")
	h.expect(400, "invalid_parameter", "viewer", "GET", "/requirements?status=STATUS", "")
	h.expect(400, "unknown_cursor", "viewer", "GET", "/requirements?after=REQ-009", "")
	h.expect(413, "body_too_large", "pm", "PATCH", one, strings.Repeat(" ", 1<<20+1))
	h.expect(415, "media_type", "pm", "PATCH", one, `{}`, "Content-Type", "application/json-patch+json")
	h.expect(415, "content_encoding", "pm", "PATCH", one, `{}`, "Content-Encoding", "gzip")
}

func provokeRefused(h *harness) {
	patch := func(status int, code, who, body string, headers ...string) {
		h.t.Helper()
		h.expect(status, code, who, "PATCH", one, body, headers...)
		keyed := append(headers, "Idempotency-Key", code+who)
		h.expect(status, code, who, "PATCH", one, body, keyed...)
		again := h.expect(status, code, who, "PATCH", one, body, keyed...)
		require.Equal(h.t, code != "cross_origin", again.Header.Get("Idempotent-Replay") == "true") // that one was never decided
	}
	patch(403, "field_forbidden", "viewer", `{"status":"planned"}`)
	patch(403, "transition_forbidden", "tester", move(lifecycle.Planned))
	patch(403, "cross_origin", "pm", `{}`, "Sec-Fetch-Site", "cross-site")
	h.expect(403, "role_forbidden", "coder", "POST", "/project/import", "")
	for range 2 {
		h.expect(404, "unknown_requirement", "pm", "PATCH", "/requirements/req-001", `{"status":"done"}`, "Idempotency-Key", "once")
	}
	patch(409, "illegal_transition", "pm", move(lifecycle.Done))
	patch(409, "same_status", "pm", move(lifecycle.NotStarted))
	patch(409, "fingerprint_mismatch", "pm", exampleBody(h.t, "pm_accepts_the_text"))
	patch(412, "stale_revision", "pm", `{"pm_notes":[{"text":"x"}]}`, "If-Match", `"7"`)
	patch(422, "schema_violation", "pm", `{"STATUS":"planned","role":"pm"}`)
	patch(422, "invalid_entry", "pm", `{"deviations":[{"id":"D1"}]}`)
	patch(422, "justification_required", "pm", `{"status":"planned"}`)
	h.expect(422, "secret_in_text", "pm", "PATCH", one, `{"pm_notes":[{"text":"`+awsKey+`"}]}`)
	h.expect(422, "secret_in_text", "tester", "POST", one+"/test-report", `<testsuite><testcase name="with `+awsKey+`"/></testsuite>`)
	h.expect(422, "idempotency_key_reused", "pm", "PATCH", one, `{"status":"done"}`, "Idempotency-Key", "once")
	notes := `{"pm_notes":[` + strings.TrimSuffix(strings.Repeat(`{"text":"`+strings.Repeat("n", 19_000)+`"},`, 50), ",") + `]}`
	h.expect(200, "", "pm", "PATCH", "/requirements/REQ-003", notes)
	h.expect(422, "requirement_full", "pm", "PATCH", "/requirements/REQ-003", notes)
	longest := strings.Repeat("\U0001d400", 999)
	h.expect(200, "", "tester", "PATCH", "/requirements/REQ-003", `{"test":{"plan":"`+strings.Repeat(longest, 20)+`"}}`)
	many := `<testsuite>` + strings.Repeat(`<testcase name="`+longest+`"/>`, 100) + `</testsuite>`
	full := func() response {
		return h.expect(422, "requirement_full", "tester", "POST", "/requirements/REQ-003/test-report?tests=.", many, "Idempotency-Key", "full")
	}
	require.Equal(h.t, "true", twice(full).Header.Get("Idempotent-Replay"))
	testedRequirement(h.t, h)
	patch(409, "gate_unmet", "pm", move(lifecycle.Done))
	h.patch("pm", exampleBody(h.t, "pm_signs_off"))
	patch(409, "sealed", "coder", exampleBody(h.t, "coder_implements"))
}

func provokeConditions(t *testing.T, all *seen) {
	strict := newHarness(t, into(all), func(o *options) { o.RequireIfMatch, o.MetricsToken = true, "secret" })
	strict.expect(428, "if_match_required", "pm", "PATCH", one, `{"pm_notes":[{"text":"x"}]}`)
	strict.expect(428, "if_match_required", "pm", "POST", "/obligations", achieving("status", move(lifecycle.Planned)))
	strict.expect(428, "if_match_required", "pm", "POST", "/requests", `{"utterance":"set REQ-001 to planned because it is time, see a.md"}`)
	strict.expect(401, "metrics_token", "pm", "GET", "/metrics", "")
}

func provokeUnwritableExport(t *testing.T, all *seen) {
	h := newHarness(t, into(all), func(o *options) {
		o.ExportPath, o.ExportWait = filepath.Join(t.TempDir(), "no such folder", "project_status.json"), time.Millisecond
	})
	require.Equal(t, "pending", h.patch("pm", exampleBody(t, "pm_moves")).Header.Get("Export-Status"))
	require.Eventually(t, func() bool { return string(h.do("", "GET", "/readyz", "").Body) == `{"status":"warning"}`+"\n" }, time.Minute, 10*time.Millisecond)
}

func provokeDocuments(h *harness) {
	for code, document := range map[string]string{
		"document_encoding":    "# A\n\n- **REQ-001**: \xff\n",
		"document_nul":         "# A\n\n- **REQ-001**: \x00\n",
		"document_template":    "# Feature: [FEATURE NAME]\n\n- **REQ-001**: [what it does]\n",
		"document_invalid":     "# A\n\n- **REQ-001**: one\n- **REQ-001**: two\n",
		"document_too_large":   strings.Repeat("x", 17<<20),
		"document_too_complex": "# A\n\n" + strings.Repeat("> ", 200) + "x\n",
		"no_requirements":      "# A\n\nNothing.\n",
	} {
		h.write(document)
		h.expect(422, code, "pm", "POST", "/project/import", "")
	}
	h.write("## ADDED Requirements\n\n### Requirement: req-001\n\nLog in.\n") // a delta that contradicts the state
	h.expect(422, "document_invalid", "pm", "POST", "/project/import", "")
	h.expect(200, "", "", "GET", "/readyz?verbose", "")
	h.write(strings.Replace(sample, "REQ-001", "REQ-007", 1))
	h.expect(200, "", "pm", "POST", "/project/import", "")
	h.expect(409, "retired", "coder", "PATCH", one, exampleBody(h.t, "coder_implements"))
	h.second = "# B\n\n- **REQ-002**: twice\n"
	h.expect(422, "document_invalid", "pm", "POST", "/project/import", "")
	require.NoError(h.t, os.Remove(h.Document))
	h.expect(409, "requirements_unreadable", "pm", "POST", "/project/import", "")
	h.panics = true
	h.expect(500, "internal", "pm", "POST", "/project/import", "")
}

// inPath fills the parameters of a path.
var inPath = strings.NewReplacer("{id}", "REQ-001", "{sha256}", "0", "{name}", "defs.schema.json", "{index}", "0",
	"{tile}", "0/000.p/1", "{run}", "0000000000000000", "{code}", "gate_unmet", "{schedule}", "none")

// provokeEverywhere sends what every operation refuses alike.
func provokeEverywhere(t *testing.T, all *seen) {
	h := newHarness(t, into(all))
	limited := newHarness(t, into(all), func(o *options) { o.Limit = token.Limit{PerSecond: 0.001, Burst: 1} })
	h.addTokenUntil("late", lifecycle.PM, time.Now().Add(-time.Hour), time.Now().Add(-2*time.Hour))
	limited.expect(200, "", "pm", "GET", "/workflow", "")
	for _, op := range operations() {
		method, pattern, _ := strings.Cut(op, " ")
		path, documented := inPath.Replace(pattern), theContract().under("paths", pattern, strings.ToLower(method), "responses").node
		h.expect(421, "host_not_allowed", "", method, path, "", "Host", "evil.example")
		wrong := "DELETE"
		if path == pathOfClaim || path == "/schedules/none" {
			wrong = "PUT"
		}
		h.expect(405, "method_not_allowed", "", wrong, path, "")
		if !strings.Contains(pattern, "{tile}") { // which takes every path below
			h.expect(404, "unknown_path", "", method, path+"/no/such/path", "")
		}
		h.expect(403, "cross_origin", "", "DELETE", path, "", "Sec-Fetch-Site", "cross-site")
		if documented["400"] != nil {
			unknown := h.expect(400, "unknown_parameter", "pm", method, path+"?surprise=1", "")
			require.ElementsMatch(t, queryParameters(pattern, method), strings.Split(strings.TrimPrefix(unknown.json(t)["fix"].(string), "use "), ", "), op)
			h.expect(400, "invalid_query", "pm", method, path+"?%zz", "")
		}
		if documented["429"] != nil && documented["401"] == nil {
			limited.do("", method, path, "")
			limited.expect(429, "rate_limited", "", method, path, "")
		} else if documented["429"] != nil {
			h.expect(401, "token_missing", "", method, path, "")
			h.expect(401, "token_unknown", "", method, path, "", "Authorization", "Bearer orc_pm_guess")
			h.expect(401, "token_expired", "late", method, path, "")
			limited.expect(429, "rate_limited", "pm", method, path, "")
		}
		if strings.Contains(pattern, "{id}") {
			who, body := "pm", `{"pm_notes":[{"text":"x"}]}`
			if method == http.MethodPost {
				who, body = "tester", junit
			}
			if path == pathOfClaim {
				body = "{}"
			}
			h.expect(404, "unknown_requirement", who, method, strings.Replace(path, "REQ-001", "REQ-009", 1), body)
		}
	}
	h.expect(421, "host_not_allowed", "", "GET", "/nothing", "", "Host", "evil.example")
}

// queryParameters are the documented ones, in the words of the answer to an unknown one.
func queryParameters(pattern, method string) (names []string) {
	c := theContract()
	listed, _ := c.under("paths", pattern, strings.ToLower(method)).node["parameters"].([]any)
	for _, p := range listed {
		p := p.(map[string]any)
		if ref, ok := p["$ref"].(string); ok {
			p = c.under(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).node
		}
		if p["in"] == "query" {
			names = append(names, p["name"].(string))
		}
	}
	if names == nil {
		return []string{"leave the query out"}
	}
	return names
}

// broken is a store that can no longer confirm a commit.
type broken struct {
	store.Store
	now bool
}

func (b *broken) Update(ctx context.Context, fn func(store.Tx) error) error {
	if b.now {
		return errors.Join(store.ErrCommit, errors.New("no space left"))
	}
	return b.Store.Update(ctx, fn)
}

// full is a store on a disk without room.
type full struct {
	store.Store
	now bool
}

func (f *full) Update(ctx context.Context, fn func(store.Tx) error) error {
	var wrote int
	err := f.Store.Update(ctx, func(tx store.Tx) error {
		counted := &counting{Tx: tx}
		err := fn(counted)
		if wrote = counted.writes; err == nil && f.now && wrote > 0 {
			err = fault.New(fault.InsufficientStorage, "disk_full", "the disk has no room for a change").WithFix("repeat it later")
		}
		return err
	})
	return err
}

type counting struct {
	store.Tx
	writes int
}

func (c *counting) Put(table, key string, value []byte) error {
	c.writes++
	return c.Tx.Put(table, key, value)
}

// provokeFullDisk: what needs a record is refused, its refusal included; what needs none goes on, and so does
// everything when there is room.
func provokeFullDisk(t *testing.T, all *seen) {
	f := &full{Store: store.NewMemory()}
	h := newHarness(t, into(all), func(o *options) { o.Store = f })
	f.now = true
	note := `{"pm_notes":[{"text":"x"}]}`
	refused := h.expect(507, "disk_full", "pm", "PATCH", one, note, "Idempotency-Key", "k")
	require.Equal(t, "10", refused.Header.Get("Retry-After"))
	h.expect(507, "disk_full", "viewer", "PATCH", one, note)
	h.expect(507, "disk_full", "coder", "POST", "/project/import", "")
	h.expect(507, "disk_full", "tester", "POST", one+"/test-report", junit)
	h.expect(507, "disk_full", "pm", "POST", "/obligations", obligation("query.math", `"expr":"1+1"`))
	h.expect(507, "disk_full", "pm", "POST", "/obligations/0000000000000000/answers", `{"value":1}`)
	h.expect(507, "disk_full", "pm", "DELETE", "/schedules/none", "")
	h.expect(507, "disk_full", "pm", "POST", "/drive", "[]")
	require.Contains(t, string(h.expect(200, "", "pm", "POST", "/drive", "{}").Body), `"outcomes":{"failed":3}`, "its report says why")
	h.expect(507, "disk_full", "pm", "POST", "/requests", `{"utterance":"what is 1+1"}`)
	h.expect(507, "disk_full", "coder", "POST", one+"/claim", "{}")
	h.expect(507, "disk_full", "coder", "DELETE", one+"/claim?field=status", "")
	h.expect(507, "disk_full", "pm", "PUT", "/workflow", `{"workflow":"rework","reason":"x"}`)
	h.expect(507, "disk_full", "pm", "POST", pathOfRenames, pairOf("A-1", "A-2"))
	h.expect(507, "disk_full", "coder", "PUT", "/boundary/mode", `{"mode":"validate"}`)
	h.expect(507, "disk_full", "coder", "POST", pathOfAttestations, attesting("team", "x"))
	h.write(sample + "\n## REQ-004: More\n\nMore.\n")
	h.expect(507, "disk_full", "pm", "POST", "/project/import", "")
	for _, path := range []string{one, one + "/history", "/project", "/audit", "/boundary/report", "/obligations", "/readyz"} {
		h.expect(200, "", "pm", "GET", path, "")
	}
	h.expect(200, "", "pm", "PATCH", one+"?dry_run=true", note)
	f.now = false
	require.Equal(t, `"2"`, h.expect(200, "", "pm", "PATCH", one, note, "Idempotency-Key", "k").Header.Get("ETag"), "the refused one left nothing")
	h.expect(200, "", "pm", "POST", "/project/import", "")
}

func provokeFailures(t *testing.T, all *seen) {
	b := &broken{Store: store.NewMemory()}
	h := newHarness(t, into(all), func(o *options) { o.Store = b })
	b.now = true
	h.expect(503, "ledger_failed", "pm", "PATCH", one, `{"pm_notes":[{"text":"x"}]}`)
	h.expect(503, "ledger_failed", "tester", "POST", one+"/test-report", junit)
	for _, path := range []string{
		one + "/history", "/audit", "/audit/blobs/0", "/project/review", "/project/progress", "/audit/records/0", "/audit/proof/inclusion?index=0",
		"/audit/proof/consistency?old=1", "/audit/tile/0/000.p/1", "/obligations", "/obligations/0000000000000000", "/traces/0000000000000000",
		"/schedules", "/schedules/none", "/usage", "/events",
	} {
		h.expect(503, "ledger_failed", "pm", "GET", path, "")
	}
	h.expect(503, "ledger_failed", "coder", "POST", one+"/claim", "{}")
	h.expect(503, "ledger_failed", "coder", "DELETE", one+"/claim", "")
	h.expect(503, "ledger_failed", "pm", "PUT", "/workflow", `{"workflow":"rework","reason":"x"}`)
	h.expect(503, "ledger_failed", "pm", "POST", pathOfRenames, pairOf("A-1", "A-2"))
	h.expect(503, "ledger_failed", "pm", "POST", "/obligations", obligation("query.math", `"expr":"1+1"`))
	h.expect(503, "ledger_failed", "pm", "POST", "/obligations/0000000000000000/answers", `{"value":1}`)
	h.expect(503, "ledger_failed", "pm", "DELETE", "/schedules/none", "")
	h.expect(503, "ledger_failed", "pm", "POST", "/drive?plan=true", "{}")
	h.expect(503, "ledger_failed", "pm", "POST", "/requests", `{"utterance":"what is 1+1"}`)
	h.write(sample + "\n## REQ-004: More\n\nMore.\n")
	h.expect(503, "ledger_failed", "pm", "POST", "/project/import", "")
	for _, path := range []string{
		"/healthz", "/livez", "/readyz"} {
		h.expect(503, "", "", "GET", path, "")
	}
	h.expect(200, "", "pm", "GET", one, "") // what was read before stays readable
}

// hastily waits for bodies no longer than a test wants to.
func hastily(o *options) { o.ReadTimeout = 2 * time.Second }

// provokeRaw sends bodies that no HTTP client would: some that do not end, which are waited for together, and some
// that do so in the wrong way.
func provokeRaw(h *harness) {
	requests := []string{
		"PATCH " + one, "POST " + one + "/test-report", "PUT /boundary/mode", "POST " + pathOfAttestations, "PUT /workflow", "POST " + pathOfRenames, "POST " + one + "/claim",
		"POST /obligations", "POST /requests", "POST /drive", "POST /obligations/0000000000000000/answers", "POST /mcp",
	}
	const unfinished = "Content-Length: 10\r\n\r\n{\"a\":"
	const unframed = "Transfer-Encoding: chunked\r\n\r\nno length\r\n"
	var waiting []net.Conn
	for _, request := range requests {
		waiting = append(waiting, h.sendRaw(request, unfinished))
	}
	for i, request := range requests {
		h.unread(408, "body_timeout", request, unfinished, waiting[i])
		h.unread(400, "body_incomplete", request, unframed, h.sendRaw(request, unframed))
	}
}

// sendRaw sends what follows the common headers as it is.
func (h *harness) sendRaw(request, rest string) net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.Server.Listener.Addr().String())
	require.NoError(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	_, err = conn.Write([]byte(request + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer " + h.secrets["pm"] + "\r\n" + rest))
	require.NoError(h.t, err)
	return conn
}

// unread requires that the answer to a request is that its body, which stands in rest, could not be read.
func (h *harness) unread(status int, code, request, rest string, conn net.Conn) {
	h.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(h.t, err)
	r := h.read(method, path, answer)
	require.Equal(h.t, status, r.Status, "%s", r.Body)
	require.Equal(h.t, code, r.json(h.t)["code"])
	header, body, _ := strings.Cut(rest, "\r\n\r\n")
	name, value, _ := strings.Cut(header, ": ")
	h.seen.example(method+" "+path, []string{name, value}, strings.TrimSpace(body), r)
}

// provokeBodiesInFlight has a token hold its share of bodies.
func provokeBodiesInFlight(h *harness) {
	const large = 4 << 20
	for range 3 {
		conn := h.begin("tester", "POST", one+"/test-report", large+1, strings.Repeat("x", large))
		defer conn.Close()
	}
	h.holds(func(held int) bool { return held >= 3*large })
	h.expect(429, "bodies_in_flight", "tester", "POST", one+"/test-report", strings.Repeat("x", 8<<20))
}
