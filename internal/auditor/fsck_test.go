package auditor

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
)

// TestFsck has an unpacked bundle checked by fsck of transparency-dev/tessera, which knows of this program nothing but
// that its log is one of C2SP tlog-tiles. It exits with 0 whatever it finds; only its last line tells.
func TestFsck(t *testing.T) {
	tool := os.Getenv("FSCK")
	if tool == "" {
		t.Skip("FSCK does not name the tool; make fsck fetches it")
	}
	w := wholeWorld(t)
	good := w.log.lay(t)
	require.True(t, fsck(t, tool, good), "the log is in order")
	last := audit.Tile{Entries: true, Number: 2}.In(w.log.size)
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, path := range []string{"tile/entries/000", tilePrefix + last.Path(), "tile/0/001", "tile/1/000.p/2", pathCheckpoint} {
		bad := w.log.clone()
		bad.changed[path] = flip(rnd, good[path])
		require.False(t, fsck(t, tool, bad.lay(t)), "one byte of %s is another", path)
	}
}

// fsck unpacks a log, and says whether the tool found it in order.
func fsck(t *testing.T, tool string, log files) bool {
	t.Helper()
	folder := t.TempDir()
	for path, content := range log {
		path = filepath.Join(folder, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, err := exec.CommandContext(ctx, tool, "-ui=false", "-N", "16", "-storage_url", "file://"+folder+"/", "-public_key", filepath.Join(folder, pathKey)).CombinedOutput()
	require.NoError(t, ctx.Err())
	for line := range bytes.Lines(out) {
		t.Logf("%.160s", bytes.TrimSpace(line))
	}
	return err == nil && bytes.Contains(out, []byte("Successfully fsck'd"))
}
