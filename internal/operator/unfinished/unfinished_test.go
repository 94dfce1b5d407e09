package unfinished

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/apiclient"
)

// service answers as a service does that has so many requirements for the role, of which every tenth is claimed.
func service(t *testing.T, many int) *apiclient.Client {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /next", func(w http.ResponseWriter, r *http.Request) {
		from := 0
		_, _ = fmt.Sscanf(r.URL.Query().Get("after"), "REQ-%d", &from)
		mine := []any{}
		for i := from + 1; i <= min(many, from+page); i++ {
			item := map[string]any{"id": fmt.Sprintf("REQ-%d", i), "do": "see GET /next"}
			if i%10 == 0 {
				item["claim"] = map[string]any{"field": "test", "yours": i%20 == 0}
			}
			mine = append(mine, item)
		}
		answer(w, map[string]any{"mine": mine})
	})
	mux.HandleFunc("GET /requirements/{id}/next", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]any{"id": r.PathValue("id"), "status": "test_in_progress"})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	c, err := apiclient.New(apiclient.Options{Server: s.URL, Token: "t", Timeout: time.Minute})
	require.NoError(t, err)
	return c
}

func visited(ctx context.Context, c *apiclient.Client) (all []string, err error) {
	err = Visit(ctx, c, func(id, status string, do []string) { all = append(all, fmt.Sprint(id, " ", status, " ", do)) })
	return all, err
}

// Of all that keeps a requirement from being done, only what the holder's own role supplies, moves or mends is told.
func TestWhatIsAnothersIsNotTold(t *testing.T) {
	const view = `{"id":"REQ-1","status":"test_in_progress","actor":{"name":"t","role":"tester"},
		"fields":[{"field":"test","due":true,"example":{"test":{}}},{"field":"design_spec","due":false,"example":{"design_spec":{}}},
			{"field":"notes","due":true}],
		"moves":[{"to":"test_complete","ready":true,"leads_to_done":true,"example":{"status":"test_complete"}},
			{"to":"blocked","ready":true,"example":{"status":"blocked"}},
			{"to":"done","leads_to_done":true,"example":{"status":"done"}}, {"to":"deferred","ready":true,"leads_to_done":true}],
		"against_done":[{"gate":"g","detail":"the test failed","by":"tester","with":"a test that passes"},
			{"gate":"g","detail":"the code is missing","by":"coder","with":"the code"}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/next" {
			fmt.Fprint(w, `{"mine":[{"id":"REQ-1","claim":{"yours":true}}]}`)
			return
		}
		fmt.Fprint(w, view)
	}))
	defer s.Close()
	c, err := apiclient.New(apiclient.Options{Server: s.URL, Token: "t", Timeout: time.Minute})
	require.NoError(t, err)
	var do []string
	require.NoError(t, Visit(t.Context(), c, func(_, _ string, lacking []string) { do = lacking }))
	require.Len(t, do, 3, "%q", do)
	require.Contains(t, do[0], "supply test: orchestrator ")
	require.Contains(t, do[1], "move it to test_complete: orchestrator ")
	require.Contains(t, do[2], "mend: the test failed")
}

// TestClaimsOnAllPagesAreFound, and those of others are not.
// Verifies: ORC-224
func TestClaimsOnAllPagesAreFound(t *testing.T) {
	for many, want := range map[int]int{0: 0, 19: 0, 20: 1, page: 5, page + 1: 5, 2*page + 20: 11} {
		all, err := visited(t.Context(), service(t, many))
		require.NoError(t, err)
		require.Len(t, all, want, many)
		if want > 0 {
			require.Equal(t, "REQ-20 test_in_progress [see orchestrator next]", all[0])
		}
	}
}

// Whoever does not answer within the deadline is not waited for.
func TestAServiceThatHangs(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	c, err := apiclient.New(apiclient.Options{Server: s.URL, Token: "t", Timeout: time.Minute})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = visited(ctx, c)
	require.Error(t, err)
	s.CloseClientConnections()
}

func TestARefusalIsAnError(t *testing.T) {
	refuses := func(path string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				http.Error(w, "no", http.StatusTeapot)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"mine":[{"id":"REQ-1","claim":{"yours":true}}]}`)
		})
	}
	for _, path := range []string{"/next", "/requirements/REQ-1/next"} {
		s := httptest.NewServer(refuses(path))
		c, err := apiclient.New(apiclient.Options{Server: s.URL, Token: "t", Timeout: time.Minute})
		require.NoError(t, err)
		_, err = visited(t.Context(), c)
		require.Error(t, err, path)
		s.Close()
	}
}
