package witness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Somebody puts a link in the place of the state while the witness works: it is replaced and told, and what it leads to
// keeps every byte. A state that is a link out of its folder when the witness starts is refused, not forgotten.
func TestTheStateIsNeverWrittenThroughALink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, os.WriteFile(other, []byte("the log"), 0o600))
	var told []string
	o := Options{
		State: filepath.Join(dir, "witness.json"), Key: filepath.Join(dir, "witness.key"),
		Displaced: func(path, what string) { told = append(told, filepath.Base(path)+": "+what) },
	}
	w, err := Open(o)
	require.NoError(t, err)
	require.Empty(t, told)
	require.NoError(t, os.Remove(o.State))
	require.NoError(t, os.Symlink(other, o.State))
	require.NoError(t, w.save(w.state))
	require.Equal(t, []string{"witness.json: a symbolic link to " + other}, told)
	info, err := os.Lstat(o.State)
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
	w.Close()

	require.NoError(t, os.Remove(o.State))
	require.NoError(t, os.Symlink(other, o.State))
	_, err = Open(o)
	requireCode(t, err, "witness_state_damaged")
	require.ErrorContains(t, err, other)
	raw, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "the log", string(raw))
}
