package projection

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/audit"
)

func TestTheLastExportIsWrittenAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	snap, err := New(Project{Name: "Demo"}, nil, audit.Head{Size: 3})
	require.NoError(t, err)
	x := NewExporter(path, func() *Snapshot { return snap })
	ended, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, x.Run(ended))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var now bytes.Buffer
	require.NoError(t, snap.Write(&now))
	require.Equal(t, now.String(), string(raw))

	below := NewExporter(filepath.Join(path, "below a file"), func() *Snapshot { return snap })
	require.Error(t, below.Run(ended), "a last export that fails is said")
	require.EqualValues(t, 2, below.State().Failures, "so is one that could not be cleaned up after")
}

func TestRest(t *testing.T) {
	require.Equal(t, minRest, restAfter(0))
	require.Equal(t, 400*time.Millisecond, restAfter(100*time.Millisecond))
	require.Equal(t, maxRest, restAfter(time.Minute))
}

func TestWait(t *testing.T) {
	x := NewExporter("", nil)
	require.True(t, x.Wait(t.Context(), 9, time.Hour), "without an export nothing is waited for")
	x = NewExporter("somewhere", nil)
	require.False(t, x.Wait(t.Context(), 9, 0))
	require.False(t, x.Wait(t.Context(), 9, time.Millisecond))
	x.note(8, 0, nil)
	done := make(chan bool)
	go func() { done <- x.Wait(context.Background(), 9, time.Minute) }()
	x.note(9, 0, nil)
	require.True(t, <-done)
	ended, end := context.WithCancel(t.Context())
	end()
	require.False(t, x.Wait(ended, 10, time.Minute))
}
