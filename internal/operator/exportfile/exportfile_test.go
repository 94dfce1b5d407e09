package exportfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func put(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestAnExportAnswersOnlyForAServiceThatDoesNotRun(t *testing.T) {
	there := put(t, filepath.Join(t.TempDir(), "project_status.json"), "")
	down := fault.New(fault.NotFound, apiclient.CodeNotRunning, "no service runs")
	require.True(t, StandsIn(there, down))
	require.False(t, StandsIn(there+".none", down))
	require.False(t, StandsIn(there, nil))
	require.False(t, StandsIn(there, errors.New("the service says no")))
}

func TestReviewNeedsAnExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "project_status.json")
	_, err := Review(t.Context(), path)
	require.ErrorIs(t, err, fault.NotFound)
	_, err = Review(t.Context(), put(t, path, "{}"))
	require.ErrorIs(t, err, fault.Invalid)
}

// An export takes the place of no other file.
func TestCheckPath(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("data", 0o700))
	require.NoError(t, os.Symlink("elsewhere", "link"))
	put(t, datadir.Dir("data").Database(), "")
	put(t, "R.md", "")
	put(t, "notes.json", `{"notes":[]}`)
	for path, ok := range map[string]bool{
		"new.json": true, "link": true, // a link in its place is replaced
		"R.md": false, datadir.Dir("data").Database(): false, "notes.json": false, "docs/a.md": false,
	} {
		err := CheckPath(t.Context(), "data", path, []string{"R.md", "docs/*.md"})
		require.Equal(t, ok, err == nil, "%s: %v", path, err)
	}
}
