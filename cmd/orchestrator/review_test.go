package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/durable"
)

// aRequirement was imported, and one thing about it would steer a terminal.
func aRequirement() lifecycle.Requirement {
	req, _ := lifecycle.Define(nil, lifecycle.Definition{
		ID: "REQ/1", Title: "Log\x1b[31m in", Text: "A customer can log in.", Source: lifecycle.Source{Path: "R.md", Line: 3}, Fingerprint: "fp",
	}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), lifecycle.LatestRules)
	return req
}

// reviewing is a folder in which a service seems to run that answers with reviews; its only token is the one given.
func reviewing(t *testing.T, token string) string {
	t.Helper()
	full := review.Full(review.Input{
		Project: "Shop", Workflow: lifecycle.V1, Evidence: "verify", Log: review.Log{Size: 3, Root: "abc=", VerifiedUpTo: 3},
		Import: review.Import{OK: true}, Requirements: slices.Values([]lifecycle.Requirement{aRequirement()}),
	})
	answers := map[string]func(io.Writer) error{
		"/project/review":              full.JSON,
		"/requirements/REQ%2F1/review": review.One(lifecycle.V1, aRequirement(), review.Seen{}).JSON,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, found := answers[r.URL.EscapedPath()]
		switch {
		case r.Header.Get("Authorization") != "Bearer t0ken-of-tests":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"token_unknown","detail":"this token is not known","fix":"ask for one"}`)
		case !found:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"unknown_requirement","detail":"there is no such requirement","fix":"did you mean REQ/1?"}`)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = answer(w)
		}
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".orchestrator", "tokens"), 0o700))
	for path, content := range map[string]string{"addr": strings.TrimPrefix(server.URL, "http://") + "\n", "tokens/viewer.token": token + "\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".orchestrator", path), []byte(content), 0o600))
	}
	unlock, err := durable.Lock(filepath.Join(dir, ".orchestrator", "addr"), 0) // as the service does that runs there
	require.NoError(t, err)
	t.Cleanup(unlock)
	return dir
}

func TestReviewShowsWhatTheServiceFinds(t *testing.T) {
	t.Parallel()
	dir := reviewing(t, "t0ken-of-tests")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"review"}, "Review of Shop: not_ready\n"},
		{[]string{"review", "--format", "markdown"}, "# Review of Shop: not_ready\n"},
		{[]string{"review", "--format", "json"}, `{"project":"Shop","workflow":"v1","evidence":"verify","verdict":"not_ready",`},
		{[]string{"review", "REQ/1"}, "Review of REQ/1: not_started\n"},
		{[]string{"review", "REQ/1", "--format", "markdown"}, "# Review of REQ/1: not_started\n"},
		{[]string{"review", "REQ/1", "--format", "json"}, `{"definition":{"id":"REQ/1",`},
	} {
		out, code := orchestrate(t, dir, c.args...)
		require.Zero(t, code, out)
		require.True(t, strings.HasPrefix(out, c.want), out)
		require.NotContains(t, out, "\x1b")
	}
}

func TestGateAsksTheService(t *testing.T) {
	t.Parallel()
	out, code := orchestrate(t, reviewing(t, "t0ken-of-tests"), "gate")
	require.Equal(t, 1, code)
	require.True(t, strings.HasPrefix(out, "REQ/1 not_started: the architect must design it, the coder must implement it, "+
		"the tester must test it, the pm must approve [R.md:3]\n"), out)
	require.NotContains(t, out, "not checked")
}

func TestReviewAndGateSayWhyTheyFail(t *testing.T) {
	t.Parallel()
	dir, stranger := reviewing(t, "t0ken-of-tests"), reviewing(t, "unkn0wn")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"import":{"ok":true},"suspect":[],"retired_with_work":[],"open_deviations":[]}`)
	}))
	t.Cleanup(other.Close)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hanging.Close)
	empty := t.TempDir()
	own := filepath.Join(dir, ".orchestrator", "tokens", "viewer.token")
	for _, c := range []struct {
		dir  string
		args []string
		code int
		want string
	}{
		{dir, []string{"review", "REQ-9"}, 1, "there is no such requirement\n  fix: did you mean REQ/1?"},
		{dir, []string{"review", "--format", "html"}, 2, "there is no format \"html\""},
		{dir, []string{"review", "A", "B"}, 2, "was given 2 arguments\n  fix: quote an id with spaces: orchestrator review 'A B'"},
		{stranger, []string{"review"}, 1, "this token is not known\n  fix: ask for one"},
		{stranger, []string{"gate"}, 2, "this token is not known\n  fix: ask for one"},
		{empty, []string{"review"}, 3, "no service runs with the folder .orchestrator"},
		{dir, []string{"review", "--server", other.URL, "--token-file", own}, 3, "is no orchestrator of this version: JSON that is no review"},
		{dir, []string{"gate", "--server", other.URL, "--token-file", own}, 3, "is no orchestrator of this version: JSON that is no review"},
		{dir, []string{"gate", "--server", other.URL}, 2, "no token is known for http://127.0.0.1:"},
		{dir, []string{"gate", "--server", hanging.URL, "--token-file", own, "--timeout", "300ms"}, 3, "did not answer within 300ms\n  fix: see whether it hangs"},
		{dir, []string{"review", "--server", hanging.URL, "--token-file", own, "--timeout", "300ms"}, 3, "did not answer within 300ms"},
		{dir, []string{"gate", "--timeout", "0s"}, 2, "0s is not a time to wait for an answer"},
		{dir, []string{"gate", "--token-file", "none"}, 2, "the token file none cannot be read"},
		{dir, []string{"review", "--server", "http://me:s3cret@host", "--token-file", own}, 2, "http://me:xxxxx@host"},
	} {
		out, code := orchestrate(t, c.dir, c.args...)
		require.Equal(t, c.code, code, out)
		require.Contains(t, out, c.want)
		require.NotContains(t, out, "unkn0wn")
		require.NotContains(t, out, "s3cret")
	}
}

// The pm's token serves where there is no viewer's.
func TestThePMsTokenServesAsWell(t *testing.T) {
	t.Parallel()
	dir := reviewing(t, "t0ken-of-tests")
	tokens := filepath.Join(dir, ".orchestrator", "tokens")
	require.NoError(t, os.Rename(filepath.Join(tokens, "viewer.token"), filepath.Join(tokens, "pm.token")))
	out, code := orchestrate(t, dir, "review")
	require.Zero(t, code, out)
}
