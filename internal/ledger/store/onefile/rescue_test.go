package onefile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRescueKeepsWhatNoPathLeadsTo: git unlinks a file before it puts its own in the place.
func TestRescueKeepsWhatNoPathLeadsTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	saved, err := Rescue(s, time.Now())
	require.NoError(t, err)
	require.Empty(t, saved, "it has a path")
	was, err := os.ReadFile(path)
	require.NoError(t, err)

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("theirs"), 0o600))
	t.Cleanup(func() { _ = s.Close() })
	<-s.Failed()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	saved, err = Rescue(s, at)
	require.NoError(t, err)
	require.Equal(t, path+".saved-20260102T030405Z", saved)
	is, err := os.ReadFile(saved)
	require.NoError(t, err)
	require.Equal(t, was, is)
	copied, err := Open(saved, Options{})
	require.NoError(t, err)
	require.NoError(t, copied.Close())
	_, err = Rescue(s, at)
	require.ErrorIs(t, err, os.ErrExist, "no copy replaces another")
}
