package main

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"
)

// The pages for people are routes like the others, and what is done on them leaves the same records.
func init() { maps.Copy(routes, pageRoutes) }

// looking opens a page in the session of a pm.
func looking(path string, status int) door {
	return door{reads: true, may: []string{"evidence.rechecked"}, accepted: func(w *walker) {
		w.page("pm", path, nil, status)
	}}
}

var pageRoutes = map[string]door{
	"GET /ui/":                       looking("/ui/", 200),
	"GET /ui/assets/{name}":          looking("/ui/assets/sheet.css", 200),
	"GET /ui/audit":                  looking("/ui/audit", 200),
	"GET /ui/audit/records/{id}":     looking("/ui/audit/records/1", 200),
	"GET /ui/boundary/report":        looking("/ui/boundary/report", 200),
	"GET /ui/progress":               looking("/ui/progress", 200),
	"GET /ui/project/import":         looking("/ui/project/import", 200),
	"GET /ui/project/review":         looking("/ui/project/review", 200),
	"GET /ui/project/review.csv":     looking("/ui/project/review.csv", 200),
	"GET /ui/requirements":           looking("/ui/requirements", 200),
	"GET /ui/requirements/{id}":      looking("/ui/requirements/REQ-001", 200),
	"GET /ui/requirements/{id}/text": looking("/ui/requirements/REQ-001/text", 200),
	"GET /ui/sign-in":                looking("/ui/sign-in", 200),
	"GET /ui/traces":                 looking("/ui/traces", 200),
	"GET /ui/traces/{id}":            looking("/ui/traces/0000000000000000", 404),
	"GET /ui/workflow":               looking("/ui/workflow", 200),
	"GET /ui/events": {reads: true, accepted: func(w *walker) {
		resp := w.openPage("pm", "/ui/events?since=0", nil)
		defer resp.Body.Close()
		_, err := io.ReadFull(resp.Body, make([]byte, 6))
		require.NoError(w.t, err)
	}},
	"POST /ui/audit": {
		reads:    true,
		accepted: func(w *walker) { w.page("pm", "/ui/audit", url.Values{"act": {"verify"}}, 200) },
	},
	"POST /ui/sign-in": {reads: true, accepted: func(w *walker) {
		w.page("", "/ui/sign-in", url.Values{"token": {"none"}}, 401)
	}},
	"POST /ui/sign-out": {reads: true, accepted: func(w *walker) { w.page("pm", "/ui/sign-out", url.Values{}, 303) }},
	"POST /ui/theme": {
		reads:    true,
		accepted: func(w *walker) { w.page("", "/ui/theme", url.Values{"theme": {"dark"}}, 303) },
	},
	"POST /ui/requirements/{id}": {
		accepted: func(w *walker) { w.page("pm", "/ui/requirements/REQ-001", noteForm, 303) },
		refused:  func(w *walker) { w.page("coder", "/ui/requirements/REQ-001", noteForm, 403) },
		dry:      func(w *walker) { w.page("pm", "/ui/requirements/REQ-001", tried(noteForm), 200) },
		records:  []string{"requirement.changed"}, refusal: "requirement.refused coder field_forbidden",
	},
	"POST /ui/project/import": {
		accepted: func(w *walker) {
			w.document(shop + "- **REQ-003**: More.\n- **REQ-004**: Still more.\n")
			w.page("pm", "/ui/project/import", url.Values{"act": {"import"}}, 303)
		},
		refused: func(w *walker) { w.page("viewer", "/ui/project/import", url.Values{"act": {"import"}}, 403) },
		dry:     func(w *walker) { w.page("pm", "/ui/project/import", url.Values{"act": {"look"}}, 200) },
		records: []string{"requirements.imported"}, refusal: "request.refused viewer role_forbidden",
	},
	"POST /ui/workflow": {
		accepted: func(w *walker) {
			w.page("pm", "/ui/workflow", url.Values{"workflow": {"rework"}, "reason": {"r"}}, 303)
		},
		refused: func(w *walker) {
			w.page("coder", "/ui/workflow", url.Values{"workflow": {"v1"}, "reason": {"r"}}, 403)
		},
		records: []string{"workflow.chosen"}, refusal: "request.refused coder role_forbidden",
	},
	"POST /ui/boundary/report": {
		accepted: func(w *walker) {
			w.page(
				"pm",
				"/ui/boundary/report",
				url.Values{"act": {"attest"}, "item": {"team"}, "note": {"briefed"}},
				303,
			)
		},
		refused: func(w *walker) {
			w.page("coder", "/ui/boundary/report", url.Values{"act": {"attest"}, "item": {"team"}, "note": {"n"}}, 403)
		},
		records: []string{"boundary.recorded"}, refusal: "request.refused coder role_forbidden",
	},
	"POST /ui/traces": {
		accepted: func(w *walker) { w.page("coder", "/ui/traces", asked("what is 2+2"), 303) },
		refused:  func(w *walker) { w.page("coder", "/ui/traces", asked("hm"), 422) },
		records:  oneRun, refusal: "request.refused coder not_understood",
	},
	"POST /ui/traces/{id}": {
		prepare: func(w *walker) {
			w.ask("coder", "POST", "/obligations", aQuestion, 200)
			w.ask("coder", "POST", "/obligations", aQuestion, 200)
		},
		accepted: func(w *walker) { w.answer("2+2", 303) },
		refused:  func(w *walker) { w.answer("", 422) },
		records:  []string{"conductor.stepped", "conductor.stepped"}, refusal: "request.refused coder answer_unfit",
	},
}

// noteForm is the form of a page with which a note is written.
var noteForm = url.Values{"act": {"note"}, "text": {"n"}}

func tried(form url.Values) url.Values {
	form = maps.Clone(form)
	form.Set("try", "1")
	return form
}

func asked(utterance string) url.Values { return url.Values{"act": {"ask"}, "utterance": {utterance}} }

var hidden = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)

// answer answers the question of a run that waits, by the form of its page.
func (w *walker) answer(value string, status int) {
	w.t.Helper()
	path := "/ui/traces/" + w.asks()
	form := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(w.page("coder", path, nil, 200), -1) {
		form.Set(m[1], m[2])
	}
	form.Set("value", value)
	w.page("coder", path, form, status)
}

// page opens a page, or sends a form of it, in a session of its own.
func (w *walker) page(role, path string, form url.Values, status int) string {
	w.t.Helper()
	resp := w.openPage(role, path, form)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	require.Equal(w.t, status, resp.StatusCode, "%s: %s", w.name, body)
	return string(body)
}

// openPage signs in with the token of a role, if there is one, and opens a page.
func (w *walker) openPage(role, path string, form url.Values) *http.Response {
	w.t.Helper()
	var cookies []*http.Cookie
	if role != "" {
		secret, err := w.p.token(role)
		require.NoError(w.t, err)
		resp := w.post("/ui/sign-in", url.Values{"token": {secret}}, nil)
		require.NoError(w.t, resp.Body.Close())
		require.Equal(w.t, http.StatusSeeOther, resp.StatusCode)
		cookies = resp.Cookies()
	}
	if form != nil {
		return w.post(path, form, cookies)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.p.base()+path, nil)
	require.NoError(w.t, err)
	return w.send(req, cookies)
}

func (w *walker) post(path string, form url.Values, cookies []*http.Cookie) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.p.base()+path,
		strings.NewReader(form.Encode()))
	require.NoError(w.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.send(req, cookies)
}

func (w *walker) send(req *http.Request, cookies []*http.Cookie) *http.Response {
	w.t.Helper()
	for _, c := range cookies {
		req.AddCookie(c)
	}
	resp, err := w.p.client().Transport.RoundTrip(req) // no redirections
	require.NoError(w.t, err)
	return resp
}
