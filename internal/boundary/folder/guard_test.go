package folder_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

func TestWhatNoSessionMayChange(t *testing.T) {
	dir := folder.In(t.TempDir())
	require.Nil(t, folder.GuardOf(dir))
	p := boundary.DefaultPolicy()
	p.Mode, p.ProtectedPaths = boundary.Off, []string{"infra/**"}
	_, err := dir.Make(p)
	require.NoError(t, err)
	files := map[string]bool{
		"src/a.go": false, ".orchestrator/boundary/policy.json": true, "sub/orchestrator.yaml": true,
		".Claude/settings.json": true, ".claude": true, ".claude/agents/a.md": false, "infra/main.tf": true,
		".orchestrator/tools/a.yaml": false,
	}
	for file, want := range files {
		require.Equal(t, want, folder.GuardOf(dir).Protects(file), file)
	}
	require.Contains(t, folder.GuardOf(dir).Files(), filepath.Join(dir.Root, ".github", "hooks"))

	require.NoError(t, os.WriteFile(filepath.Join(dir.Path(), "policy.json"), []byte("{"), 0o600))
	files["infra/main.tf"] = false // nobody knows
	for file, want := range files {
		require.Equal(t, want, folder.GuardOf(dir).Protects(file), file)
	}
}
