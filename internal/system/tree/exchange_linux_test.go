package tree

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An old file that cannot be removed, here a folder that has just come to stand there, is put back.
func TestAFolderThatComesDuringAnUnsyncedWriteStaysInItsPlace(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	root, err := f.opened()
	require.NoError(t, err)
	put(t, filepath.Join(dir, "temp"), "new")
	put(t, filepath.Join(dir, "f", "inside"), "theirs")
	from, err := openSpot(root, "temp")
	require.NoError(t, err)
	defer from.dir.Close()
	require.Error(t, takePlace(from, spot{root, from.dir, "f"}, nil))
	require.Equal(t, "theirs", content(t, filepath.Join(dir, "f", "inside")))
	require.Equal(t, "new", content(t, filepath.Join(dir, "temp")))
}
