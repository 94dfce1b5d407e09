//go:build linux

package pgstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
)

const leaseTime = 500 * time.Millisecond

func init() {
	children["fenced"] = func(s *pgstore.Store) error { return stopAndWrite(s, true) }
	children["unfenced"] = func(s *pgstore.Store) error { return stopAndWrite(s, false) }
	children["locked"] = stopInTransaction
}

// stopAndWrite takes the lease, stops, and when it is woken writes as if it still had it.
func stopAndWrite(s *pgstore.Store, fenced bool) error {
	ctx := context.Background()
	lease, err := s.Acquire(ctx, "duty", "child", leaseTime)
	if err != nil {
		return err
	}
	if fenced {
		ctx = store.Under(ctx, lease)
	}
	if err := putUnder(ctx, s, "before", "child"); err != nil {
		return err
	}
	if err := stop(); err != nil {
		return err
	}
	fmt.Println(putUnder(ctx, s, "after", "child"))
	return nil
}

// stopInTransaction stops while it has locked the head.
func stopInTransaction(s *pgstore.Store) error {
	s.LockNext(1)
	runs := 0
	fmt.Println(s.Update(context.Background(), func(tx store.Tx) error {
		if runs++; runs == 2 { // the first run is dry
			if err := stop(); err != nil {
				return err
			}
		}
		return tx.Put("t", "after", []byte("child"))
	}))
	return nil
}

// stop stops this process until it is woken. A signal that a process sends itself may be late, so it goes on only when
// its parent has said so as well.
func stop() error {
	fmt.Println("stops")
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// startStopped starts a child that stops, and returns what wakes it.
func startStopped(t *testing.T, name, url string) (cmd *exec.Cmd, said *bufio.Reader, wake func() error) {
	t.Helper()
	cmd = child(t, name, url)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said = bufio.NewReader(out)
	line, err := said.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "stops\n", line)
	return cmd, said, func() error { return errors.Join(cmd.Process.Signal(syscall.SIGCONT), in.Close()) }
}

// A holder that was stopped, and wakes after its lease was taken, writes nothing. Without the fence it does.
//
// Verifies: ORC-344
func TestTrapStoppedHolder(t *testing.T) {
	for name, want := range map[string]string{"fenced": "", "unfenced": "child"} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.URL(t)
			s := open(t, url, pgstore.Options{})
			cmd, said, wake := startStopped(t, name, url)
			require.Equal(t, "child", get(t, s, "before"))
			began := time.Now()
			var lease store.Lease
			require.Eventually(t, func() (taken bool) {
				var err error
				lease, err = s.Acquire(t.Context(), "duty", "parent", time.Minute)
				return err == nil
			}, time.Minute, 10*time.Millisecond)
			t.Logf("taken over after %s, the lease being %s", time.Since(began).Round(time.Millisecond), leaseTime)
			require.NoError(t, putUnder(store.Under(t.Context(), lease), s, "mine", "parent"))
			require.NoError(t, wake())
			line, err := said.ReadString('\n')
			require.NoError(t, err)
			require.NoError(t, cmd.Wait())
			require.Equal(t, want, get(t, s, "after"))
			require.Equal(t, want != "", line == "<nil>\n", line)
		})
	}
}

// Stopped between its check and its commit, a process keeps the head locked: the server ends its transaction.
//
// Verifies: ORC-344
func TestTrapStoppedInTransaction(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url, pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))
	cmd, said, wake := startStopped(t, "locked", url)
	began := time.Now()
	require.NoError(t, put(s, "a", "2"))
	t.Logf("the head was free after %s", time.Since(began).Round(time.Millisecond))
	require.Empty(t, get(t, s, "after"))
	require.NoError(t, wake())
	line, err := said.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	require.Equal(t, "<nil>\n", line, "nothing had happened, so it was tried again")
	require.Equal(t, "child", get(t, s, "after"))
	require.Equal(t, "2", get(t, s, "a"))
}
