// Package pagetest fills a page for a test, from an API that answers what the test says.
package pagetest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
)

// Now is when pages are filled.
var Now = time.Date(2026, 11, 22, 14, 50, 0, 0, time.UTC)

// API answers by method and path, such as "GET /next"; with the query behind it, that answer comes first. What it has
// no answer for is a problem with status 404.
type API struct {
	Answers map[string]string
	Status  map[string]int // of an answer, where it is not 200
	Header  http.Header    // of all answers
	Asked   []string       // what was asked, with its query
	Bodies  []string       // of what was asked
	Sent    []http.Header
}

// ServeHTTP looks up what is asked.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.Method + " " + r.URL.EscapedPath()
	whole := path
	if r.URL.RawQuery != "" {
		whole += "?" + r.URL.RawQuery
	}
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	a.Asked, a.Bodies, a.Sent = append(a.Asked, whole), append(a.Bodies, body.String()), append(a.Sent, r.Header)
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	for _, key := range []string{whole, path} {
		answer, found := a.Answers[key]
		if !found {
			continue
		}
		if status := a.Status[key]; status != 0 {
			w.WriteHeader(status)
		}
		_, _ = w.Write([]byte(answer))
		return
	}
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"status":404,"code":"unknown_path","detail":"nothing is at this path"}`))
}

// Visit returns a visit of somebody with a role, to an address below page.Root.
func (a *API) Visit(role, address string) *page.Visit {
	to, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	who := &session.Session{Name: "paula", Role: role, Token: "t"}
	from := httptest.NewRequest(http.MethodGet, page.Root+address, http.NoBody)
	return &page.Visit{API: ask.API{Handler: a, From: from, Token: who.Token, ID: "r1"}, Who: who, Path: to.Path,
		Query: to.Query(), Now: Now}
}

// Recorded returns an answer that is kept in testdata of the package under test.
func Recorded(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	return string(body)
}

// Show returns a page as HTML.
func Show(t *testing.T, p page.Page, v *page.Visit) string {
	t.Helper()
	view, err := p.Show(v)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, p.Template().Execute(&b, page.Frame{View: view, Nav: p.Nav, Now: v.Now, Who: v.Who}))
	return b.String()
}
