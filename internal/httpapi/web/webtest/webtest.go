// Package webtest fills pages in tests, from answers of the API that are written down.
package webtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
)

// Now is when every visit is.
var Now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// API answers requests with what is written down.
type API struct {
	// Answers are by method and path, with the query where one is told apart by it: "GET /next", "GET /next?limit=1".
	Answers map[string]Answer
	Sent    []*http.Request // that change something, in their order
	Bodies  []string        // of those
}

// Answer is what the API answers. A Status of 0 is 200.
type Answer struct {
	Status int
	Body   string
	Header map[string]string
}

// ServeHTTP answers with what is written down for the path and query, or for the path, or with 404.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		body, _ := io.ReadAll(r.Body) // of memory
		a.Sent, a.Bodies = append(a.Sent, r), append(a.Bodies, string(body))
	}
	answer, found := a.Answers[r.Method+" "+r.URL.RequestURI()]
	if !found {
		answer, found = a.Answers[r.Method+" "+r.URL.EscapedPath()]
	}
	if !found {
		answer = Answer{
			Status: http.StatusNotFound,
			Body:   `{"code":"unknown_path","detail":"nothing is written down","status":404}`,
		}
	}
	for name, value := range answer.Header {
		w.Header().Set(name, value)
	}
	if answer.Status != 0 {
		w.WriteHeader(answer.Status)
	}
	_, _ = io.WriteString(w, answer.Body)
}

// Visit returns a visit of paula, in a role, at the page of a parameter, with the query of its address.
func (a *API) Visit(role, id, query string) *page.Visit {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err) // a test that is written wrong
	}
	from := httptest.NewRequest(http.MethodGet, "/ui/", nil)
	return &page.Visit{API: ask.API{Handler: a, From: from}, Who: &session.Session{Name: "paula", Role: role},
		ID: id, Query: values, Form: url.Values{}, Now: Now}
}

// Render returns the page of a visit as HTML.
func Render(t *testing.T, p page.Page, v *page.Visit) string {
	t.Helper()
	view, err := p.Show(v)
	require.NoError(t, err)
	var b bytes.Buffer
	f := page.Frame{View: view, Nav: p.Nav, Now: v.Now, Who: v.Who, Address: "/ui/"}
	require.NoError(t, p.Template.Execute(&b, f))
	require.NotContains(t, b.String(), "ZgotmplZ", "something unsafe stands where it must not")
	return b.String()
}
