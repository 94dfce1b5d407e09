package durable

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLockIsHeldByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(path, 0)
	require.NoError(t, err)
	_, err = Lock(path, 3*lockRetry)
	require.ErrorIs(t, err, ErrLocked)
	time.AfterFunc(5*lockRetry, unlock)
	unlock, err = Lock(path, 5*time.Minute)
	require.NoError(t, err, "it waits")
	unlock()
	_, err = Lock(filepath.Join(t.TempDir(), "none", "lock"), 0)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestLockFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("made", filepath.Join(dir, "lock")))
	_, err := Lock(filepath.Join(dir, "lock"), 0)
	require.ErrorIs(t, err, syscall.ELOOP)
	require.NoFileExists(t, filepath.Join(dir, "made"))
}
