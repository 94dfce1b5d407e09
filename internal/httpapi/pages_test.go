package httpapi_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browser is somebody who looks at the pages. It follows no redirection.
type browser struct {
	*harness
	client *http.Client
	page   string // as it was answered last
	status int
	header http.Header
}

func (h *harness) browse() *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(h.t, err)
	return &browser{
		harness: h,
		client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
}

// visit asks for a page, or posts a form if there is one.
func (b *browser) visit(path string, form url.Values, headers ...string) *browser {
	b.t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.Server.URL+path, body)
	require.NoError(b.t, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Host = req.Header.Get("Host")
	resp, err := b.client.Do(req)
	require.NoError(b.t, err)
	page, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	require.NoError(b.t, resp.Body.Close())
	b.page, b.status, b.header = string(page), resp.StatusCode, resp.Header
	return b
}

// signIn signs in with the token of an actor.
func (b *browser) signIn(who string) *browser {
	b.t.Helper()
	b.visit("/ui/sign-in", url.Values{"token": {b.secrets[who]}, "to": {"/ui/"}})
	require.Equal(b.t, http.StatusSeeOther, b.status, b.page)
	return b
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)

// form returns what the form of a page for an act holds, as a browser would send it.
func (b *browser) form(act string) url.Values {
	b.t.Helper()
	for form := range strings.SplitSeq(b.page, "<form ") {
		form, _, _ = strings.Cut(form, "</form>")
		values := url.Values{}
		for _, m := range hiddenField.FindAllStringSubmatch(form, -1) {
			values.Set(m[1], strings.NewReplacer("&#34;", `"`, "&amp;", "&", "&#43;", "+").Replace(m[2]))
		}
		if values.Get("act")+" "+values.Get("to") == act || values.Get("act") == act {
			for _, m := range regexp.MustCompile(`name="rests" value="([^"]*)" checked`).FindAllStringSubmatch(form, -1) {
				values.Add("rests", m[1])
			}
			return values
		}
	}
	require.Fail(b.t, "the page has no such form", act)
	return nil
}

// Somebody signs in with a token, and their browser shows a session from then on, which the API does not take.
//
// Verifies: ORC-331
func TestASessionIsForThePagesAlone(t *testing.T) {
	h := newHarness(t)
	b := h.browse()
	require.Equal(t, http.StatusUnauthorized, b.visit("/ui/requirements/REQ-001", nil).status)
	require.Contains(t, b.page, `name="to" value="/ui/requirements/REQ-001"`)
	for _, wrong := range []string{"", "orc_wrong", "two words"} {
		require.Equal(t, http.StatusUnauthorized, b.visit("/ui/sign-in", url.Values{"token": {wrong}}).status, wrong)
		require.Empty(t, b.header.Values("Set-Cookie"), wrong)
	}
	b.signIn("pm")
	cookie := b.header.Get("Set-Cookie")
	for _, part := range []string{"Path=/ui;", "Max-Age=43200", "HttpOnly", "SameSite=Lax"} {
		require.Contains(t, cookie, part)
	}
	require.NotContains(t, cookie, h.secrets["pm"])
	require.Equal(t, http.StatusOK, b.visit("/ui/", nil).status)
	require.NotContains(t, b.page, h.secrets["pm"])
	session, _, _ := strings.Cut(cookie, ";")
	require.Equal(
		t,
		http.StatusUnauthorized,
		b.visit("/project", nil, "Cookie", session).status,
		"the API takes tokens alone",
	)
	require.Equal(t, http.StatusSeeOther, b.visit("/ui/sign-out", url.Values{}).status)
	require.Equal(
		t,
		http.StatusUnauthorized,
		b.visit("/ui/", nil, "Cookie", session).status,
		"who signed out has no session",
	)
}

// Verifies: ORC-331
func TestASessionEndsWithItsToken(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("pm")
	require.Equal(t, http.StatusOK, b.visit("/ui/", nil).status)
	_, err := h.files.RevokeName("pm")
	require.NoError(t, err)
	require.NoError(t, h.auth.Reload())
	b.visit("/ui/requirements/REQ-001", url.Values{"act": {"note"}, "text": {"what I typed <here>"}})
	require.Equal(t, http.StatusUnauthorized, b.status)
	require.Contains(t, b.page, "Your session is over")
	require.Contains(t, b.page, `name="draft.text" value="what I typed &lt;here&gt;"`, "what was typed is kept")
	require.Equal(t, http.StatusUnauthorized, b.visit("/ui/", nil).status)

	h.addToken("pam", "pm")
	b.visit(
		"/ui/sign-in",
		url.Values{"token": {h.secrets["pam"]}, "to": {"/ui/requirements/REQ-001"}, "draft.act": {"note"},
			"draft.text": {"what I typed <here>"}},
	)
	require.Equal(t, "/ui/requirements/REQ-001", b.header.Get("Location"))
	require.Contains(t, b.visit("/ui/requirements/REQ-001", nil).page, ">what I typed &lt;here&gt;</textarea>")
}

// A page of another site can have a browser send a form; nothing comes of it.
//
// Verifies: ORC-331
func TestAnotherSiteActsForNobody(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("pm")
	form := url.Values{"act": {"note"}, "text": {"not mine"}}
	for _, headers := range [][]string{{"Origin", "http://evil.example"}, {"Sec-Fetch-Site", "cross-site"},
		{"Origin", "http://127.0.0.1:1"}, {"Sec-Fetch-Site", "same-site"}} {
		require.Equal(t, http.StatusForbidden, b.visit("/ui/requirements/REQ-001", form, headers...).status, headers)
	}
	require.Equal(t, http.StatusMisdirectedRequest, b.visit("/ui/", nil, "Host", "evil.example").status)
	require.NotContains(t, h.expect(200, "", "viewer", "GET", "/requirements/REQ-001", "").Body, "not mine")
	for _, to := range []string{"//evil.example/ui/", "https://evil.example/ui/", "/\\evil.example", "/project", "/ui/../project", "x"} {
		b.visit("/ui/sign-in", url.Values{"token": {h.secrets["pm"]}, "to": {to}})
		require.Regexp(t, `^/ui/`, b.header.Get("Location"), to)
		require.NotContains(t, b.header.Get("Location"), "..", to)
	}
}

// Verifies: ORC-332
func TestAPMSignsOffOnThePage(t *testing.T) {
	h := newHarness(t)
	testedRequirement(t, h)
	b := h.browse().signIn("pm")
	require.Contains(t, b.visit("/ui/", nil).page, "can be signed now")
	b.visit("/ui/requirements/REQ-001", nil)
	form := b.form("approve")
	require.NotEmpty(t, form["rests"], "what holds is ticked")
	form.Set("text", "all of it was looked at")

	form.Set("try", "1")
	b.visit("/ui/requirements/REQ-001", form)
	require.Equal(t, http.StatusOK, b.status, b.page)
	require.Contains(t, b.page, "It would be accepted. Nothing was changed.")
	require.Contains(t, b.page, ">all of it was looked at</textarea>")
	require.Equal(t, "tested_pass", h.statusOf("REQ-001"))

	form = b.form("approve")
	form.Set("text", "all of it was looked at")
	before := h.Ledger.Head().Size
	b.visit("/ui/requirements/REQ-001", form)
	require.Equal(t, http.StatusSeeOther, b.status, b.page)
	require.Equal(t, "done", h.statusOf("REQ-001"))
	b.visit("/ui/requirements/REQ-001", form) // sent twice
	require.Equal(t, http.StatusSeeOther, b.status)
	require.Equal(t, before+1, h.Ledger.Head().Size, "a form is carried out once")
	require.Contains(t, b.visit(b.header.Get("Location"), nil).page, "You approved REQ-001. It is done. It is record ")
	require.Contains(t, b.page, "all of it was looked at")
	require.NotContains(t, b.visit("/ui/requirements/REQ-001", nil).page, "You approved REQ-001.", "it is said once")
}

// A refusal is shown as the API has it, with what was typed, and on record.
//
// Verifies: ORC-332
func TestAPageShowsARefusal(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("pm")
	form := b.visit("/ui/requirements/REQ-001", nil).form("move planned")
	h.patch("pm", `{"pm_notes":[{"text":"meanwhile"}]}`)
	form.Set("text", "a reason <b>")
	b.visit("/ui/requirements/REQ-001", form)
	require.Equal(t, http.StatusPreconditionFailed, b.status)
	require.Contains(t, b.page, `role="alert"`)
	require.Contains(t, b.page, "412 stale_revision")
	require.Contains(t, b.page, ">a reason &lt;b&gt;</textarea>")
	form = b.form("move planned")
	form.Del("rests")
	form.Set("text", "a reason")
	b.visit("/ui/requirements/REQ-001", form)
	require.Equal(t, http.StatusUnprocessableEntity, b.status)
	require.Contains(t, b.page, "422 schema_violation")
	require.Regexp(t, `href="/ui/audit\?from=[0-9]+&amp;limit=1">record`, b.page)
	require.Contains(t, b.page, "Nothing was changed.")
	require.Equal(t, "not_started", h.statusOf("REQ-001"))
}

// Verifies: ORC-333
func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("viewer")
	outside := regexp.MustCompile(
		`(?i)(src|href|action)="(https?:|//|data:|javascript:)|<script>|<style|style="|\son[a-z]+="`,
	)
	for _, path := range []string{"/ui/", "/ui/requirements/REQ-001", "/ui/requirements/REQ-001/text", "/ui/nothing", "/ui/sign-in"} {
		b.visit(path, nil)
		require.Equal(t, "text/html; charset=utf-8", b.header.Get("Content-Type"), path)
		require.Contains(t, b.header.Get("Content-Security-Policy"), "default-src 'self'", path)
		require.Equal(t, "no-store", b.header.Get("Cache-Control"), path)
		require.NotRegexp(t, outside, b.page, path)
		require.NotContains(t, b.page, "ZgotmplZ", path)
	}
	require.Equal(t, http.StatusNotFound, b.visit("/ui/nothing", nil).status)
	require.Equal(t, http.StatusNotFound, b.visit("/ui/requirements/REQ-999", nil).status)
	require.Contains(t, b.page, "unknown_requirement")
}

// A browser that asks for the front page is sent to the pages; a program is answered as ever.
//
// Verifies: ORC-333
func TestTheFrontPageSendsBrowsersToThePages(t *testing.T) {
	h := newHarness(t)
	b := h.browse()
	b.visit("/", nil, "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	require.Equal(t, http.StatusSeeOther, b.status)
	require.Equal(t, "/ui/", b.header.Get("Location"))
	for _, accept := range []string{"*/*", "", "application/json", "text/plain"} {
		require.Equal(t, http.StatusOK, b.visit("/", nil, "Accept", accept).status, accept)
		require.NotContains(t, b.header.Get("Content-Type"), "html", accept)
	}
}

// A page is told of changes by the stream of the API.
//
// Verifies: ORC-333
func TestAPageFollowsTheLog(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("viewer")
	b.visit("/ui/", nil)
	address := regexp.MustCompile(`data-events="([^"]*)"`).FindStringSubmatch(b.page)[1]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.Server.URL+address, nil)
	require.NoError(t, err)
	resp, err := b.client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, "text/event-stream", strings.Split(resp.Header.Get("Content-Type"), ";")[0])
	h.patch("pm", `{"pm_notes":[{"text":"told"}]}`)
	got := make([]byte, 0, 1<<12)
	for deadline := time.Now().Add(time.Minute); !strings.Contains(string(got), `"told"`) && time.Now().Before(deadline); {
		piece := make([]byte, 1<<10)
		n, err := resp.Body.Read(piece)
		require.NoError(t, err)
		got = append(got, piece[:n]...)
	}
	require.Contains(t, string(got), "event: requirement.changed")
	require.Equal(t, http.StatusUnauthorized, h.browse().visit(address, nil).status)
}
