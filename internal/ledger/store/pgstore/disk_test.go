//go:build linux

package pgstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// The disk of the database is full: a change is refused, and nothing has happened; with room it goes on.
//
// Verifies: ORC-345
func TestFullDiskOfTheDatabase(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small file system takes root")
	}
	server := pgtest.Start(t)
	small := smallDisk(t, server)
	pgtest.Exec(t, server, "", "CREATE TABLESPACE small LOCATION '"+small+"'", "CREATE DATABASE d TABLESPACE small")
	s := open(t, server.URL("d"), pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))
	filled := 0
	var err error
	for ; err == nil && filled < 100; filled++ {
		err = put(s, fmt.Sprint(filled), strings.Repeat("x", 1<<20))
	}
	require.ErrorIs(t, err, fault.InsufficientStorage)
	require.NotErrorIs(t, err, store.ErrCommit)
	require.ErrorIs(t, s.Full(), fault.InsufficientStorage)
	require.NoError(t, s.Err())
	require.Empty(t, get(t, s, fmt.Sprint(filled-1)), "nothing was changed")
	require.Equal(t, "1", get(t, s, "a"))
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(small), "ballast")))
	require.NoError(t, put(s, "a", "2"))
	require.NoError(t, s.Full())
}

// smallDisk mounts a file system of 48 MiB that the server may use; the file ballast takes a third of it.
func smallDisk(t *testing.T, server *postgres.Server) string {
	t.Helper()
	info, err := os.Stat(filepath.Dir(server.Socket()))
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	dir, err := os.MkdirTemp("", "pgstore-small-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.Remove(dir)) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=48m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 16<<20), 0o600))
	space := filepath.Join(dir, "space")
	require.NoError(t, os.Mkdir(space, 0o700))
	for _, path := range []string{dir, space} {
		require.NoError(t, os.Chown(path, int(owner.Uid), int(owner.Gid)))
	}
	return space
}
