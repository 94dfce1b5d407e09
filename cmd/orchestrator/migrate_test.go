package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/pgstore/pgtest"
)

// A project moves to PostgreSQL: every command that works on its log works there, or says what takes its place. Then it
// moves back.
//
// Verifies: ORC-375 ORC-378 ORC-379 ORC-380
func TestEveryCommandWorksOnADatabase(t *testing.T) {
	store := pgtest.URL(t)
	dir := t.TempDir()
	document := "# Shop\n\n- **REQ-001**: A customer can log in.\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "REQUIREMENTS.md"), []byte(document), 0o600))
	p := startServer(t, dir, "--evidence", "record")
	got, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-001", body: note("one")})
	require.NoError(t, err)
	require.Equal(t, 200, got.status, got)
	run := func(code int, want string, args ...string) string {
		t.Helper()
		out, ended := orchestrate(t, dir, args...)
		require.Equal(t, code, ended, "%v: %s", args, out)
		require.Contains(t, out, want, "%v", args)
		return out
	}
	run(1, "the service at", "migrate", "--from", "bbolt:.orchestrator", "--to", store)
	require.NoError(t, p.stop(0))

	var moved struct {
		Records int            `json:"records"`
		Root    string         `json:"root"`
		Tables  map[string]int `json:"tables"`
	}
	out := run(0, "{", "migrate", "--from", "bbolt:.orchestrator", "--to", store, "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &moved))
	require.Equal(t, moved.Records, moved.Tables["audit"])
	run(1, "was moved to", "serve", "--addr", "127.0.0.1:0")
	run(0, "store is", "config", "set", "store", store)

	require.Contains(t, run(0, "in order: ", "verify"), moved.Root)
	run(0, "", "import", "--check")
	run(1, "problem  server: fsync is off", "doctor")
	run(0, "nothing to upgrade", "upgrade")
	run(1, "VACUUM", "compact")
	run(0, moved.Root, "audit", "bundle", "-o", "log.zip")
	run(0, moved.Root, "backup", "-o", "backup.zip", "--verify")
	run(1, "there is a log in", "restore", "backup.zip")
	other := pgtest.URL(t)
	run(0, "restored", "restore", "backup.zip", "--store", other)
	run(0, "in order: ", "verify", "--store", other)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "REQUIREMENTS.md"),
		[]byte(document+"- **REQ-002**: A customer can log out.\n"), 0o600))
	run(0, "REQ-002", "import")
	run(2, "give the whole URL in", "verify", "--store", "postgres://ada:secret@127.0.0.1/shop")

	run(0, "moved the log", "migrate", "--from", store, "--to", "bbolt:.orchestrator")
	run(0, "", "config", "unset", "store")
	run(0, "in order: ", "verify")
	startServer(t, dir)
}
