package daemon

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
)

// served is a service that runs in the test.
type served struct {
	t     *testing.T
	url   string
	end   context.CancelFunc
	ended chan error
}

// inProject makes the present folder that of a new project, and returns the URL of a database for it.
func inProject(t *testing.T) (url string) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, exec.CommandContext(t.Context(), "git", "init", "-q").Run())
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n"), 0o600))
	return pgtest.URL(t)
}

func serveReplica(t *testing.T, url, name string) *served {
	t.Helper()
	data := datadir.Dir(filepath.Join(name, "data"))
	place, err := storage.Find(t.Context(), data, storage.Given{URL: url})
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	s := &served{t: t, end: end, ended: make(chan error, 1)}
	ready := make(chan string, 1)
	go func() {
		s.ended <- Serve(ctx, Options{Addr: "127.0.0.1:0", Drain: time.Second, Project: project.Options{
			Data: string(data), Store: place, Lease: 2 * time.Second, Requirements: []string{"R.md"},
			Export: filepath.Join(name, "export.json"), RateLimit: 1000, RateBurst: 1000,
		}}, zerolog.Nop(), func(s Started) { ready <- s.Addr })
	}()
	select {
	case addr := <-ready:
		s.url = apiclient.LocalURL(addr)
	case err := <-s.ended:
		require.NoError(t, err)
	}
	return s
}

func (s *served) stop() {
	s.end()
	require.NoError(s.t, <-s.ended)
}

// ask sends a request with the token of the pm, and returns status and body.
func (s *served) ask(method, path string) (int, string) {
	s.t.Helper()
	token, err := os.ReadFile("one/data/tokens/pm.token")
	require.NoError(s.t, err)
	return s.send(strings.TrimSpace(string(token)), method, path, "")
}

func (s *served) send(token, method, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return answer.StatusCode, string(got)
}

func (s *served) onDuty() bool {
	_, body := s.ask(http.MethodGet, "/readyz?verbose")
	return strings.Contains(body, `"on_duty":true`)
}

// Verifies: ORC-363
// Verifies: ORC-365
func TestTwoServicesOnOneDatabase(t *testing.T) {
	url := inProject(t)
	one := serveReplica(t, url, "one")
	require.NoError(t, os.MkdirAll("two/data", 0o700))
	key, err := os.ReadFile("one/data/audit.key")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("two/data/audit.key", key, 0o600))
	two := serveReplica(t, url, "two")
	require.True(t, one.onDuty())
	require.False(t, two.onDuty())

	status, body := two.ask(http.MethodGet, "/requirements/REQ-001")
	require.Equal(t, http.StatusOK, status, body)
	status, body = two.ask(http.MethodPost, "/project/import")
	require.Equal(t, http.StatusOK, status, "it is passed on: %s", body)
	require.NoFileExists(t, "two/export.json")

	one.stop()
	for end := time.Now().Add(20 * time.Second); !two.onDuty(); time.Sleep(20 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "nobody takes over")
	}
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n- **REQ-002**: Two.\n"), 0o600))
	status, body = two.ask(http.MethodPost, "/project/import")
	require.Equal(t, http.StatusOK, status, body)
	status, body = two.ask(http.MethodGet, "/requirements/REQ-002")
	require.Equal(t, http.StatusOK, status, body)
	two.stop()
	require.FileExists(t, "two/export.json")
	require.FileExists(t, "two/data/log.json")
}

// A token works at every replica as soon as it is made, and changes nothing at any once it is revoked, though no replica
// has made or revoked it.
//
// Verifies: ORC-388
func TestTokensHoldAtOnceForChangesAtReplicas(t *testing.T) {
	url := inProject(t)
	one := serveReplica(t, url, "one")
	data := datadir.Dir("one/data")
	in, err := storage.Find(t.Context(), data, storage.Given{URL: url})
	require.NoError(t, err)
	require.NoError(t, tokens.At(t.Context(), data, in, func(at tokens.Place) error {
		for range 30 {
			secret, made, err := at.Add(t.Context(), "guest", "pm", time.Time{}, time.Now())
			require.NoError(t, err)
			change := func() (int, string) {
				return one.send(secret, http.MethodPatch, "/requirements/REQ-001", `{"pm_notes":[{"text":"a note"}]}`)
			}
			for range 2 {
				status, body := change()
				require.Equal(t, http.StatusOK, status, body)
			}
			_, err = at.Revoke(t.Context(), made.ID)
			require.NoError(t, err)
			status, body := change()
			require.Equal(t, http.StatusUnauthorized, status, body)
		}
		return nil
	}))
	status, body := one.ask(http.MethodGet, "/requirements/REQ-001")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 60, strings.Count(body, "a note"))
	one.stop()
}
