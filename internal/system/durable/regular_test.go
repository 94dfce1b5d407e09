package durable

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(path, []byte("12345"), 0o600))
	content, err := ReadRegular(path, 5)
	require.NoError(t, err)
	require.Equal(t, "12345", string(content))
	_, err = ReadRegular(path, 4)
	require.ErrorContains(t, err, "more than 4 bytes")

	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, "/dev/zero", dir} {
		_, err = ReadRegular(path, 5)
		require.ErrorContains(t, err, "not a regular file", path)
	}
	_, err = ReadRegular(filepath.Join(dir, "none"), 5)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
