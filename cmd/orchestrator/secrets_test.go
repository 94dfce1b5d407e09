package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// Put together, so that no scanner takes this file for a leak.
const (
	awsKey = "AK" + "IAIOSFODNN7EXAMPLE"
	webKey = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.Qm7xT2vK9pLs4WbZ1nRd8HyF3cGj6EaU"
)

// TestSecretsReachNothingThatIsKept sends secrets wherever a client can send anything, and looks for them in the answers,
// the process log, the export and every byte of the database.
//
// Verifies: ORC-108
func TestSecretsReachNothingThatIsKept(t *testing.T) {
	for _, format := range []string{"json", "console"} {
		t.Run(format, func(t *testing.T) {
			dir := newProject(t)
			p := startServer(t, dir, "--log-format", format, "--log-level", "debug")
			own, err := p.token("coder")
			require.NoError(t, err)
			secrets := []string{own, awsKey, webKey}
			for _, secret := range secrets {
				for _, r := range leaks(secret) {
					answer, err := p.call(r)
					require.NoError(t, err)
					require.GreaterOrEqual(t, answer.status, 400, "%v %v", r, answer)
					requireWithout(t, fmt.Sprintf("the answer to %v", r), answer.body, secrets)
				}
				sendRaw(t, p, secret)
			}
			accepted, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-001", body: `{"pm_notes":[{"text":"kept in the vault"}]}`})
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, accepted.status, accepted.body)
			require.NoError(t, p.stop(0))
			require.Contains(t, p.log.String(), "secret_in_text")
			require.Contains(t, p.log.String(), "[masked aws_access_key]", "the path is logged, without the secret")
			requireWithout(t, "the process log", p.log.String()+p.out.String(), secrets)
			for _, name := range []string{"project_status.json", ".orchestrator/state.db", ".orchestrator/tokens.json"} {
				kept, err := os.ReadFile(filepath.Join(dir, name))
				require.NoError(t, err)
				requireWithout(t, name, string(kept), secrets)
			}
			requireInOrder(t, dir)
		})
	}
}

func requireWithout(t *testing.T, what, text string, secrets []string) {
	t.Helper()
	for _, secret := range secrets {
		for _, part := range []string{secret[:12], secret[6:]} {
			require.False(t, strings.Contains(strings.ToLower(text), strings.ToLower(part)), "%s holds a secret", what)
		}
	}
}

// leaks are requests that are refused, each with a secret in another place.
func leaks(secret string) []request {
	const one, fine = "/requirements/REQ-001", `{"pm_notes":[{"text":"fine"}]}`
	text := `{"pm_notes":[{"text":"the key: ` + secret + `"}]}`
	with := func(name, value string) http.Header { return http.Header{name: {value}} }
	all := []request{
		{role: "pm", method: "PATCH", path: one, body: text},
		{role: "viewer", method: "PATCH", path: one, body: text},
		{role: "pm", method: "PATCH", path: "/requirements/REQ-999", body: text},
		{role: "pm", method: "PATCH", path: one, body: text[:len(text)-3]},
		{role: "pm", method: "PATCH", path: one, body: secret},
		{role: "pm", method: "PATCH", path: one, body: `{"` + secret + `":1}`},
		{role: "pm", method: "PATCH", path: one, body: `{"` + secret + `":1,"` + secret + `":2}`},
		{role: "pm", method: "PATCH", path: one, body: `{"a":{"` + secret + `":1e999}}`},
		{role: "pm", method: "PATCH", path: one, body: `{"status":"` + secret + `"}`},
		{role: "pm", method: "PATCH", path: one + "?" + secret + "=1", body: fine},
		{role: "pm", method: "PATCH", path: one + "?dry_run=" + secret, body: fine},
		{role: "pm", method: "PATCH", path: "/requirements/" + secret, body: fine},
		{role: "pm", method: "PATCH", path: "/requirements/%00" + secret, body: fine},
		{role: "pm", method: "PATCH", path: "/requirements/a%0a" + secret, body: fine},
		{role: "pm", method: "PATCH", path: one, body: fine, header: with("Idempotency-Key", secret)},
		{role: "pm", method: "PATCH", path: one, body: fine, header: with("Idempotency-Key", "two words "+secret)},
		{role: "pm", method: "PATCH", path: one, body: fine, header: with("If-Match", secret)},
		{role: "pm", method: "PATCH", path: one, body: fine, header: with("Content-Type", "text/"+secret)},
		{role: "pm", method: "PATCH", path: one, body: fine, header: with("Content-Encoding", secret)},
		{role: "pm", method: "PATCH", path: one, body: "{", header: with("X-Request-Id", secret)},
		{role: "tester", method: "POST", path: one + "/test-report", body: `<testsuite name="` + secret + `"><testcase name="` + secret + `"/></testsuite>`},
		{role: "tester", method: "POST", path: one + "/test-report", body: `<testsuite><testcase name="` + secret + `"></testsuite>`},
		{role: "tester", method: "POST", path: one + "/test-report", body: "1..1\nok 1 - " + secret + "\n"},
		{role: "tester", method: "POST", path: one + "/test-report", body: secret},
		{role: "coder", method: "POST", path: "/requests", body: `{"utterance":"how many a's in ` + secret + `"}`},
		{role: "coder", method: "POST", path: "/requests", body: `{"utterance":"what is 2+2","` + secret + `":1,"` + secret + `":2}`},
		{role: "coder", method: "POST", path: "/obligations", body: `{"obligations":[{"type":"REPORT","payload":{"kind":"` + secret + `"}}]}`},
		{role: "pm", method: "POST", path: "/project/import", body: secret},
		{role: "pm", method: "POST", path: "/project/import?" + secret},
		{role: "pm", method: "GET", path: "/requirements/" + secret},
		{role: "pm", method: "GET", path: "/requirements/" + secret + "/history?limit=" + secret},
		{role: "pm", method: "GET", path: "/requirements?status=" + secret},
		{role: "pm", method: "GET", path: "/requirements?after=" + secret},
		{role: "pm", method: "GET", path: "/requirements?" + secret + "=1"},
		{role: "pm", method: "GET", path: "/project/review", header: with("Accept", "text/"+secret)},
		{role: "pm", method: "GET", path: "/audit?from=" + secret},
		{role: "pm", method: "GET", path: "/audit/blobs/" + secret},
		{role: "pm", method: "GET", path: "/audit/records/" + secret},
		{role: "pm", method: "GET", path: "/audit/tile/" + secret},
		{role: "pm", method: "GET", path: "/audit/proof/inclusion?index=" + secret},
		{role: "pm", method: secret, path: one},
		{method: "GET", path: "/schemas/" + secret},
		{method: "GET", path: "/" + secret + "/x?token=" + secret},
		{method: "GET", path: "/%7f" + secret},
		{method: "GET", path: "/livez", header: with("Host", secret)},
		{method: "GET", path: "/livez", header: with("Host", strings.Repeat("a", 50)+"."+secret)},
		{method: "GET", path: one, header: with("Authorization", "Bearer x"+secret)},
		{method: "GET", path: one, header: with("Authorization", secret)},
		{method: "GET", path: one, header: with("Authorization", "Basic "+secret)},
		{method: "PATCH", path: one, body: text},
	}
	if len(secret) < 60 { // longer tags are refused as such
		all = append(all, request{role: "pm", method: "PATCH", path: one, body: fine, header: with("If-Match", `"`+secret+`"`)})
	}
	return slices.Clip(all)
}

// sendRaw sends what no HTTP client would.
func sendRaw(t *testing.T, p *process, secret string) {
	t.Helper()
	for _, sent := range []string{
		"GET /" + secret + " HTTP/9.9\r\n\r\n",
		"GET /livez HTTP/1.1\r\nHost: " + secret + " " + secret + "\r\n\r\n",
		"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n" + secret + " : 1\r\n\r\n",
		"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + secret + "\r\n\r\n",
		"GET /livez?a;" + secret + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
		secret + "\r\n\r\n",
	} {
		exchange(t, p, sent)
	}
}

func TestLogLinesAreMasked(t *testing.T) {
	var out strings.Builder
	log := zerolog.New(maskedLog{zerolog.LevelWriterAdapter{Writer: &out}})
	log.Info().Str("path", "/a/"+awsKey).Str("more", "tab\t"+awsKey+"\n\x1b"+awsKey).Strs("list", []string{awsKey, "b"}).
		Interface("nested", map[string]any{"a": []string{awsKey}}).Int("status", 404).Float64("took_ms", 1.25).Bool("b", true).Msg(awsKey)
	log.Info().Str("path", "/a/b").Msg("request")
	require.NotContains(t, out.String(), awsKey[4:])
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
	require.Equal(t, "/a/[masked aws_access_key]", line["path"])
	require.Equal(t, "tab\t[masked aws_access_key]\n\x1b[masked aws_access_key]", line["more"])
	require.Equal(t, 1.25, line["took_ms"])
	require.Equal(t, "[masked aws_access_key]", line["message"])
	require.Equal(t, `{"level":"info","path":"/a/b","message":"request"}`, lines[1])
	require.Equal(t, "no JSON: [masked aws_access_key] \\", string(masked([]byte("no JSON: "+awsKey+" \\"))))
	require.Equal(t, `{"a":"b\\`, string(masked([]byte(`{"a":"b\\`))))
}
