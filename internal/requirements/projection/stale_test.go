package projection

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
)

// An export that was cut off leaves a temporary file beside the export, or beside the checkpoint. The next start takes
// it away, and nothing else.
func TestWhatAKilledExportLeftIsTakenAway(t *testing.T) {
	dir := t.TempDir()
	random := strings.Repeat("ABCDE67", 4)[:26]
	left := []string{".project_status.json." + random + ".tmp", ".project_status.checkpoint." + random + ".tmp"}
	others := []string{".other.json." + random + ".tmp", ".project_status.checkpoint.mine.tmp", "project_status.txt"}
	for _, name := range append(left, others...) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600))
	}
	snap, err := New(Project{Name: "Demo"}, nil, audit.Head{Size: 3})
	require.NoError(t, err)
	x := NewExporter(filepath.Join(dir, "project_status.json"), func() *Snapshot { return snap },
		func(*Snapshot) ([]byte, error) { return []byte("signed\n"), nil }, nil)
	ended, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, x.Run(ended))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.ElementsMatch(t, append(others, "project_status.json", "project_status.checkpoint"), names)
}
