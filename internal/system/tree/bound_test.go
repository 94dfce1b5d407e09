package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever can write to a folder can fill it: neither a large folder nor many of them are listed without end.
func TestAPatternIsNotLookedForWithoutEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	for n := range 6 {
		put(t, fmt.Sprintf("docs/%d/a.md", n), "")
		put(t, fmt.Sprintf("docs/%d/b.txt", n), "")
	}
	for _, c := range []struct {
		pattern        string
		names, matches int
		refused        string
	}{
		{"docs/*/*.md", 18, 6, ""},
		{"docs/*/*.md", 17, 6, "more than 17 names"},
		{"docs/*/*.md", 18, 5, "more than 5 files"},
		{"docs/*/a.md", 6, 6, ""},
		{"docs/*/a.md", 5, 6, "more than 5 names"},
	} {
		p, err := OpenPath(c.pattern)
		require.NoError(t, err)
		p.most = bounds{names: c.names, matches: c.matches}
		files, err := p.Match(t.Context())
		levels, levelsErr := p.Levels(t.Context())
		require.NoError(t, p.Close())
		if c.refused == "" {
			require.NoError(t, err, c)
			require.NoError(t, levelsErr, c)
			require.Len(t, files, 6)
			require.Len(t, levels, 7)
			continue
		}
		require.ErrorIs(t, err, ErrTooMany, c)
		require.ErrorContains(t, err, c.refused)
		require.ErrorIs(t, levelsErr, ErrTooMany, c)
	}
}

func TestAPatternMatchesAtMostTenThousandFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("docs", 0o700))
	for n := range MaxFiles {
		require.NoError(t, os.WriteFile(filepath.Join("docs", fmt.Sprintf("%d.md", n)), nil, 0o600))
	}
	p, err := OpenPath("docs/*.md")
	require.NoError(t, err)
	defer p.Close()
	files, err := p.Match(t.Context())
	require.NoError(t, err)
	require.Len(t, files, MaxFiles)
	put(t, "docs/more.md", "")
	_, err = p.Match(t.Context())
	require.ErrorIs(t, err, ErrTooMany)
}
