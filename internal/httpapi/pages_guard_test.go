package httpapi_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// What a decision rests on is recorded as it was shown: lines that moved, where they stand now.
//
// Verifies: ORC-332
func TestAPageRestsOnTheLinesThatItShows(t *testing.T) {
	var c clone
	h := newHarness(t, inRepository(t, &c, map[string]string{"plan.md": "a plan\n",
		"a.go": "package a\n\nfunc A() { right() }\n"}))
	h.patch("pm", move(lifecycle.Planned))
	h.patch("pm", move(lifecycle.DesignInProgress))
	h.patch("architect", `{"design_spec":{"summary":"a form"}}`)
	h.patch("pm", move(lifecycle.DesignReady))
	h.patch("pm", move(lifecycle.ImplementationInProgress))
	h.patch("coder", `{"implementation":{"summary":"done","files":[{"path":"a.go","lines":"3"}]}}`)
	b := h.browse().signIn("pm")
	seen := b.visit("/ui/requirements/REQ-001", nil).form("move implemented")
	seen.Set("text", "I looked at it")

	c.write("a.go", "package a\n\nvar wrong = 1\n\nfunc A() { right() }\n", time.Now())
	c.commit("second")
	require.Equal(t, 303, b.visit("/ui/requirements/REQ-001", seen).status, b.page)
	log := string(h.do("pm", "GET", "/requirements/REQ-001/history?limit=1", "").Body)
	require.Contains(t, log, `"evidence":[{"kind":"file","path":"a.go","lines":"5"}]`)
}

// A page asks the API many things, and is one request: it counts once, before anything is asked, and what is beyond the
// limit costs nothing. Who has no session is limited by address, whatever they send.
//
// Verifies: ORC-331
func TestPagesCountAgainstTheLimit(t *testing.T) {
	h := newHarness(t, func(o *options) { o.Limit = token.Limit{PerSecond: 0.001, Burst: 5} })
	answered := func(route string) string {
		metrics := string(h.do("", "GET", "/metrics", "").Body)
		return regexp.MustCompile(`requests_total\{.*route="` + route + `",status="200"\} (.*)`).FindString(metrics)
	}
	b := h.browse().signIn("viewer")
	for range 5 {
		require.Equal(t, 200, b.visit("/ui/", nil).status, b.page)
	}
	before := answered("/next")
	require.NotEmpty(t, before)
	for _, path := range []string{"/ui/", "/ui/audit", "/ui/requirements/REQ-001", "/ui/nothing", "/ui/events"} {
		require.Equal(t, 429, b.visit(path, nil).status, path)
		require.NotEmpty(t, b.header.Get("Retry-After"), path)
		require.Contains(t, b.page, "rate_limited", path)
	}
	require.Equal(t, before, answered("/next"), "what is refused asks for nothing")

	nobody := h.browse()
	form := url.Values{"text": {strings.Repeat("<", 300<<10/3)}}
	for range 4 {
		require.Equal(t, 401, nobody.visit("/ui/requirements/REQ-001", form).status)
	}
	for range 2 {
		require.Equal(t, 429, nobody.visit("/ui/requirements/REQ-001", form).status)
		require.Equal(t, 429, nobody.visit("/ui/sign-in", url.Values{"token": {h.secrets["pm"]}}).status)
		require.Equal(t, 429, nobody.visit("/ui/sign-in", nil).status)
	}
	require.Equal(t, 200, nobody.visit("/ui/assets/page.js", nil).status)
}

// A service on another port of the same host has a session of its own: browsers keep the cookies of both together.
//
// Verifies: ORC-331
func TestServicesOfOneHostKeepTheirSessionsApart(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("pm")
	session, _, _ := strings.Cut(b.header.Get("Set-Cookie"), ";")
	name, id, _ := strings.Cut(session, "=")
	require.Equal(t, "orchestrator_session_"+strings.Split(h.Server.URL, ":")[2], name)
	other := h.browse().visit("/ui/", nil, "Cookie", "orchestrator_session_1=another")
	require.Equal(t, 401, other.status)
	require.Empty(t, other.header.Values("Set-Cookie"), "the session of another service is left alone")
	require.Equal(t, 401, other.visit("/ui/", nil, "Cookie", "orchestrator_session="+id).status)
	b.visit("/ui/sign-in", url.Values{"token": {h.secrets["pm"]}}, "Host", "127.0.0.1")
	require.Regexp(t, "^orchestrator_session=", b.header.Get("Set-Cookie"))
	require.Equal(t, "same-origin", b.header.Get("Cross-Origin-Resource-Policy"))
}

// What goes on within a session ends with it.
//
// Verifies: ORC-331
func TestAStreamEndsWithItsSession(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("viewer")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.Server.URL+"/ui/events", nil)
	require.NoError(t, err)
	resp, err := b.client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 200, resp.StatusCode)
	b.visit("/ui/sign-out", url.Values{})
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, resp.Body)
		read <- err
	}()
	select {
	case <-read:
	case <-time.After(10 * time.Second):
		require.Fail(t, "the stream goes on after signing out")
	}
}

// An id may have any character: who has to sign in anew comes back to the page that they wrote on.
//
// Verifies: ORC-331
func TestWhatWasTypedComesBackToItsPage(t *testing.T) {
	h := newHarness(t)
	b := h.browse()
	for _, path := range []string{"/ui/requirements/A%2FB", "/ui/requirements/50%25", "/ui/requirements/why%3F",
		"/ui/requirements/a%23b"} {
		b.visit(path, url.Values{"text": {"typed"}})
		require.Equal(t, 401, b.status)
		require.Contains(t, b.page, `name="to" value="`+path+`"`)
	}
	b.visit("/ui/requirements/REQ-001", url.Values{"text": {strings.Repeat("x", 400<<10)}})
	require.Equal(t, 400, b.status)
	require.Less(t, len(b.page), 10<<10)
}

// A deviation keeps a requirement from done until a pm closes it, who has the form for it on the page.
//
// Verifies: ORC-332
func TestAPMClosesADeviationOnThePage(t *testing.T) {
	h := newHarness(t)
	testedRequirement(t, h)
	h.patch("pm", exampleBody(t, "pm_records_a_deviation"))
	b := h.browse().signIn("pm")
	require.Contains(t, b.visit("/ui/requirements/REQ-001", nil).page, "cannot be signed yet")
	form := b.form("resolve DEV-1")
	form.Set("outcome", "rejected")
	form.Set("text", "   ")
	require.Equal(t, 422, b.visit("/ui/requirements/REQ-001", form).status, b.page)
	require.Contains(t, b.page, `<option value="rejected" selected>`)
	form = b.form("resolve DEV-1")
	form.Set("outcome", "accepted")
	form.Set("text", "enough for now")
	require.Equal(t, 303, b.visit("/ui/requirements/REQ-001", form).status, b.page)
	require.Contains(t, b.visit("/ui/requirements/REQ-001", nil).page, "You closed deviation DEV-1 of REQ-001.")
	form = b.form("approve")
	require.NotContains(t, b.page, `value="resolve"`)
	form.Del("rests")
	form.Set("text", "it is done")
	require.Equal(t, 422, b.visit("/ui/requirements/REQ-001", form).status)
	require.Contains(t, b.page, "tick at least one piece of evidence under What you rest on")
	require.NotContains(t, h.browse().signIn("tester").visit("/ui/requirements/REQ-001", nil).page, `value="resolve"`)
}
