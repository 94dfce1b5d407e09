package documents

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

// sparse makes files that take no room on the disk.
func sparse(t *testing.T, size int64, names ...string) {
	t.Helper()
	for _, name := range names {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		require.NoError(t, os.Truncate(name, size))
	}
}

func TestDocumentsAreBoundedTogether(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("docs", 0o700))
	sparse(t, MaxFile, "docs/1.md", "docs/2.md", "docs/3.md", "docs/4.md")
	files, err := Read(t.Context(), []string{"docs/*.md"})
	require.NoError(t, err)
	require.Len(t, files, 4)

	sparse(t, 1, "docs/5.md")
	for _, paths := range [][]string{{"docs/*.md"}, {"docs/[1-3].md", "docs/4.md", "docs/5.md"}} {
		_, err = Read(t.Context(), paths)
		f, is := errors.AsType[*fault.Error](err)
		require.True(t, is, err)
		require.Equal(t, "document_too_large", string(f.Code))
		require.Contains(t, f.Detail, "together more than 67108864 bytes")
		require.Contains(t, f.Fix, "docs/5.md")
	}

	sparse(t, MaxFile+1, "docs/1.md")
	_, err = Read(t.Context(), []string{"docs/*.md"})
	require.ErrorContains(t, err, "docs/1.md has more than 16777216 bytes")
}

func TestDocumentsAreBoundedInNumber(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, folder := range []string{"a", "b"} {
		require.NoError(t, os.Mkdir(folder, 0o700))
		for n := range tree.MaxFiles / 2 {
			require.NoError(t, os.WriteFile(fmt.Sprintf("%s/%d.md", folder, n), nil, 0o600))
		}
	}
	files, err := Read(t.Context(), []string{"a/*.md", "b/*.md"})
	require.NoError(t, err)
	require.Len(t, files, tree.MaxFiles)

	sparse(t, 1, "a/more.md")
	for _, paths := range [][]string{{"a/*.md", "b/*.md"}, {"*/*.md"}} {
		_, err = Read(t.Context(), paths)
		f, is := errors.AsType[*fault.Error](err)
		require.True(t, is, err)
		require.Equal(t, "requirements_unreadable", string(f.Code))
		require.Contains(t, f.Detail, "10000")
		require.Contains(t, f.Fix, "narrower")
	}
}
