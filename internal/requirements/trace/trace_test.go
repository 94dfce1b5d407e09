package trace

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-085

var shop = []Requirement{{ID: "REQ-7", Title: "Log in"}, {ID: "REQ-8", Title: "Log out"}, {ID: "REQ-9", Title: "Pay"}}

// folderOf makes a folder with these files.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

// git runs git in a folder.
func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: what it lists cannot be tested")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
}

func run(t *testing.T, dir string, o Options) Report {
	t.Helper()
	r, err := Run(t.Context(), dir, shop, o)
	require.NoError(t, err)
	return r
}

// places lists what was found, for comparing.
func places(r Report) (all []string) {
	for _, q := range r.Requirements {
		for _, p := range q.Places {
			all = append(all, fmt.Sprintf("%s %s:%d %s %s%s", q.ID, p.Path, p.Line, p.Kind, p.Keyword, p.Name))
		}
	}
	for _, u := range r.Unknown {
		all = append(all, fmt.Sprintf("? %s:%d %s %s %v", u.Path, u.Line, u.Keyword, u.ID, u.Similar))
	}
	for _, s := range r.Skipped {
		all = append(all, fmt.Sprintf("skipped %s: %s", s.Path, s.Reason))
	}
	return all
}

func TestReportOfAFolder(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"b/login.go":          "package b\n\n// Implements: REQ-7, req-8\nfunc Login() {} // Covers: REQ-8, REQ-99\r\n",
		"b/login_test.go":     "package b\n\nfunc TestLogin_REQ7(t *testing.T) {\n\tt.Run(\"[REQ-7] REQ-70\", nil)\n}\n",
		"a.md":                "Verifies: REQ-8\n",
		"REQUIREMENTS.md":     "# Shop\n\nCovers: REQ-9\n",
		"project_status.json": "Covers: REQ-9\n",
		".hidden/a.go":        "// Covers: REQ-9\n",
		"node_modules/a.js":   "// Covers: REQ-9\n",
		"b/vendor/a.go":       "// Covers: REQ-9\n",
		"binary":              "// Covers: REQ-9\n\x00",
		"late_binary":         strings.Repeat(" ", sniffed-1) + "\x00\n// Covers: REQ-9\n",
		"long.go":             strings.Repeat(" ", maxLine) + "// Covers: REQ-9\n",
		"full.txt":            "// Covers: REQ-8\n" + strings.Repeat("x", maxFile-17),
		"larger.txt":          "// Covers: REQ-9\n" + strings.Repeat("x", maxFile-16),
		"latin1.go":           "// caf\xe9\n// Covers: REQ-7, REQ-7\xe9\n",
	})
	require.NoError(t, os.Symlink("b/login.go", filepath.Join(dir, "link.go")))
	require.NoError(t, os.Symlink("b", filepath.Join(dir, "linked")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.go"), 0o600))
	r := run(t, dir, Options{Except: []string{"REQUIREMENTS.md"}})
	require.Equal(t, []string{
		"REQ-7 b/login.go:3 mark Implements",
		"REQ-7 b/login_test.go:3 test TestLogin_REQ7",
		"REQ-7 b/login_test.go:4 test [REQ-7] REQ-70",
		"REQ-7 latin1.go:2 mark Covers",
		"REQ-8 a.md:1 mark Verifies",
		"REQ-8 b/login.go:4 mark Covers",
		"REQ-8 full.txt:1 mark Covers",
		"? b/login.go:3 Implements req-8 [REQ-8]",
		"? b/login.go:4 Covers REQ-99 []",
		"? latin1.go:2 Covers REQ-7\uFFFD [REQ-7]",
		"skipped larger.txt: larger than 2 MiB",
	}, places(r))
	require.Equal(t, Summary{Requirements: 3, Marked: 2, Tested: 2, Unknown: 3, Files: 6}, r.Summary)
	require.False(t, r.Gitignore)
	require.Equal(t, "the folder is not in a git repository", r.Note)
}

func TestFilesOfGit(t *testing.T) {
	const mark = "// Covers: REQ-7\n"
	dir := folderOf(t, map[string]string{
		".gitignore": "*.log\n/build/\n", "tracked.log": mark, "build/a.go": mark, ".github/a.yml": mark, "vendor/a.go": mark, "deleted.go": mark,
		"new.go": mark, "new.log": mark, "nested/.gitignore": "!*.log", "nested/a.log": mark, "name with \"\n\xff.go": mark, "-option.go": mark, "staged.go": mark,
	})
	other := folderOf(t, map[string]string{"inside.go": mark})
	runGit(t, dir, "init", "-q")
	runGit(t, other, "init", "-q")
	runGit(t, other, "add", ".")
	runGit(t, other, "commit", "-q", "-m", "inside")
	runGit(t, dir, "submodule", "--quiet", "add", other, "module")
	runGit(t, dir, "add", "-f", "--", "tracked.log", "deleted.go", "staged.go")
	runGit(t, dir, "commit", "-q", "-m", "start")
	runGit(t, filepath.Join(dir, "nested"), "init", "-q", "repository")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nested/repository/a.go"), []byte(mark), 0o600))
	require.NoError(t, os.Remove(filepath.Join(dir, "deleted.go")))
	r := run(t, dir, Options{})
	require.True(t, r.Gitignore, r.Note)
	require.Empty(t, r.Note)
	require.Equal(t, []string{
		"REQ-7 -option.go:1 mark Covers", "REQ-7 .github/a.yml:1 mark Covers", "REQ-7 name with \"\n\uFFFD.go:1 mark Covers", "REQ-7 nested/a.log:1 mark Covers",
		"REQ-7 new.go:1 mark Covers", "REQ-7 staged.go:1 mark Covers", "REQ-7 tracked.log:1 mark Covers", "REQ-7 vendor/a.go:1 mark Covers",
	}, places(r))

	require.Equal(t, []string{"REQ-7 a.log:1 mark Covers"}, places(run(t, filepath.Join(dir, "nested"), Options{})), "a folder in the repository")
	for _, broken := range []string{"index", "HEAD"} {
		t.Run("without "+broken, func(t *testing.T) {
			path := filepath.Join(dir, ".git", broken)
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			defer func() { require.NoError(t, os.WriteFile(path, whole, 0o600)) }()
			require.NoError(t, os.WriteFile(path, []byte("broken, and long enough to be looked at"), 0o600))
			r := run(t, dir, Options{})
			require.False(t, r.Gitignore)
			require.NotEmpty(t, r.Note)
			require.Contains(t, places(r), "REQ-7 new.log:1 mark Covers", "everything is looked at")
		})
	}
}

// A file in conflict stands in the index three times.
func TestFileInConflict(t *testing.T) {
	dir := folderOf(t, map[string]string{"a.go": "// Covers: REQ-7\n"})
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-q", "-m", "one")
	runGit(t, dir, "checkout", "-q", "-b", "side")
	for _, branch := range []string{"side", "main"} {
		runGit(t, dir, "checkout", "-q", branch)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("// Covers: REQ-7\n"+branch), 0o600))
		runGit(t, dir, "commit", "-q", "-a", "-m", branch)
	}
	merge := exec.Command("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "merge", "-q", "side")
	merge.Dir = dir
	require.Error(t, merge.Run(), "they are in conflict")
	require.Equal(t, 1, run(t, dir, Options{}).Summary.Files)
}

// A repository cannot make trace run a program, nor read outside its folder.
func TestHostileRepository(t *testing.T) {
	outside := folderOf(t, map[string]string{"secret.go": "// Covers: REQ-7\n"})
	dir := folderOf(t, map[string]string{"a/b.go": "// Covers: REQ-8\n", "monitor": "#!/bin/sh\ntouch \"$0.ran\"\n"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "monitor"), 0o700))
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "config", "core.fsmonitor", filepath.Join(dir, "monitor"))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "a")))
	require.NoError(t, os.Mkdir(filepath.Join(outside, "b"), 0o700))
	require.NoError(t, os.Rename(filepath.Join(outside, "secret.go"), filepath.Join(outside, "b.go")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "a")))
	r := run(t, dir, Options{})
	require.Len(t, r.Skipped, 1, "a/b.go leads outside")
	require.Zero(t, r.Summary.Marked)
	require.NoFileExists(t, filepath.Join(dir, "monitor.ran"))
}

func TestPathsAndExcludes(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"a.go": "// Covers: REQ-7", "src/a.go": "// Covers: REQ-7", "src/testdata/a.go": "// Covers: REQ-7", "src2/a.go": "// Covers: REQ-7", "testdata.go": "",
	})
	for _, c := range []struct {
		paths, exclude []string
		files          int
	}{
		{nil, nil, 5},
		{[]string{"."}, nil, 5},
		{[]string{"src"}, nil, 2},
		{[]string{"src/", "./src/../a.go"}, nil, 3},
		{nil, []string{"testdata"}, 4},
		{nil, []string{"src/testdata/"}, 4},
		{nil, []string{"src/*"}, 3},
		{nil, []string{"*.go"}, 0},
		{[]string{"src"}, []string{"a.go"}, 0},
	} {
		require.Equal(t, c.files, run(t, dir, Options{Paths: c.paths, Exclude: c.exclude}).Summary.Files, "%q but %q", c.paths, c.exclude)
	}
	for _, c := range []struct {
		o    Options
		code string
	}{
		{Options{Paths: []string{"missing"}}, "path_missing"},
		{Options{Paths: []string{"../" + filepath.Base(dir)}}, "path_outside"},
		{Options{Paths: []string{"/etc"}}, "path_outside"},
		{Options{Paths: []string{""}}, "path_outside"},
		{Options{Exclude: []string{"[a"}}, "exclude_pattern"},
	} {
		_, err := Run(t.Context(), dir, shop, c.o)
		var f *fault.Error
		require.ErrorAs(t, err, &f, "%v", c.o)
		require.Equal(t, c.code, string(f.Code))
		require.NotEmpty(t, f.Fix)
	}
	_, err := Run(t.Context(), filepath.Join(dir, "missing"), shop, Options{})
	require.ErrorIs(t, err, fault.NotFound)
}

func TestUnreadableIsSaid(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything: permissions cannot be tested")
	}
	dir := folderOf(t, map[string]string{"a.go": "// Covers: REQ-7", "b/a.go": "// Covers: REQ-7"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "a.go"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "b"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "b"), 0o700) })
	require.Equal(t, []string{"skipped a.go: cannot be read: permission denied", "skipped b: cannot be read: permission denied"}, places(run(t, dir, Options{})))
}

// However many read, and in whatever order they are done, the report is the same.
func TestDeterminism(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f%d_test.go", i%7, i)] = strings.Repeat("x\n", i) + "// Covers: REQ-7, REQ-8, REQ-99\nfunc TestREQ9(t *testing.T) {\n"
	}
	dir := folderOf(t, files)
	var done atomic.Int64
	first := run(t, dir, Options{Progress: func(int, int) { done.Add(1) }})
	require.EqualValues(t, 300, done.Load())
	require.Equal(t, Summary{Requirements: 3, Marked: 3, Tested: 1, Unknown: 300, Files: 300}, first.Summary)
	for _, processors := range []int{1, 3, 16} {
		before := runtime.GOMAXPROCS(processors)
		again := run(t, dir, Options{})
		runtime.GOMAXPROCS(before)
		require.Equal(t, first, again)
	}
}

func TestCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, t.TempDir(), shop, Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// Covers: ORC-175

// TestMarksKeepNamingWhatWasRenamed: with the id that it had, they are listed as such.
func TestMarksKeepNamingWhatWasRenamed(t *testing.T) {
	folder := folderOf(t, map[string]string{
		"a.go":      "package a // Implements: REQ-001, LOGIN-2\n",
		"a_test.go": "package a\n\nfunc TestLogin_REQ001(t *testing.T) {}\n",
	})
	r, err := Run(t.Context(), folder, []Requirement{
		{ID: "LOGIN-1", Former: []string{"REQ-001"}}, {ID: "LOGIN-2", Former: []string{"REQ-002"}},
	}, Options{})
	require.NoError(t, err)
	require.Equal(t, []Place{
		{Path: "a.go", Line: 1, Kind: KindMark, Keyword: implements, Former: "REQ-001"},
		{Path: "a_test.go", Line: 3, Kind: KindTest, Name: "TestLogin_REQ001"},
	}, r.Requirements[0].Places)
	require.Equal(t, "Implements REQ-001", r.Requirements[0].Places[0].What())
	require.Equal(t, []Place{{Path: "a.go", Line: 1, Kind: KindMark, Keyword: implements}}, r.Requirements[1].Places)
	require.Empty(t, r.Unknown)

	r, err = Run(t.Context(), folder, []Requirement{
		{ID: "LOGIN-1", Former: []string{"REQ-001"}}, {ID: "LOGIN-2", Former: []string{"REQ-001"}},
	}, Options{})
	require.NoError(t, err)
	require.Empty(t, r.Requirements[0].Places, "nobody can tell which of them is meant")
	require.Len(t, r.Ambiguous, 2)
	require.Equal(t, []string{"LOGIN-1", "LOGIN-2"}, r.Ambiguous[0].Could)
}
