package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// program puts an executable file into the folder of a version.
func program(t *testing.T, root, version, name string, mode os.FileMode) {
	t.Helper()
	bin := filepath.Join(root, version, "bin")
	require.NoError(t, os.MkdirAll(bin, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), mode))
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	everywhere := filepath.Join(root, "*", "bin")
	_, err := find(everywhere)
	require.ErrorIs(t, err, ErrMissing, "there is none")

	program(t, root, "16", "initdb", 0o700) // of the server, nothing else
	program(t, root, "17", "initdb", 0o600) // not executable
	program(t, root, "17", "pg_ctl", 0o600)
	_, err = find(everywhere)
	require.ErrorIs(t, err, ErrMissing)

	for _, version := range []string{"9", "15", "14"} {
		program(t, root, version, "initdb", 0o700)
		program(t, root, version, "pg_ctl", 0o700)
	}
	bin, err := find(everywhere)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, "15", "bin"), bin, "the newest that is whole")
}

// A server that ran leaves nothing, and nor does one that did not come up.
//
// Verifies: ORC-348
func TestNothingIsLeftOfAServer(t *testing.T) {
	parent, err := os.MkdirTemp("", "postgres-test-") // t.TempDir is closed to the user that runs it
	require.NoError(t, err)
	defer os.RemoveAll(parent)
	require.NoError(t, os.Chmod(parent, 0o755))
	s, err := Start(t.Context(), parent, 4, "fsync=off")
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	require.NoError(t, err)
	socket := filepath.Join(s.dir, ".s.PGSQL.5432")
	require.FileExists(t, filepath.Join(s.data(), "postmaster.pid"))
	info, err := os.Stat(socket)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "it is closed to others")
	require.Contains(t, s.Address(4), "host="+s.dir+" ")
	require.NoError(t, s.Stop())
	requireEmpty(t, parent)

	_, err = Start(t.Context(), parent, 4, "no_such_setting=1")
	require.ErrorContains(t, err, "pg_ctl")
	requireEmpty(t, parent)

	s = &Server{dir: filepath.Join(parent, "half"), bin: s.bin, credential: s.credential}
	require.NoError(t, os.MkdirAll(s.data(), 0o700))
	require.NoError(t, s.Stop(), "it had not started")
	requireEmpty(t, parent)
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
