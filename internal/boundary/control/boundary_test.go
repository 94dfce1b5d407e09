package control_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(recordingIn) != "" {
		recordForEver()
	}
	goleak.VerifyTestMain(m)
}

// The watch records what comes, says a failure once, and ends with its context.
func TestWatch(t *testing.T) { synctest.Test(t, watch) }

func watch(t *testing.T) {
	dir, s := boundarytest.Project(t), store.NewMemory()
	g := control.New(dir, boundarytest.OpenLedger(t, s), func() time.Time { return boundarytest.Day0 }, func() string { return "i" })
	ctx, stop := context.WithCancel(t.Context())
	var failures []error
	var running sync.WaitGroup
	running.Go(func() { g.Watch(ctx, time.Second, func(err error) { failures = append(failures, err) }) })
	looks := func(n int) { // the watch looks n times, and waits for the next time
		time.Sleep(time.Duration(n) * time.Second)
		synctest.Wait()
	}
	looks(1)
	require.EqualValues(t, 1, g.Recorded())
	journal := filepath.Join(dir.Path(), "journal")
	for n := 1; n <= 2; n++ {
		require.NoError(t, os.Rename(journal, journal+".away"))
		require.NoError(t, os.WriteFile(journal, nil, 0o600))
		looks(1)
		require.Len(t, failures, n)
		looks(20)
		require.Len(t, failures, n, "said once")
		require.NoError(t, os.Remove(journal))
		require.NoError(t, os.Rename(journal+".away", journal))
		boundarytest.Add(t, dir, boundarytest.Noted(n, boundarytest.Day0.Add(24*time.Hour*time.Duration(n))))
		looks(1)
		require.EqualValues(t, n+1, g.Recorded())
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
