package control_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// The way out that a block names works when the policy is what is broken.
// Verifies: ORC-061
func TestARollbackNeedsNoPolicy(t *testing.T) {
	for name, spoil := range map[string]func(dir folder.Dir, path string) error{
		"broken":  func(_ folder.Dir, path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"missing": func(_ folder.Dir, path string) error { return os.Remove(path) },
		"no folder": func(dir folder.Dir, _ string) error {
			return os.RemoveAll(dir.Path())
		},
	} {
		dir := boundarytest.Project(t)
		require.NoError(t, os.Mkdir(filepath.Join(dir.Root, ".git"), 0o700))
		_, err := control.SetMode(dir, boundary.Enforce, "o", boundarytest.By("r", boundarytest.Day0), report.FromFiles(dir))
		require.NoError(t, err)
		path := filepath.Join(dir.Path(), "policy.json")
		require.NoError(t, spoil(dir, path))
		_, err = control.SetMode(dir, boundary.Confirm, "o", boundarytest.By("r", boundarytest.Day0), report.FromFiles(dir))
		require.Error(t, err, "%s: it is no way to go on blocking", name)
		require.True(t, dir.IsMarked(), name)

		from, err := control.SetMode(dir, boundary.Validate, "", boundarytest.By("out", boundarytest.Day0), report.FromFiles(dir))
		require.NoError(t, err, name)
		require.Equal(t, boundary.Enforce, from, name)
		require.False(t, dir.IsMarked(), name)
		p, err := dir.Policy()
		require.NoError(t, err, name)
		require.Equal(t, boundary.Validate, p.Mode, name)
		require.NotNil(t, boundarytest.History(t, dir).Recovery(), "%s: it is on record as a rollback", name)
		if name == "broken" {
			kept, err := os.ReadFile(path + ".broken")
			require.NoError(t, err)
			require.Equal(t, "{", string(kept))
		}
	}
}

// A switch that a pull brought is put on record and marked by the same command, and the shared policy stays as it is.
func TestAModeThatThePolicyHasIsPutOnRecord(t *testing.T) {
	dir := boundarytest.Project(t)
	path := filepath.Join(dir.Path(), "policy.json")
	pull := func(mode boundary.Mode) string {
		text := `{"schema_version":1, "mode":"` + string(mode) + `"}`
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return text
	}
	set := func(mode boundary.Mode) {
		_, err := control.SetMode(dir, mode, "", boundarytest.By("r", boundarytest.Day0), report.FromFiles(dir))
		require.NoError(t, err)
		recorded, err := control.Recorded(dir)
		require.NoError(t, err)
		require.Equal(t, mode, recorded)
		require.Equal(t, mode.Blocks(), dir.IsMarked())
	}
	pulled := pull(boundary.Enforce)
	set(boundary.Enforce)
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, pulled, string(now))
	n := len(boundarytest.History(t, dir).Modes)
	set(boundary.Enforce)
	require.Len(t, boundarytest.History(t, dir).Modes, n, "the second time there is nothing to record")

	pull(boundary.Validate)
	p, err := dir.Policy()
	require.NoError(t, err)
	require.Equal(t, boundary.Enforce, p.Mode, "the mark holds until a person follows")
	set(boundary.Validate)
	set(boundary.Validate)

	pull(boundary.Enforce)
	set(boundary.Enforce)
	pull(boundary.Validate)
	set(boundary.Enforce)
	written, err := dir.Written()
	require.NoError(t, err)
	require.Equal(t, boundary.Enforce, written.Mode, "or puts the policy back")
}
