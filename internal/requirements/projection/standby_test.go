package projection

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
)

// exporterOf returns an exporter of a log that has a size, of one of several processes.
func exporterOf(path string, size, duty *atomic.Int64) *Exporter {
	return NewExporter(Exporting{Path: path, OnDuty: func() bool { return duty.Load() > 0 },
		Newest: func() *Snapshot {
			snap, err := New(Project{Name: "Demo"}, nil, audit.Head{Size: uint64(size.Load())})
			if err != nil {
				panic(err)
			}
			return snap
		}})
}

func sizeIn(t *testing.T, path string) uint64 {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	log, err := ReadLog(f)
	require.NoError(t, err)
	return log.Size
}

// once lets an exporter write all that there is to be written.
func once(t *testing.T, x *Exporter) {
	t.Helper()
	ended, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, x.Run(ended))
}

// Verifies: ORC-366
func TestOneOfSeveralProcessesWritesTheExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	var size, duty atomic.Int64
	size.Store(3)
	x := exporterOf(path, &size, &duty)
	once(t, x)
	require.NoFileExists(t, path)
	require.True(t, x.State().Standby)
	begun := time.Now()
	require.Equal(t, ExportPending, x.Wait(t.Context(), 3, time.Hour), "nobody waits for what another writes")
	require.Less(t, time.Since(begun), time.Minute)

	duty.Store(1)
	once(t, x)
	require.EqualValues(t, 3, sizeIn(t, path))
	require.False(t, x.State().Standby)

	var otherSize, otherDuty atomic.Int64
	otherSize.Store(9)
	otherDuty.Store(1)
	once(t, exporterOf(path, &otherSize, &otherDuty))
	size.Store(2) // an operator has accepted a rollback
	once(t, x)
	require.EqualValues(t, 2, sizeIn(t, path), "a term begins with what the log is now")
}

// A process that was stopped while it had the duty wakes, and has not heard that another has taken over.
//
// Verifies: ORC-366
func TestAnOlderExportIsNotWrittenOverANewerOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	var size, duty, otherSize atomic.Int64
	size.Store(3)
	duty.Store(1)
	x := exporterOf(path, &size, &duty)
	x.begin()
	require.NoError(t, x.writeNewest())
	otherSize.Store(9)
	once(t, exporterOf(path, &otherSize, &duty))
	size.Store(4)
	require.ErrorIs(t, x.writeNewest(), errNotOurs)
	require.EqualValues(t, 9, sizeIn(t, path))

	size.Store(10) // it has followed the log, and goes on
	require.NoError(t, x.writeNewest())
	require.EqualValues(t, 10, sizeIn(t, path))
	duty.Store(0)
	size.Store(11)
	require.NoError(t, x.end())
	require.EqualValues(t, 10, sizeIn(t, path), "nothing is written at the end either")
}
