package control_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if os.Getenv(recordingIn) != "" {
		recordForEver()
	}
	goleak.VerifyTestMain(m)
}

// The watch records what comes, says a failure once, and ends with its context.
func TestWatch(t *testing.T) {
	dir, s := boundarytest.Project(t), store.NewMemory()
	g := control.New(dir, boundarytest.OpenLedger(t, s), func() time.Time { return boundarytest.Day0 }, func() string { return "i" })
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	var failures []error
	var running sync.WaitGroup
	running.Go(func() {
		g.Watch(ctx, time.Millisecond, func(err error) { mu.Lock(); failures = append(failures, err); mu.Unlock() })
	})
	recorded := func(n int64) {
		t.Helper()
		require.Eventually(t, func() bool { return g.Recorded() == n }, time.Minute, time.Millisecond)
	}
	recorded(1)
	failed := func() int { mu.Lock(); defer mu.Unlock(); return len(failures) }
	journal := filepath.Join(dir.Path(), "journal")
	for n := 1; n <= 2; n++ {
		require.NoError(t, os.WriteFile(journal+".away", nil, 0o600))
		require.NoError(t, unix.Renameat2(unix.AT_FDCWD, journal, unix.AT_FDCWD, journal+".away", unix.RENAME_EXCHANGE))
		require.Eventually(t, func() bool { return failed() == n }, time.Minute, time.Millisecond)
		time.Sleep(20 * time.Millisecond)
		require.Equal(t, n, failed(), "said once")
		require.NoError(t, unix.Renameat2(unix.AT_FDCWD, journal, unix.AT_FDCWD, journal+".away", unix.RENAME_EXCHANGE))
		require.NoError(t, os.Remove(journal+".away"))
		boundarytest.Add(t, dir, boundarytest.Noted(n, boundarytest.Day0.Add(24*time.Hour*time.Duration(n))))
		require.Eventually(t, func() bool { return g.Recorded() > int64(n) }, time.Minute, time.Millisecond)
	}
	stop()
	running.Wait()
	boundarytest.RequireCode(t, errors.Join(failures...), "journal_unreadable")
}

func TestAGuardWithoutABoundary(t *testing.T) {
	g := control.New(folder.In(t.TempDir()), boundarytest.OpenLedger(t, store.NewMemory()), time.Now, func() string { return "i" })
	n, err := g.Record(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	require.Empty(t, g.Mode())
	_, err = g.Report(t.Context(), time.Time{})
	boundarytest.RequireCode(t, err, "no_boundary")
	_, err = g.Readiness(t.Context())
	boundarytest.RequireCode(t, err, "no_boundary")
	_, _, err = g.Decisions(t.Context(), 0, 1, false)
	boundarytest.RequireCode(t, err, "no_boundary")
	_, err = g.SetMode(t.Context(), "paula", control.ModeChange{Mode: boundary.Off, Reason: "r"})
	boundarytest.RequireCode(t, err, "no_boundary")
	require.NoDirExists(t, g.Dir.Path(), "asking makes nothing")
}
