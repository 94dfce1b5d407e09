package project

import (
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/rules/lifecycle"
)

// TestWhatWaitsForTheBudgetIsImportedWhenItResets: the newest documents are, without a further change of them.
func TestWhatWaitsForTheBudgetIsImportedWhenItResets(t *testing.T) {
	t.Chdir(t.TempDir())
	var now atomic.Int64 // hours
	clock := func() time.Time { return time.Unix(0, 0).Add(time.Duration(now.Load()) * time.Hour) }
	l, err := ledger.Open(t.Context(), store.NewMemory(), clock)
	require.NoError(t, err)
	l.LimitSpending(1)
	service, err := requirements.Open(t.Context(), l, clock, requirements.Options{Workflow: lifecycle.V1})
	require.NoError(t, err)
	var lines lineCounter
	log := zerolog.New(&lines).Level(zerolog.WarnLevel)
	write := func(text string) {
		require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: "+text+"\n"), 0o600))
	}
	write("First.")
	docs, err := documents.Open([]string{"R.md"})
	require.NoError(t, err)
	defer docs.Close()
	imported := func() string {
		req, err := service.Stored("REQ-001")
		require.NoError(t, err)
		return req.Definition.Text
	}

	imports := &importer{service: service, documents: docs, named: "R.md", postponed: &postponed{log: log}, log: log}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); imports.retry(ctx, time.Millisecond) }()
	defer func() { stop(); <-ended }()
	imports.importChanged(ctx, "R.md")
	require.Contains(t, imported(), "First")
	for _, text := range []string{"Second.", "Third.", "Fourth."} {
		write(text)
		imports.importChanged(ctx, "R.md")
		require.Contains(t, imported(), "First")
	}
	require.EqualValues(t, 1, lines.Load(), "the log says so once")
	now.Store(24)
	require.Eventually(t, func() bool { return imported() == "Fourth." }, time.Minute, time.Millisecond)
}

// lineCounter counts what is written to a log.
type lineCounter struct{ atomic.Int64 }

func (c *lineCounter) Write(line []byte) (int, error) {
	c.Add(1)
	return len(line), nil
}
