package tree

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResolveFollowsLinksAsFarAsThereIsAnything(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	require.NoError(t, os.MkdirAll("real/below", 0o700))
	link(t, "real", "link")
	link(t, "nowhere", "dangling")
	for path, want := range map[string]string{
		"":                     "",
		"real/below":           "real/below",
		"./real//below":        "./real//below", // as it was written
		"none/at/all":          "none/at/all",
		"link/below":           "real/below",
		"link/none/at/all":     "real/none/at/all",
		"dangling":             "dangling",
		dir + "/link":          dir + "/real",
		dir + "/link/none.txt": dir + "/real/none.txt",
	} {
		require.Equal(t, want, Resolve(path), path)
	}
	require.Equal(t, filepath.Join(dir, "real/none"), Real("link/none"))
	require.Equal(t, filepath.Join(dir, "none"), Real("none"))
	require.True(t, Exists("dangling"))
	require.False(t, Exists("none"))
}

func TestTheTopOfAWorkingTree(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o700))
	require.Empty(t, WorkingTree(below))
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	require.Equal(t, dir, WorkingTree(below))
	require.Equal(t, dir, WorkingTree(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", ".git"), []byte("gitdir: elsewhere"), 0o600))
	require.Equal(t, filepath.Join(dir, "a"), WorkingTree(below), "a linked working tree has a file there")
}
