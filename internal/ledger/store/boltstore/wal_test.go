package boltstore_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/ledger/store/storetest"
)

func init() {
	children["append to WAL"] = appendToWAL
	children["append without sync"] = appendWithoutSync
}

// openWithWAL opens a store whose batches go to the WAL.
func openWithWAL(path string, turnAt int) (*boltstore.Store, error) {
	s, err := boltstore.OpenTurning(path, boltstore.Options{WAL: true, LookEvery: 50 * time.Millisecond}, turnAt)
	if err == nil {
		err = s.Update(context.Background(), func(tx store.Tx) error { return tx.Delete("t", "nothing") })
	}
	for err == nil && !s.Stats().WAL {
		time.Sleep(time.Millisecond)
	}
	return s, err
}

func TestStoreWithWAL(t *testing.T) {
	for name, turnAt := range map[string]int{"seldom turned": 1 << 20, "always turned": 1} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) store.Store {
				s, err := openWithWAL(newPath(t), turnAt)
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close()) })
				return s
			})
		})
	}
}

func TestGroupCommitToTheWAL(t *testing.T) {
	s, err := openWithWAL(newPath(t), 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	before := s.Stats().Batches
	for _, err := range pileUp(t, s, 64, func(i int) error { return put(s, fmt.Sprint(i), "") }) {
		require.NoError(t, err)
	}
	require.Equal(t, before+1, s.Stats().Batches)

	before = s.Stats().Batches
	large := string(make([]byte, 2<<20))
	for _, err := range pileUp(t, s, 4, func(i int) error { return put(s, fmt.Sprint(i), large) }) {
		require.NoError(t, err)
	}
	require.Equal(t, before+1, s.Stats().Batches, "what is too long for the WAL is one commit of the file")
	require.True(t, has(t, s, "3"))
}

func appendToWAL(path string) error {
	s, err := openWithWAL(path, 500)
	for i := 0; err == nil; i++ {
		if err = put(s, fmt.Sprint(i), fmt.Sprint("value ", i)); err == nil {
			fmt.Println(i)
		}
	}
	return err
}

// What another process was told to be durable is there after it was killed, whatever the file had of it.
//
// Verifies: ORC-390
func TestKilledWithWAL(t *testing.T) {
	for range 5 {
		path := newPath(t)
		cmd, lines := start(t, "append to WAL", path)
		for i := range 300 {
			require.True(t, lines.Scan())
			require.Equal(t, fmt.Sprint(i), lines.Text())
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		require.FileExists(t, path+".wal")
		s := open(t, path)
		require.NoError(t, s.Check())
		for i := range 300 {
			value, err := get(s, fmt.Sprint(i))
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint("value ", i), value)
		}
		require.NoError(t, s.Close())
		require.NoFileExists(t, path+".wal")
	}
}

func appendWithoutSync(path string) error {
	s, err := openWithWAL(path, 0)
	for i := 0; err == nil; i++ {
		if err = put(s, fmt.Sprint(i), fmt.Sprint("value ", i)); err == nil {
			fmt.Println(i)
		}
	}
	if s != nil {
		err = s.Err()
	}
	return err
}

// The disk refuses every sync from some moment on: neither the WAL nor the file can be written. What was confirmed
// before is there.
func TestWALWithoutSync(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	confirmed := 0
	for when := range 6 {
		path := newPath(t)
		require.NoError(t, open(t, path).Close())
		inject := fmt.Sprintf("inject=fdatasync:error=EIO:when=%d+", 1+3*when)
		cmd := child(t, "append without sync", path, strace, "-f", "-o", os.DevNull, "-e", "trace=fdatasync", "-e", inject)
		out, err := cmd.Output()
		if strings.Contains(string(out), "PTRACE") {
			t.Skipf("strace may not be used here: %s", out)
		}
		require.Error(t, err, "the store has failed")
		require.Contains(t, string(out), "commit failed")
		s := open(t, path)
		require.NoError(t, s.Check())
		for key := range strings.FieldsSeq(string(out)) {
			if len(key) < 5 && key[0] >= '0' && key[0] <= '9' {
				require.True(t, has(t, s, key))
				confirmed++
			}
		}
	}
	require.Positive(t, confirmed)
}

// What lies in the WAL alone is in the copy of a file that no path leads to.
func TestRescueKeepsWhatTheWALHas(t *testing.T) {
	path := newPath(t)
	s, err := openWithWAL(path, 0)
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, put(s, fmt.Sprint(i), "value"))
	}
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, put(s, "late", "1"), store.ErrCommit)
	saved, err := boltstore.Rescue(s, time.Now())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, os.Rename(saved, path))
	s = open(t, path)
	for i := range 20 {
		require.True(t, has(t, s, fmt.Sprint(i)))
	}
	require.False(t, has(t, s, "late"))
	require.NoFileExists(t, boltstore.WALOf(path))
}

func TestSettle(t *testing.T) {
	path := newPath(t)
	require.NoError(t, boltstore.Settle(path, time.Second), "where there is nothing, there is nothing to do")
	cmd, lines := start(t, "append to WAL", path)
	for range 50 {
		require.True(t, lines.Scan())
	}
	require.Error(t, boltstore.Settle(path, time.Millisecond), "it is in use")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.FileExists(t, boltstore.WALOf(path))
	require.NoError(t, boltstore.Settle(path, time.Second))
	require.NoFileExists(t, boltstore.WALOf(path))
	require.True(t, has(t, open(t, path), "49"))
}

// Where the database is gone and its write-ahead log is there, no new database is begun, which would look like the one
// that is missing.
//
// Verifies: ORC-390
func TestNoDatabaseIsBegunBesideAWAL(t *testing.T) {
	path := newPath(t)
	cmd, lines := start(t, "append to WAL", path)
	require.True(t, lines.Scan())
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.FileExists(t, boltstore.WALOf(path))
	require.NoError(t, os.Rename(path, path+".away"))
	_, err := boltstore.Open(path, boltstore.Options{WAL: true})
	require.True(t, fault.Is(err, "store_wal_foreign"), "%v", err)
	require.NoFileExists(t, path)
	require.NoError(t, os.Rename(path+".away", path))
	require.True(t, has(t, open(t, path), "0"))
}
