package httpapi_test

import (
	"bufio"
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/catalogue"
	"orchestrator/internal/httpapi/front"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// unversioned are the paths that answer with what is so at this moment, and are not compared with a copy.
var unversioned = []string{"/healthz", "/livez", "/readyz", "/metrics"}

// readable returns a path for each GET that is documented and has no side effect, in a project with some of everything.
func readable(h *harness) map[string]string {
	h.judged("1000000000000000", boundary.Main, "Edit", "main.go")
	h.judged("2000000000000000", boundary.Agent, "Edit", "main.go")
	h.patch("pm", `{"pm_notes":[{"text":"x"}]}`)
	h.expect(200, "", "pm", "POST", "/obligations", obligation("query.math", `"expr":"2+2"`))
	run := h.expect(200, "", "pm", "POST", "/obligations", obligation("query.math", `"expr":"1+1"`)).json(h.t)["id"].(string)
	schedule := h.expect(200, "", "pm", "POST", "/obligations", scheduled(`"every":"1h"`)).json(h.t)["id"].(string) + "-o1"
	h.expect(200, "", "pm", "POST", "/obligations", scheduled(`"every":"2h"`))
	large := h.patch("coder", `{"implementation":{"summary":"`+strings.Repeat("x", 20_000)+`","notes":"`+strings.Repeat("y", 20_000)+`","files":[{"path":"a","change":"z"}`+strings.Repeat(`,{"path":"`+strings.Repeat("p", 990)+`"}`, 30)+`]}}`)
	require.NotEmpty(h.t, large.Header.Get("ETag"))
	records := h.do("viewer", "GET", one+"/history", "").json(h.t)["records"].([]any)
	blob, _ := records[0].(map[string]any)["data"].(map[string]any)["blob"].(string)
	fill := strings.NewReplacer("{id}", "REQ-001", "{sha256}", blob, "{name}", "defs.schema.json", "{index}", "0", "{tile}", "0/000.p/1",
		"{run}", run, "{code}", "gate_unmet", "{schedule}", schedule)
	query := map[string]string{"/audit/proof/inclusion": "?index=0", "/audit/proof/consistency": "?old=1"}
	paths := map[string]string{}
	for _, op := range operations() {
		if pattern, reads := strings.CutPrefix(op, "GET "); reads {
			paths[pattern] = fill.Replace(pattern) + query[pattern]
		}
	}
	return paths
}

// provokeConventions asks every path for what has changed, and for its methods.
func provokeConventions(h *harness) {
	paths := readable(h)
	delete(paths, "/events") // an answer without an end has no version
	for _, pattern := range unversioned {
		r := h.expect(200, "", "viewer", "GET", pattern, "")
		require.Empty(h.t, r.Header.Get("ETag"), pattern)
		delete(paths, pattern)
	}
	for pattern, path := range paths {
		who := "viewer"
		if strings.HasPrefix(pattern, "/schedules/") {
			who = "pm" // they are not everybody's
		}
		etag := h.expect(200, "", who, "GET", path, "", "Accept-Encoding", "identity").Header.Get("ETag")
		require.Regexp(h.t, `^"[^"]+"$`, etag, pattern)
		same := h.expect(304, "", who, "GET", path, "", "If-None-Match", `"other", W/`+etag, "Accept-Encoding", "identity")
		require.Equal(h.t, etag, same.Header.Get("ETag"))
		require.Empty(h.t, same.Body)
		require.Equal(h.t, 304, h.do(who, "HEAD", path, "", "If-None-Match", etag, "Accept-Encoding", "identity").Status, pattern)
		h.expect(200, "", who, "GET", path, "", "If-None-Match", `"other"`)
	}
	for _, path := range []string{
		"/requirements?limit=1", "/audit?limit=1", one + "/history?limit=1", "/obligations?limit=1", "/boundary/decisions?limit=1", "/next?limit=1", "/schedules?limit=1",
	} {
		r := h.expect(200, "", "pm", "GET", path, "")
		next := r.json(h.t)["next"].(string)
		require.Equal(h.t, "<"+next+`>; rel="next"`, r.Header.Get("Link"))
		h.expect(200, "", "pm", "GET", next, "")
	}
	minimal := h.patch("pm", `{"pm_notes":[{"text":"short"}]}`, "Prefer", "return=minimal")
	require.Equal(h.t, "return=minimal", minimal.Header.Get("Preference-Applied"))
	h.expect(200, "", "tester", "POST", one+"/test-report", junit, "Prefer", "return=minimal")
	options := h.expect(204, "", "", "OPTIONS", one, "")
	require.Equal(h.t, "GET, HEAD, PATCH, OPTIONS", options.Header.Get("Allow"))
	require.Equal(h.t, "application/json", options.Header.Get("Accept-Patch"))
	require.Equal(h.t, "GET, HEAD, OPTIONS", h.expect(204, "", "", "OPTIONS", "/project", "").Header.Get("Allow"))
	require.Equal(h.t, "application/json", h.expect(405, "method_not_allowed", "pm", "DELETE", one, "").Header.Get("Accept-Patch"))
	h.expect(404, "unknown_path", "", "OPTIONS", "/nothing", "")
	for _, path := range []string{"/openapi.yaml", "/openapi.json", "/docs"} {
		h.expect(200, "", "", "GET", path, "", "Accept-Encoding", "gzip")
	}
	for _, path := range []string{"/problems", "/problems/gate_unmet"} {
		h.expect(200, "", "", "GET", path, "", "Accept", "text/html,application/xml;q=0.9,*/*;q=0.8")
	}
	h.expect(404, "unknown_code", "", "GET", "/problems/no_such_code", "")
	h.expect(400, "invalid_if_match", "pm", "PATCH", one, `{"pm_notes":[{"text":"x"}]}`, "If-Match", "")
}

// Verifies: ORC-130
func TestThePathThatWasMeant(t *testing.T) {
	h := newHarness(t)
	for sent, right := range map[string]string{
		"/Requirements/REQ-001": "/requirements/REQ-001", "/requirements/": "/requirements", "//project": "/project",
		"/requirements/a%2Fb/NEXT": "/requirements/a%2Fb/next", "/HEALTHZ": "/healthz",
	} {
		r := h.expect(404, "unknown_path", "pm", "PATCH", sent, `{"pm_notes":[{"text":"x"}]}`)
		require.Contains(t, r.json(t)["fix"], "the path is "+right+":", sent)
		require.Empty(t, r.Header.Get("Location"), "the body of a change would be lost on the way")
	}
	require.Contains(t, h.expect(404, "unknown_path", "", "GET", "/nothing", "").json(t)["fix"], "GET / says how to begin")
	require.NotContains(t, string(h.expect(404, "unknown_path", "", "GET", "/Requirements/"+awsKey, "").Body), awsKey)
}

// Verifies: ORC-130
func TestTheFrontPage(t *testing.T) {
	h := newHarness(t)
	text := h.expect(200, "", "", "GET", "/", "", "Accept", "*/*")
	require.Equal(t, "text/plain; charset=utf-8", text.Header.Get("Content-Type"))
	require.Equal(t, string(front.Text(front.Caller{})), string(text.Body))
	head := h.expect(200, "", "", "HEAD", "/", "")
	require.Equal(t, text.Header.Get("Content-Length"), head.Header.Get("Content-Length"))
	mine := h.expect(200, "", "coder", "GET", "/", "", "Accept", "application/json")
	require.Equal(t, map[string]any{"name": "coder", "role": "coder"}, mine.json(t)["caller"])
	wrong := h.expect(200, "", "", "GET", "/", "", "Authorization", "Bearer orc_pm_guess")
	require.Contains(t, string(wrong.Body), "is not accepted: the token is unknown")
	require.NotContains(t, string(wrong.Body), "guess")
	require.Contains(t, h.expect(401, "token_missing", "", "GET", "/project", "").json(t)["fix"], "GET / says how to begin")
}

// TestTheChangesOnTheFrontPageWork: what is there to be copied is accepted, by its role.
//
// Verifies: ORC-130
func TestTheChangesOnTheFrontPageWork(t *testing.T) {
	h := newHarness(t)
	for _, role := range lifecycle.Roles() {
		if change := front.Change(string(role)); change != "" {
			h.expect(200, "", string(role), "PATCH", one+"?dry_run=true", change, "If-Match", `"1"`, "Prefer", "return=minimal")
		}
	}
}

// TestLimitsAreTold: whoever is limited is told before the limit is reached.
//
// Verifies: ORC-132
func TestLimitsAreTold(t *testing.T) {
	h := newHarness(t, func(o *options) { o.Limit = token.Limit{PerSecond: 0.1, Burst: 3} })
	for _, c := range []struct{ who, path, name string }{{"viewer", "/workflow", "token"}, {"", "/", "address"}} {
		for _, left := range []string{"2", "1", "0"} {
			r := h.expect(200, "", c.who, "GET", c.path, "")
			require.Equal(t, `"`+c.name+`";q=3;w=30`, r.Header.Get("RateLimit-Policy"))
			require.Regexp(t, `^"`+c.name+`";r=`+left+`;t=[0-9]+$`, r.Header.Get("RateLimit"))
		}
		refused := h.expect(429, "rate_limited", c.who, "GET", c.path, "")
		require.Equal(t, "10", refused.Header.Get("Retry-After"))
		require.Regexp(t, `^"`+c.name+`";r=0;t=30$`, refused.Header.Get("RateLimit"))
	}
	for range 10 {
		h.expect(200, "", "", "GET", "/healthz", "")
	}
}

// Verifies: ORC-132
func TestTheIdOfARequestIsTakenOver(t *testing.T) {
	var log bytes.Buffer
	h := newHarness(t, func(o *options) { o.Log = &log })
	const id, trace = "build-42:step/7", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	r := h.patch("pm", `{"pm_notes":[{"text":"x"}]}`, "X-Request-Id", id)
	require.Equal(t, id, r.Header.Get("X-Request-Id"))
	refused := h.expect(403, "field_forbidden", "viewer", "PATCH", one, `{"status":"done"}`, "Traceparent", trace)
	require.Equal(t, "urn:request:4bf92f3577b34da6a3ce929d0e0e4736", refused.json(t)["instance"])
	records := string(h.expect(200, "", "viewer", "GET", one+"/history", "").Body)
	require.Contains(t, records, `"request_id":"`+id+`"`)
	require.Contains(t, records, `"request_id":"4bf92f3577b34da6a3ce929d0e0e4736"`)
	for _, wrong := range []string{"a b", strings.Repeat("x", 200), awsKey} {
		made := h.expect(200, "", "viewer", "GET", "/workflow", "", "X-Request-Id", wrong).Header.Get("X-Request-Id")
		require.NotEqual(t, wrong, made)
		require.NotEmpty(t, made)
	}
	h.Server.Close()
	require.Contains(t, log.String(), `"request_id":"`+id+`"`)
	require.NotContains(t, log.String(), awsKey)
}

// Verifies: ORC-131
func TestThePagesOfProblems(t *testing.T) {
	h := newHarness(t)
	for _, e := range catalogue.Entries() {
		path := catalogue.Path(e.Code)
		text := h.expect(200, "", "", "GET", path, "")
		require.Equal(t, "text/plain; charset=utf-8", text.Header.Get("Content-Type"))
		require.Contains(t, string(text.Body), e.Fix)
		require.Equal(t, string(e.Code), h.expect(200, "", "", "GET", path, "", "Accept", "application/json").json(t)["code"])
	}
	list := h.expect(200, "", "", "GET", "/problems", "", "Accept", "application/json").json(t)["problems"].([]any)
	require.Len(t, list, len(catalogue.Entries()))
	type typed struct {
		Type string `json:"type"`
	}
	var p typed
	refused := h.expect(404, "unknown_requirement", "viewer", "GET", "/requirements/REQ-9", "")
	require.NoError(t, json.Unmarshal(refused.Body, &p))
	require.Contains(t, string(h.expect(200, "", "", "GET", p.Type, "").Body), "unknown_requirement (404)")
}

func TestTheContractIsCompressed(t *testing.T) {
	h := newHarness(t)
	plain := h.expect(200, "", "", "GET", "/openapi.yaml", "", "Accept-Encoding", "identity")
	packed := h.expect(200, "", "", "GET", "/openapi.yaml", "", "Accept-Encoding", "br, gzip;q=0.5")
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	sent, err := strconv.Atoi(packed.Header.Get("Content-Length"))
	require.NoError(t, err)
	require.Less(t, sent, len(plain.Body)/3)
	require.NotEqual(t, plain.Header.Get("ETag"), packed.Header.Get("ETag"))
	require.Equal(t, plain.Body, packed.Body)
	refused := h.expect(200, "", "", "GET", "/openapi.yaml", "", "Accept-Encoding", "gzip;q=0")
	require.Empty(t, refused.Header.Get("Content-Encoding"))
	h.expect(304, "", "", "GET", "/openapi.yaml", "", "Accept-Encoding", "gzip", "If-None-Match", packed.Header.Get("ETag"))
	require.Equal(t, http.StatusOK, plain.Status)
}

// TestTheWayInDependsOnTwoHeaders: on the form that is asked for, and on who asks.
func TestTheWayInDependsOnTwoHeaders(t *testing.T) {
	h := newHarness(t)
	require.Equal(t, []string{"Authorization", "Accept"}, h.do("", "GET", "/", "").Header.Values("Vary"))
	require.Equal(t, []string{"Accept"}, h.do("", "GET", "/problems", "").Header.Values("Vary"))
	require.Equal(t, []string{"Accept"}, h.do("pm", "GET", one+"/review", "").Header.Values("Vary"))
	require.Empty(t, h.do("pm", "GET", "/requirements/REQ-999/review", "").Header.Values("Vary"), "a problem has one form")
}

// TestTheMethodsOfTheWholeService: OPTIONS * has an id, as every answer of the service.
func TestTheMethodsOfTheWholeService(t *testing.T) {
	h := newHarness(t)
	answer, err := http.ReadResponse(bufio.NewReader(h.sendRaw("OPTIONS *", "\r\n")), nil)
	require.NoError(t, err)
	require.Equal(t, 204, answer.StatusCode)
	require.Equal(t, "GET, HEAD, PATCH, POST, PUT, DELETE, OPTIONS", answer.Header.Get("Allow"))
	require.NotEmpty(t, answer.Header.Get("X-Request-Id"))
	require.Equal(t, 404, h.do("", "OPTIONS", "/*", "").Status)
}
