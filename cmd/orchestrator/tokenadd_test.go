package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/durable"
)

// TestTokenAddSaysWhenTheServiceDoesNotAccept: the token is made and printed all the same, and the error says how to go on.
func TestTokenAddSaysWhenTheServiceDoesNotAccept(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1000)
	deaf := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"code":"token_unknown","detail":"the token is unknown"}`))
	}))
	defer deaf.Close()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".orchestrator"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".orchestrator", "addr"), []byte(strings.TrimPrefix(deaf.URL, "http://")+"\n"), 0o600))

	code, _, _ := runIn(t, dir, "token", "add", "coder", "eve")
	require.Equal(t, 0, code)
	require.Empty(t, asked, "no service holds the address: whoever listens there is a stranger")

	unlock, err := durable.Lock(filepath.Join(dir, ".orchestrator", "addr"), 0)
	require.NoError(t, err)
	var stdout string
	for within := 200 * time.Millisecond; len(asked) == 0; within *= 2 { // a slow machine needs longer to ask
		var stderr string
		code, stdout, stderr = runIn(t, dir, "token", "add", "coder", "ada", "--timeout", within.String())
		require.Equal(t, 1, code)
		require.Regexp(t, `^orc_coder_[A-Z2-7]{26}\n$`, stdout)
		require.Contains(t, stderr, "the token was made, and the service at "+strings.TrimPrefix(deaf.URL, "http://")+
			" did not accept it within "+within.String())
		require.Regexp(t, `fix: .*orchestrator token revoke [0-9a-f]{12} takes the token back`, stderr)
	}
	require.Equal(t, "Bearer "+strings.TrimSpace(stdout), <-asked)

	code, stdout, _ = runIn(t, dir, "token", "add", "coder", "ada", "--timeout", "0")
	require.Equal(t, 0, code, "it need not be waited for")
	require.NotEmpty(t, stdout)

	unlock()
	deaf.Close()
	code, _, _ = runIn(t, dir, "token", "add", "coder", "ada", "--timeout", "1h")
	require.Equal(t, 0, code, "a service that ended leaves its address behind, and nobody to wait for")
}

// runIn runs the program in a folder.
func runIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program(), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
