package gitignore

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestSettleWaitsForTheIndex(t *testing.T) {
	dir := repository(t)
	file := put(t, filepath.Join(dir, ".orchestrator", "tokens.json"), "{}")
	require.NoError(t, Settle(t.Context(), file))
	lock := put(t, filepath.Join(dir, ".git", "index.lock"), "")
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.Error(t, Settle(short, file), "git is at work")
	time.AfterFunc(100*time.Millisecond, func() { _ = os.Remove(lock) })
	require.NoError(t, Settle(t.Context(), file))
	require.NoFileExists(t, lock)
	require.NoError(t, Settle(t.Context(), filepath.Join(t.TempDir(), "x")), "outside of any working tree")
}

func TestALinkOfARepositoryLeadsNoSecretsElsewhere(t *testing.T) {
	dir := repository(t)
	data, elsewhere := filepath.Join(dir, ".orchestrator"), t.TempDir()
	require.NoError(t, RefuseLinks(t.Context(), data), "not there yet")
	require.NoError(t, os.Symlink(elsewhere, data))
	require.NoError(t, RefuseLinks(t.Context(), data), "the operator's own")
	runGit(t, dir, "add", "-f", ".orchestrator")
	for _, path := range []string{data, filepath.Join(data, "tokens")} {
		err := RefuseLinks(t.Context(), path)
		require.True(t, fault.Is(err, CodeLink), "%s: %v", path, err)
	}
	require.NoError(t, RefuseLinks(t.Context(), elsewhere))
}
