package setup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestTheTopOfARepositoryIsThePlace(t *testing.T) {
	t.Chdir(t.TempDir())
	place := func() string {
		t.Helper()
		at, err := Place()
		require.NoError(t, err)
		return at
	}
	require.NoError(t, os.MkdirAll("repo/src/deep", 0o700))
	t.Chdir("repo/src/deep")
	require.Equal(t, ".", place())
	file(t, "../../.git", "gitdir: elsewhere\n") // a worktree has a file
	require.Equal(t, "../..", place())
	require.NoError(t, os.Remove("../../.git"))
	require.NoError(t, os.Mkdir("../../.git", 0o700))
	require.Equal(t, "../..", place())
	file(t, "../orchestrator.yaml", "") // a project below the top
	require.Equal(t, "..", place())
}

func TestSomeFoldersAreNoProjects(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(here, filepath.Join(here, "link")))
	for folder, home := range map[string]string{"/": "", ".": here, "./": filepath.Join(here, "link")} {
		err := CheckPlace(folder, home)
		require.True(t, fault.Is(err, CodePlace), folder)
		require.Contains(t, fault.As(err).Fix, "--here")
	}
	require.NoError(t, CheckPlace(".", ""))
	require.NoError(t, CheckPlace(".", filepath.Dir(here)))
	file(t, "orchestrator.yaml", "") // somebody has decided otherwise
	require.NoError(t, CheckPlace(".", here))
}

func TestWhatIsToBeCommitted(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", document)
	plan := planned(t, shop(Answers{}))
	require.NoError(t, plan.Do(t.Context()))
	require.Empty(t, plan.ToCommit())
	require.NoError(t, os.Mkdir(".git", 0o700))
	require.Equal(t, []string{"orchestrator.yaml", ".orchestrator/.gitignore", "AGENTS.md"}, plan.ToCommit())
	require.Equal(t, []string{"orchestrator up", "orchestrator next", "orchestrator doctor"}, plan.Next(""))
	plan.data = "other data"
	require.Equal(t, []string{"orchestrator up --data 'other data'", "orchestrator next --data 'other data'",
		"x --data 'other data'"}, plan.Next("x"))
}
