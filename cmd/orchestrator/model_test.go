package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestALanguageModelByTheEnvironment runs the service with a scripted endpoint, and looks for the endpoint's key in all that is kept.
func TestALanguageModelByTheEnvironment(t *testing.T) {
	const key = "sk-endpoint-0123456789"
	var says atomic.Value // what the endpoint answers
	says.Store(`{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"2+2"}}]}`)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": says.Load()}}}})
	}))
	defer endpoint.Close()
	t.Setenv("ORCHESTRATOR_LLM_URL", endpoint.URL+"/v1")
	t.Setenv("ORCHESTRATOR_LLM_MODEL", "small-1")
	t.Setenv("ORCHESTRATOR_LLM_KEY", key)
	dir := newProject(t)
	p := startServer(t, dir, "--log-level", "debug")
	ask := func() answer {
		got, err := p.call(request{role: "coder", method: "POST", path: "/requests", body: `{"utterance":"two and two, pray"}`})
		require.NoError(t, err)
		return got
	}
	understood := ask()
	require.Equal(t, http.StatusOK, understood.status, understood.body)
	require.Contains(t, understood.body, "2+2 = 4")
	says.Store("In other words, 2+2 = 4.")
	out, code := orchestrate(t, dir, "ask", "--rephrase", "what is 2+2")
	require.Zero(t, code, out)
	require.Equal(t, "In other words, 2+2 = 4.\n", out)
	says.Store("It is 5.")
	out, code = orchestrate(t, dir, "ask", "--rephrase", "what is 2+2")
	require.Zero(t, code, out)
	require.Regexp(t, `^2\+2 = 4\nnot in other words: .*lacks the number "2"\n$`, out)
	out, code = orchestrate(t, dir, "ask", "what is 2+2")
	require.Zero(t, code, out)
	require.Equal(t, "2+2 = 4\n", out)
	endpoint.Close()
	down := ask()
	require.Equal(t, http.StatusServiceUnavailable, down.status, down.body)
	require.NoError(t, p.stop(0))
	require.Contains(t, p.log.String(), "translator_unavailable")
	state, err := os.ReadFile(filepath.Join(dir, ".orchestrator/state.db"))
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(p.log.String(), p.out.String(), understood, down, string(state)), key)
	requireInOrder(t, dir)
}
