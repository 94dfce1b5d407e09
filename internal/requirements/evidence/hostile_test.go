package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// hostilePaths are refused by their text alone.
var hostilePaths = map[string][]string{
	"path_empty":     {""},
	"path_absolute":  {"/", "/etc/passwd", "//etc/passwd"},
	"path_parent":    {"..", "../canary", "a/../../canary", "a/..", "docs/../guide.md", "a/../../../../../../etc/passwd"},
	"path_backslash": {`..\canary`, `a\..\..\canary`, `C:\x`, `\\host\share`},
	"path_control":   {"a\x00b", "a.go\x00/../../canary", "a\nb", "a\r\nb", "a\x1b[2J", "a\x7f", "a\u0085b", "\xff\xfe"},
	"path_unclean":   {"./a", "a/./b", "a//b", "a/", "./", "."},
	"path_git": {
		".git", ".git/config", ".GIT/config", ".Git", "sub/.git/HEAD", ".git./config", ".git /config", ".git. . /x", "git~1", "GIT~1/config", "git~27",
		".g\u200cit/config", "\ufeff.git", ".git::$INDEX_ALLOCATION/config", "git~1 .",
	},
	"path_too_long": {strings.Repeat("a/", 3000) + "b"},
}

func TestAHostilePathIsRefusedBeforeAnythingIsOpenedOrStarted(t *testing.T) {
	c := newClone(t)
	c.write("guide.md", "1\n")
	c.commit("first")
	canary := filepath.Join(filepath.Dir(c.dir), "canary")
	require.NoError(t, syscall.Mkfifo(canary, 0o644)) // who opens it to read waits for ever
	r := c.open(Options{Timeout: time.Minute})
	before := r.git.Starts()
	within(t, func() {
		for code, paths := range hostilePaths {
			for _, path := range append(paths, paths...) {
				require.Equal(t, code, string(wrong(t, r, file(path, "1")).Code), "%q", path)
				require.Equal(t, code, string(wrong(t, r, fileIn("HEAD", path, "1")).Code), "%q", path)
				if path != "" {
					require.Equal(t, code, string(wrong(t, r, test("T", "pass", path)).Code), "%q", path)
				}
			}
		}
	})
	require.Equal(t, before, r.git.Starts(), "git was started for a path that is refused")
}

func TestPathsThatAreFine(t *testing.T) {
	for _, path := range []string{
		"a", "a.b", ".gitignore", ".github/x.yml", "..a", "a..", "...", "a/.gitkeep", "-rf", "--output=x", "git", "git~", "git~x", "ü/日本.go", "a b/c d",
		":(top)x", "*.go", "HEAD", "@{u}", "a:b", "👩‍🚀.md",
	} {
		require.NoError(t, checkPath(path), path)
	}
}

func TestAPathIsNeverAPatternOrAnOption(t *testing.T) {
	c := newClone(t)
	for _, path := range []string{"-rf", "--output=x", ":(top)x", "*.go", "a b", "HEAD", "ü.go"} {
		c.write("odd/"+path, path)
		c.write(path, path)
	}
	c.write("real.go", "x")
	head := c.commit("odd")
	r := c.open(Options{})
	for _, path := range []string{"-rf", "--output=x", ":(top)x", "*.go", "a b", "HEAD", "ü.go", "odd/--output=x"} {
		require.Equal(t, digest([]byte(filepath.Base(path))), found(t, r, fileIn(head, path, "")).SHA256, path)
		require.Equal(t, lifecycle.InBranch, found(t, r, file(path, "")).In, path)
	}
	require.Equal(t, "file_missing", string(wrong(t, r, file("?eal.go", "")).Code))
	require.Equal(t, "file_missing", string(wrong(t, r, file(":/real.go", "")).Code))
}

// Verifies: ORC-090
func TestAHostileCommitIsRefusedBeforeGitSeesIt(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	head := c.commit("first")
	c.git("branch", "deadbeef", head)
	r := c.open(Options{})
	before := r.git.Starts()
	for _, id := range []string{
		"-x", "--all", "--output=/tmp/x", "-", "HEAD", "HEAD~1", "main", "@", "@{u}", "@{-1}", ":/first", "^" + head, head + "^{tree}", head + ":a",
		head + "..", head + "\n", "\n" + head, head + " " + head, strings.ToUpper(head), "abc", strings.Repeat("a", 65), strings.Repeat("a", 41),
		"refs/heads/main", "v1.0", " " + head, "0x" + head[:10], "\x00" + head, "ａｂｃｄ",
	} {
		require.Equal(t, "commit_malformed", string(wrong(t, r, commit(id)).Code), "%q", id)
		require.Equal(t, "commit_malformed", string(wrong(t, r, fileIn(id, "a", "")).Code), "%q", id)
	}
	require.Equal(t, "commit_malformed", string(wrong(t, r, commit("")).Code))
	require.Equal(t, before, r.git.Starts(), "git was started for an id that is refused")
	require.Equal(t, "commit_unknown", string(wrong(t, r, commit("deadbeef")).Code), "a branch was taken for a commit")
}

func TestHostileLinesAreRefusedBeforeAnythingIsOpened(t *testing.T) {
	c := newClone(t)
	c.write("a", "a\n")
	c.commit("first")
	r := c.open(Options{})
	before := r.git.Starts()
	for _, lines := range []string{
		"0", "0-1", "-1", "1-", "-", "2-1", "1-0", "01", "1 - 2", " 1", "1,2", "1-2-3", "+1", "1e3", "9999999999", "1-9999999999", "１", "x", "L1-L2", "1\n",
	} {
		require.Equal(t, "lines_malformed", string(wrong(t, r, file("a", lines)).Code), "%q", lines)
	}
	require.Equal(t, before, r.git.Starts())
	require.Equal(t, "lines_outside", string(wrong(t, r, file("a", "999999999")).Code))
}

func TestNoLinkLeadsOutAndNoPipeIsWaitedFor(t *testing.T) {
	c := newClone(t)
	c.write("in/a", "a")
	canary := filepath.Join(filepath.Dir(c.dir), "canary")
	require.NoError(t, syscall.Mkfifo(canary, 0o644))
	require.NoError(t, syscall.Mkfifo(filepath.Join(c.dir, "pipe"), 0o644))
	link := func(to, at string) { require.NoError(t, os.Symlink(to, filepath.Join(c.dir, at))) }
	link(canary, "absolute")
	link("../canary", "upward")
	link("upward", "chained")
	link("..", "in/above")
	link("../..", "out")
	link("loop", "loop")
	link("/proc/self/fd", "fds")
	link("/dev/zero", "zero")
	r := c.open(Options{Timeout: time.Minute})
	within(t, func() {
		for path, code := range map[string]string{
			"absolute": "symbolic_link", "upward": "symbolic_link", "chained": "symbolic_link", "in/above/in/a": "symbolic_link",
			"out/canary": "symbolic_link", "out": "symbolic_link", "loop": "symbolic_link", "loop/x": "symbolic_link", "fds/0": "symbolic_link",
			"zero": "symbolic_link", "pipe": "not_regular",
		} {
			require.Equal(t, code, string(wrong(t, r, file(path, "")).Code), path)
			require.Equal(t, code, string(wrong(t, r, test("T", "pass", path)).Code), path)
		}
	})
}

// A file that is replaced by a pipe or a link between the look at it and its opening is neither waited for nor followed.
func TestAFileThatIsReplacedWhileItIsOpenedIsRefused(t *testing.T) {
	c := newClone(t)
	canary := filepath.Join(filepath.Dir(c.dir), "canary")
	require.NoError(t, syscall.Mkfifo(canary, 0o644))
	root, err := os.OpenRoot(c.dir)
	require.NoError(t, err)
	defer root.Close()
	full := filepath.Join(c.dir, "a")
	for name, replace := range map[string]func() error{
		"pipe":       func() error { return syscall.Mkfifo(full, 0o644) },
		"link out":   func() error { return os.Symlink("../canary", full) },
		"link":       func() error { return os.Symlink("b", full) },
		"other file": func() error { return os.WriteFile(full, []byte("xx"), 0o644) },
		"folder":     func() error { return os.Mkdir(full, 0o755) },
		"nothing":    func() error { return nil },
	} {
		c.write("a", "12")
		c.write("b", "12")
		f, err := stat(root, "a")
		require.NoError(t, err)
		content, err := read(t.Context(), root, f, 10)
		require.NoError(t, err)
		require.Equal(t, "12", string(content))
		require.NoError(t, os.Remove(full))
		require.NoError(t, replace())
		within(t, func() {
			_, err = read(t.Context(), root, f, 10)
			require.Equal(t, CodeUnreadable, fault.As(err).Code, name)
		})
		require.NoError(t, os.RemoveAll(full))
	}
}

func TestAFileThatGrowsIsRefused(t *testing.T) {
	c := newClone(t)
	c.write("a", "12")
	root, err := os.OpenRoot(c.dir)
	require.NoError(t, err)
	defer root.Close()
	f, err := stat(root, "a")
	require.NoError(t, err)
	c.write("a", "123")
	_, err = read(t.Context(), root, f, 10)
	require.Equal(t, "a changed while it was read", fault.As(err).Detail)
}

func TestAFileThatMayNotBeReadIsUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything: run the tests as another user")
	}
	c := newClone(t)
	c.write("secret", "s")
	require.NoError(t, os.Chmod(filepath.Join(c.dir, "secret"), 0))
	r := c.open(Options{})
	w := wrong(t, r, file("secret", ""))
	require.Equal(t, CodeUnreadable, w.Code)
	require.Contains(t, w.Detail, "secret cannot be read: permission denied")
}

func FuzzCheckPath(f *testing.F) {
	for _, paths := range hostilePaths {
		for _, path := range paths {
			f.Add(path)
		}
	}
	f.Add("a/b.go")
	f.Fuzz(func(t *testing.T, path string) {
		if checkPath(path) != nil {
			return
		}
		require.True(t, filepath.IsLocal(path), "%q", path)
		require.Equal(t, path, filepath.Clean(path))
		require.NotContains(t, path, "\n")
		for part := range strings.SplitSeq(strings.ToLower(path), "/") {
			require.NotEqual(t, ".git", strings.TrimRight(part, " ."), "%q", path)
		}
	})
}

func FuzzParseSpan(f *testing.F) {
	for _, lines := range []string{"", "1", "12-40", "0", "2-1", "999999999-999999999"} {
		f.Add(lines, "a\nb\n\nc")
	}
	f.Fuzz(func(t *testing.T, lines, content string) {
		s, err := parseSpan(lines)
		if err != nil {
			return
		}
		if s.whole() {
			require.Empty(t, lines)
			return
		}
		require.GreaterOrEqual(t, s.first, 1)
		require.GreaterOrEqual(t, s.count(), 1)
		again, err := parseSpan(s.String())
		require.NoError(t, err)
		require.Equal(t, s, again)
		part, ok := cut([]byte(content), s)
		require.Equal(t, s.last <= countLines([]byte(content)), ok)
		if ok {
			require.Equal(t, s.count(), countLines(part))
			first, again := search([]byte(content), part, s.count())
			require.True(t, first == s.first || first < s.first && (again || part[len(part)-1] != '\n'), "%d %v", first, again)
			spent := 0
			require.Equal(t, part, searchDigest([]byte(content), s.count(), digest(part), &spent))
		}
	})
}

func TestPrivateFilesAreNoEvidence(t *testing.T) {
	c := newClone(t)
	c.write("data/tokens/pm.token", "secret\n")
	c.write("data.go", "a\n")
	c.write("status.json", junit)
	head := c.commit("first")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(c.dir, link))
	r := c.open(Options{Private: []string{filepath.Join(link, "data"), filepath.Join(c.dir, "status.json"), "/elsewhere", "", c.dir}})
	for _, e := range []lifecycle.Evidence{
		file("data/tokens/pm.token", "1"), file("DATA/tokens", ""), file("data", ""), fileIn(head, "data/tokens/pm.token", ""),
		file("status.json", ""), test("TestGood", "pass", "status.json"),
	} {
		require.Equal(t, "path_private", string(wrong(t, r, e).Code), "%+v", e)
	}
	found(t, r, file("data.go", "1"))
	e := looked(t, r, file("data.go", "1"))
	e.Path, e.Found.In, e.Found.Blob = "data/new", lifecycle.InWorktree, ""
	c.write("data/new", "a\n")
	require.Equal(t, lifecycle.FileGone, recheck(t, r, e).Reason)
}
