//go:build linux

package onefile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

func init() {
	children["full"] = commitOnFullDisk
	children["sync"] = commitWithoutSync
}

func commitOnFullDisk(path string) error {
	s, err := onefile.Open(path, onefile.Options{})
	if err != nil {
		return err
	}
	if err := put(s, "a", "1"); err != nil {
		return err
	}
	limit := uint64(s.Size())
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	err = put(s, "b", string(make([]byte, 2*limit)))
	if !errors.Is(err, fault.InsufficientStorage) || errors.Is(err, store.ErrCommit) {
		return fmt.Errorf("not refused for want of room: %w", err)
	}
	return errors.Join(put(s, "c", "fits"), s.Check(), s.Close())
}

// The file may not grow, as on a full disk: what does not fit is refused before anything is written, and the rest goes on.
func TestCommitOnFullDisk(t *testing.T) {
	path := newPath(t)
	out, err := child(t, "full", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	s := open(t, path)
	require.NoError(t, s.Check())
	require.True(t, has(t, s, "a"))
	require.False(t, has(t, s, "b"))
	require.True(t, has(t, s, "c"))
}

func commitWithoutSync(path string) error {
	s, err := onefile.Open(path, onefile.Options{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := 0; ; i++ {
		err := s.Update(ctx, func(tx store.Tx) error { return tx.Put("t", "a", fmt.Append(nil, i)) })
		if err != nil {
			return wantStopped(s, err)
		}
	}
}

// The disk refuses a sync. After the second one of a commit, that of the head, bbolt alone would show the
// change. strace counts by thread, so which one it is may vary. Without strace nothing is pretended.
func TestCommitWithoutSync(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	for when := range 2 {
		path := newPath(t)
		require.NoError(t, open(t, path).Close())
		inject := fmt.Sprintf("inject=fdatasync:error=EIO:when=%d+", 1+when)
		out, err := child(t, "sync", path, strace, "-f", "-o", os.DevNull, "-e", "trace=fdatasync", "-e", inject).CombinedOutput()
		if strings.Contains(string(out), "PTRACE") {
			t.Skipf("strace may not be used here: %s", out)
		}
		require.NoError(t, err, "%s", out)
		require.NoError(t, open(t, path).Check())
	}
}

// An Update sees what it has put into a table that was not there when it looked.
func TestATableIsSeenOnceItIsThere(t *testing.T) {
	s := open(t, newPath(t))
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		none, err := tx.Get("t", "k")
		require.NoError(t, err)
		require.Nil(t, none)
		require.NoError(t, tx.Put("t", "k", []byte("v")))
		value, err := tx.Get("t", "k")
		require.Equal(t, "v", string(value))
		return err
	}))
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for _, table := range []string{"none", "t", "none", "t"} {
			value, err := r.Get(table, "k")
			require.NoError(t, err)
			require.Equal(t, table == "t", value != nil)
		}
		return nil
	}))
	require.NoError(t, s.Close())
}
