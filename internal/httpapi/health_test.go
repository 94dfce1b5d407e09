package httpapi_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi"
)

// ready is the answer of /readyz once it no longer waits for the first export.
func (h *harness) ready() (status int, body string) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		got := h.do("", http.MethodGet, "/readyz?verbose", "")
		status, body = got.Status, string(got.Body)
		return !strings.Contains(body, `"status":"starting"`)
	}, time.Minute, time.Millisecond)
	return status, body
}

// TestReadyBeforeTheFirstExport: an answer that all is well would be a guess.
//
// Verifies: ORC-054
func TestReadyBeforeTheFirstExport(t *testing.T) {
	h := newHarness(t, func(o *options) { o.Unexported = true })
	h.expect(503, "", "", http.MethodGet, "/readyz", "")
	require.Contains(t, string(h.expect(503, "", "", http.MethodGet, "/readyz?verbose", "").Body), `{"name":"export","status":"starting"`)
	h.expect(200, "", "", http.MethodGet, "/livez", "")

	none := newHarness(t, func(o *options) { o.Unexported, o.ExportPath = true, "" })
	require.JSONEq(t, `{"status":"ok"}`, string(none.expect(200, "", "", http.MethodGet, "/readyz", "").Body), "none is to be written")

	status, body := newHarness(t).ready()
	require.Equal(t, 200, status)
	require.Contains(t, body, `{"status":"ok","checks":[`)
}

// TestReadyWithWarnings: what takes nothing from those who ask takes the service out of no traffic.
//
// Verifies: ORC-054
func TestReadyWithWarnings(t *testing.T) {
	unwritable := newHarness(t, func(o *options) {
		o.ExportPath, o.ExportWait = filepath.Join(t.TempDir(), "no such folder", "project_status.json"), time.Millisecond
	})
	status, body := unwritable.ready()
	require.Equal(t, 200, status)
	require.Contains(t, body, `{"status":"warning","checks":[`)
	require.Contains(t, body, `{"name":"export","status":"warning","detail":"`)

	broken := newHarness(t)
	broken.write(sample + "\n## REQ-001: Another\n\nText.\n")
	broken.expect(422, "document_invalid", "pm", http.MethodPost, "/project/import", "")
	status, body = broken.ready()
	require.Equal(t, 200, status)
	require.Contains(t, body, `{"name":"import","status":"warning","detail":"`)
	broken.Draining.Store(true)
	require.Contains(t, string(broken.expect(503, "", "", http.MethodGet, "/readyz?verbose", "").Body), `{"status":"failing","checks":[`,
		"the worst of the checks decides")
}

// TestReadyWithFurtherChecks: the checks of others count like the service's own.
func TestReadyWithFurtherChecks(t *testing.T) {
	var further []httpapi.Check
	h := newHarness(t, func(o *options) { o.Checks = func() []httpapi.Check { return further } })
	h.ready()
	for _, c := range []struct {
		of   []httpapi.CheckStatus
		code int
		all  httpapi.CheckStatus
	}{
		{nil, 200, httpapi.CheckOK},
		{[]httpapi.CheckStatus{httpapi.CheckOK}, 200, httpapi.CheckOK},
		{[]httpapi.CheckStatus{httpapi.CheckWarning, httpapi.CheckOK}, 200, httpapi.CheckWarning},
		{[]httpapi.CheckStatus{httpapi.CheckStarting, httpapi.CheckWarning}, 503, httpapi.CheckStarting},
		{[]httpapi.CheckStatus{httpapi.CheckWarning, httpapi.CheckFailing, httpapi.CheckStarting}, 503, httpapi.CheckFailing},
	} {
		further = nil
		for _, status := range c.of {
			further = append(further, httpapi.Check{Name: "clock", Status: status, Detail: "why"})
		}
		h.expect(c.code, "", "", http.MethodGet, "/readyz", "")
		body := string(h.expect(c.code, "", "", http.MethodGet, "/readyz?verbose", "").Body)
		require.True(t, strings.HasPrefix(body, `{"status":"`+string(c.all)+`",`), body)
		require.Equal(t, len(c.of), strings.Count(body, `"name":"clock"`), body)
	}
}
