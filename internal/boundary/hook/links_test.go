package hook

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLinksAreFollowed: as the system follows them, and as far as there is anything.
func TestLinksAreFollowed(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"a/b/c", "d"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "a/file"), nil, 0o600))
	for link, to := range map[string]string{
		"to-c": "a/b/c", "absolute": root + "/a/b", "d/up": "../a", "to-file": "a/./b//../file", "twice": "to-c",
		"physical": "to-c/../../file", "loop": "loop", "one": "two", "two": "one", "nowhere": "d/up/none/x",
		"far": "/none/../" + strings.TrimPrefix(root, "/") + "/d", "top": "/", "above": strings.Repeat("../", 50),
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(root, link)))
	}
	var l links
	for path, want := range map[string]string{
		"": "", "a": "/a", "a/file": "/a/file", "to-c": "/a/b/c",
		"absolute/c": "/a/b/c", "d/up/b": "/a/b", "to-file": "/a/file",
		"twice/x/y": "/a/b/c/x/y", "physical": "/a/file", "d/up/none": "/a/none", "a/file/below": "/a/file/below",
		"nowhere": "/a/none/x", "nowhere/y": "/a/none/x/y", "none/at/all": "/none/at/all",
	} {
		require.Equal(t, root+want, l.real(filepath.Join(root, path)), path)
		if real, err := filepath.EvalSymlinks(filepath.Join(root, path)); err == nil {
			require.Equal(t, real, l.real(filepath.Join(root, path)), path)
		}
	}
	for path, want := range map[string]string{ // up from where a link leads, not from the link
		"to-c/..": "/a/b", "to-c/../../file": "/a/file", "to-c/./../x": "/a/b/x", "d/up/../d": "/d",
		"twice/../c": "/a/b/c", "a/b/../file": "/a/file", "none/../a": "/none/../a",
	} {
		require.Equal(t, filepath.Clean(root+want), l.real(root+"/"+path), path)
	}
	require.Equal(t, "/", l.real("/"))
	require.Equal(t, "/", l.real(filepath.Join(root, "top")))
	require.Equal(t, "/", l.real(filepath.Join(root, "above")))
	require.Equal(t, "not/absolute", l.real("not/absolute"))
	require.Equal(t, root+"/loop", l.real(filepath.Join(root, "loop")), "it ends")
	require.Contains(t, []string{root + "/one/x", root + "/two/x"}, l.real(filepath.Join(root, "one", "x")))
	require.Equal(t, root+"/d", l.real(filepath.Join(root, "far")))
}

// However many names there are, what is remembered of them stays small, and is looked up once.
func TestFewNamesAreRemembered(t *testing.T) {
	var l links
	root := l.real(t.TempDir())
	known := len(l.seen)
	require.NotZero(t, known)
	require.Equal(t, root, l.real(root))
	require.Len(t, l.seen, known)
	for i := range 3 * mostSeen {
		name := filepath.Join(root, strconv.Itoa(i))
		require.Equal(t, name, l.real(name))
	}
	require.Len(t, l.seen, mostSeen)
}
