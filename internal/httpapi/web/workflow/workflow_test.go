package workflow

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
)

const v1 = `{"name":"v1","evidence":"verify","branch":"<main>","dead_ends":["blocked","deferred"],"rules":4,
"transitions":[{"from":"not_started","to":"planned","by":"pm"},{"from":"any","to":"blocked","by":"pm"}],
"gates":[{"to":"done","name":"approval","needs":"an approval","supplier":"pm"},{"to":"done","name":"x","needs":"no open deviation","supplier":"pm"}],
"fields":{"pm":["status","pm_notes","justification"],"coder":["implementation","justification"],"viewer":[]}}`

// shown returns the page of a workflow while so many requirements are blocked.
func shown(t *testing.T, workflow, blocked, role string, form url.Values, refused *ask.Refusal) string {
	t.Helper()
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := workflow
		if r.URL.Path == "/next" {
			answer = `{"counts":{"total":3,"by_status":{"blocked":` + blocked + `}}}`
		}
		_, _ = w.Write([]byte(answer))
	})
	v := &page.Visit{API: ask.API{Handler: api, From: httptest.NewRequest(http.MethodGet, "/ui/workflow", nil)},
		Who: &session.Session{Name: "paula", Role: role}, Form: form, Refused: refused}
	view, err := Page().Show(v)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, Page().Template.Execute(&b, page.Frame{View: view, Who: v.Who, Now: time.Now()}))
	return b.String()
}

// TestTheSwitchSaysWhatItChanges, above the button, and only a pm has one.
//
// Verifies: ORC-338
func TestTheSwitchSaysWhatItChanges(t *testing.T) {
	got := shown(t, v1, "0", "pm", url.Values{"reason": {"a <b> reason"}}, nil)
	require.Contains(t, got, "Workflow v1 is in force; from two statuses nothing leads to done.")
	require.Contains(t, got, "Workflow rework adds seven moves.")
	require.Contains(t, got, "where it stood before, by the PM")
	require.Contains(t, got, "a &lt;b&gt; reason</textarea>")
	require.Contains(t, got, "looked up on &lt;main&gt; before")
	require.Contains(t, got, "status and pm notes")
	require.Contains(t, got, "nothing: it reads")
	require.Contains(t, got, `rowspan="2"`)
	require.Less(t, strings.Index(got, "adds seven moves"), strings.Index(got, "Put workflow rework in force"))

	got = shown(t, v1, "0", "viewer", nil, nil)
	require.NotContains(t, got, "<textarea")
	require.Contains(t, got, "A PM can put it in force.")
}

// TestTheWayBackIsClosedWhileItWouldStrand: the button gives way to what stands against it.
func TestTheWayBackIsClosedWhileItWouldStrand(t *testing.T) {
	rework := strings.Replace(strings.Replace(v1, `"v1"`, `"rework"`, 1), `["blocked","deferred"]`, `[]`, 1)
	got := shown(t, rework, "2", "pm", nil, nil)
	require.Contains(t, got, "Workflow rework is in force: every status leads to done.")
	require.Contains(t, got, "takes seven moves away")
	require.Contains(t, got, "2 that are blocked</a>. Move them on first.")
	require.NotContains(t, got, "Put workflow v1 in force")
	require.Contains(t, shown(t, rework, "0", "pm", nil, nil), "Put workflow v1 in force")
}

// TestTheSwitchIsTheRequestOfThePM: what is sent is what a program would send, and a refusal is one of the API.
func TestTheSwitchIsTheRequestOfThePM(t *testing.T) {
	var method, body string
	status := http.StatusOK
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(read)
		method, body = r.Method+" "+r.URL.Path, string(read)
		w.Header().Set("Audit-Receipt", "index=41, root=x")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"detail":"not yours","code":"role_forbidden","status":403}`))
	})
	v := &page.Visit{API: ask.API{Handler: api, From: httptest.NewRequest(http.MethodGet, "/ui/workflow", nil)},
		Form: url.Values{"workflow": {"rework"}, "reason": {" why "}}}
	done, err := act(v)
	require.NoError(t, err)
	require.Equal(t, "PUT /workflow", method)
	require.JSONEq(t, `{"workflow":"rework","reason":"why"}`, body)
	require.Equal(t, "Workflow rework is in force. It is record 41 of the log.", done.Said)

	status = http.StatusForbidden
	_, err = act(v)
	var refused *ask.Refusal
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "not yours", refused.Detail)
	require.Contains(t, shown(t, v1, "0", "pm", nil, refused), "<h2 id=\"refused-head\" dir=\"auto\">Not yours</h2>")
}
