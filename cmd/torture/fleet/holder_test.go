package fleet

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
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

// holderURL tells the test binary, started as a holder of a lease, where the database is.
const holderURL = "FLEET_HOLDER_URL"

const (
	leaseName = "duty"
	leaseTTL  = 500 * time.Millisecond
)

// What holders write under the lease.
const (
	workTable = "work"
	workKey   = "done"
)

// holder takes the lease and works under it until it is refused. Without the fence it works all the same: it never
// looks whether its lease lasts, as a process does that was stopped after it looked.
func holder(url string, fenced bool) int {
	ctx := context.Background()
	s, err := pgstore.Open(ctx, url, pgstore.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	lease, err := s.Acquire(ctx, leaseName, "the first one", leaseTTL)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	under := ctx
	if fenced {
		under = store.Under(ctx, lease)
	}
	for n := uint64(1); ; n++ {
		err := s.Update(under, func(tx store.Tx) error {
			return tx.Put(workTable, workKey, binary.BigEndian.AppendUint64(nil, n))
		})
		switch {
		case errors.Is(err, store.ErrFenced):
			fmt.Println("fenced")
			return 0
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			return 1
		case n == 1:
			fmt.Println("working")
		}
	}
}

// A process that was stopped and wakes after its lease was taken writes nothing. Without the fence, the control, it
// does.
//
// Verifies: ORC-385
func TestAHolderThatWakesWritesNothing(t *testing.T) {
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		require.False(t, wokenWrites(t, "fenced"))
		require.True(t, wokenWrites(t, "unfenced"), "the control")
	}
}

// wokenWrites reports whether a holder that is stopped until its lease was taken writes when it wakes.
func wokenWrites(t *testing.T, fence string) bool {
	t.Helper()
	at := pgtest.URL(t)
	s, err := pgstore.Open(t.Context(), at, pgstore.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, fence)
	cmd.Env, cmd.Stderr = append(os.Environ(), holderURL+"="+at), os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := bufio.NewScanner(out)
	require.True(t, said.Scan())
	require.Equal(t, "working", said.Text())
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))

	require.Eventually(t, func() bool {
		_, err := s.Acquire(t.Context(), leaseName, "the second one", time.Minute)
		require.True(t, err == nil || errors.Is(err, store.ErrHeld), err)
		return err == nil
	}, 30*time.Second, 20*time.Millisecond)
	done := func() string {
		raw, err := s.Newest(t.Context(), workTable, workKey)
		require.NoError(t, err)
		return string(raw)
	}
	before := done()
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	if fence == "fenced" {
		require.True(t, said.Scan(), "it ends by itself")
		require.Equal(t, "fenced", said.Text())
		require.NoError(t, cmd.Wait())
		return done() != before
	}
	wrote := false
	for end := time.Now().Add(30 * time.Second); !wrote && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		wrote = done() != before
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	return wrote
}
