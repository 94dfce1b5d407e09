package gitignore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// repository is an empty one; without git the test is skipped.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this needs git, which is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	runGit(t, dir, "init", "-q")
	return dir
}

func put(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestWriteKeepsWhatIsSomebodyElses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".gitignore")
	write := func(shared ...string) Result {
		result, err := Write(dir, shared)
		require.NoError(t, err)
		return result
	}
	require.Equal(t, Written, write(filepath.Join(dir, "..", "REQUIREMENTS.md")))
	require.Equal(t, content, read(t, path))
	require.Equal(t, Current, write())

	put(t, path, content+"!/state.db\n")
	require.Equal(t, Foreign, write())
	require.Equal(t, content+"!/state.db\n", read(t, path))

	older = []string{"*\n"}
	defer func() { older = nil }()
	put(t, path, "*\n")
	require.Equal(t, Written, write())
	require.Equal(t, content, read(t, path))

	require.NoError(t, os.Remove(path))
	elsewhere := put(t, filepath.Join(t.TempDir(), "file"), "mine")
	require.NoError(t, os.Symlink(elsewhere, path))
	require.Equal(t, Foreign, write())
	require.Equal(t, "mine", read(t, elsewhere))
}

func TestWriteHidesNothingThatIsShared(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{filepath.Join(dir, "REQUIREMENTS.md"), filepath.Join(dir, "docs", "*.md"), dir} {
		result, err := Write(dir, []string{file})
		require.NoError(t, err)
		require.Equal(t, Unfit, result, file)
		require.NoFileExists(t, filepath.Join(dir, ".gitignore"))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	result, err := Write(dir, nil)
	require.NoError(t, err)
	require.Equal(t, Unfit, result)
}

func TestLookTellsWhatGitDoes(t *testing.T) {
	ctx, dir := context.Background(), repository(t)
	look := func(path string) Exposure {
		exposed, err := Look(ctx, path)
		require.NoError(t, err, path)
		return exposed
	}
	put(t, filepath.Join(dir, ".gitignore"), "*.token\n")
	require.Equal(t, Hidden, look(filepath.Join(dir, "a.token")))
	require.Equal(t, Addable, look(filepath.Join(dir, "a.txt")))
	require.Equal(t, Addable, look(filepath.Join(dir, "new/folder/[a]*.txt")))
	put(t, filepath.Join(dir, "b.token"), "x")
	runGit(t, dir, "add", "-f", "b.token")
	require.Equal(t, Tracked, look(filepath.Join(dir, "b.token")))
	require.Equal(t, Hidden, look(filepath.Join(dir, "*.token")), "a name is no pattern")
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "link")))
	require.Equal(t, Tracked, look(filepath.Join(dir, "link", "b.token")))
	require.Equal(t, Hidden, look(filepath.Join(t.TempDir(), "a.txt")), "outside of any working tree")
}

func TestIsTrackedSaysWhatIsSure(t *testing.T) {
	ctx, dir := context.Background(), repository(t)
	file := put(t, filepath.Join(dir, "data", "a.yaml"), "x")
	is := func(path string) bool {
		tracked, err := IsTracked(ctx, path)
		require.NoError(t, err, path)
		return tracked
	}
	require.False(t, is(file))
	require.False(t, is(put(t, filepath.Join(t.TempDir(), "b.yaml"), "x")), "outside of any working tree")
	runGit(t, dir, "add", "-f", "data/a.yaml")
	require.True(t, is(file))
	require.True(t, is(filepath.Join(dir, "data", "A.yaml")), "there are file systems that take both for one")
	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(dir, "data"), filepath.Join(elsewhere, "link")))
	require.True(t, is(filepath.Join(elsewhere, "link", "a.yaml")))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "out")))
	require.False(t, is(filepath.Join(dir, "out", "c.yaml")))
	runGit(t, dir, "add", "-f", "out")
	require.True(t, is(filepath.Join(dir, "out", "c.yaml")), "the link came with the tree")
}

// TestIsTrackedTakesNothingForNo: whoever can break a repository, or hide git, does not make a file a private one.
func TestIsTrackedTakesNothingForNo(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, git string){
		"a configuration that cannot be read": func(t *testing.T, git string) {
			put(t, filepath.Join(git, "config"), "[core")
		},
		"a format of the future": func(t *testing.T, git string) {
			put(t, filepath.Join(git, "config"), "[core]\n\trepositoryformatversion = 2\n")
		},
		"an index that cannot be read": func(t *testing.T, git string) { put(t, filepath.Join(git, "index"), "garbage") },
		"no HEAD": func(t *testing.T, git string) {
			require.NoError(t, os.Remove(filepath.Join(git, "HEAD")))
		},
		"a file that leads nowhere": func(t *testing.T, git string) {
			require.NoError(t, os.RemoveAll(git))
			put(t, git, "gitdir: /nowhere\n")
		},
		"no git": func(t *testing.T, _ string) { t.Setenv("PATH", t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := repository(t)
			file := put(t, filepath.Join(dir, "data", "a.yaml"), "x")
			runGit(t, dir, "add", "-f", ".")
			spoil(t, filepath.Join(dir, ".git"))
			tracked, err := IsTracked(context.Background(), file)
			require.False(t, tracked)
			require.Error(t, err)
		})
	}
}

func TestSecretsFindsWhatIsTracked(t *testing.T) {
	ctx, dir := context.Background(), repository(t)
	data := filepath.Join(dir, "[sub]", ".orchestrator")
	secrets := func(more ...string) []string {
		files, err := Secrets(ctx, data, more, func(content string) bool { return content == "a secret" })
		require.NoError(t, err)
		var names []string
		for _, f := range files {
			require.Equal(t, dir, f.Top)
			names = append(names, f.Path)
		}
		return names
	}
	require.Nil(t, secrets(), "a folder that is not there yet")
	for _, name := range []string{"addr", "audit.pub", "boundary/policy.json", "tools/webhooks.yaml", "tools/tokens/x.yaml", ".gitignore", "mytokens.json"} {
		put(t, filepath.Join(data, name), "public")
	}
	put(t, filepath.Join(dir, "a.token"), "no secret")
	runGit(t, dir, "add", "-A")
	require.Nil(t, secrets())

	want := []string{"audit.key", "state.db", "state.db.before-restore-1", "tokens.json", "tokens/pm.token", "webhooks.json", "webhooks/ops.secret", "witness.key",
		".tokens.json.X.tmp"}
	for _, name := range want {
		put(t, filepath.Join(data, name), "s")
	}
	put(t, filepath.Join(dir, "deep", "b.token"), "a secret")
	put(t, filepath.Join(dir, "scrape"), "s")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "rm", "-q", "--cached", "-r", ".") // and anew, as if by force
	runGit(t, dir, "add", "-f", "-A")
	for i := range want {
		want[i] = "[sub]/.orchestrator/" + want[i]
	}
	require.ElementsMatch(t, append(want, "deep/b.token", "scrape"), secrets(filepath.Join(dir, "scrape"), filepath.Join(dir, "none")))

	require.NoError(t, os.RemoveAll(data), "what is tracked need not be there any more")
	require.Contains(t, secrets(), "[sub]/.orchestrator/audit.key")
}

func TestSecretsLooksPastARepositoryWithin(t *testing.T) {
	ctx, dir := context.Background(), repository(t)
	data := filepath.Join(dir, "sub", ".orchestrator")
	put(t, filepath.Join(data, "audit.key"), "s")
	runGit(t, dir, "add", "-f", ".")
	runGit(t, filepath.Join(dir, "sub"), "init", "-q")
	files, err := Secrets(ctx, data, nil, func(string) bool { return false })
	require.NoError(t, err)
	require.Equal(t, []File{{dir, "sub/.orchestrator/audit.key"}}, files)
	exposed, err := Look(ctx, filepath.Join(data, "audit.key"))
	require.NoError(t, err)
	require.Equal(t, Tracked, exposed)
}

func TestWithoutGitThereIsNothing(t *testing.T) {
	dir := repository(t)
	put(t, filepath.Join(dir, "audit.key"), "s")
	runGit(t, dir, "add", "-f", ".")
	t.Setenv("PATH", t.TempDir())
	files, err := Secrets(context.Background(), dir, nil, func(string) bool { return true })
	require.NoError(t, err)
	require.Empty(t, files)
}

func TestWhatGitTakesIsWarnedOf(t *testing.T) {
	require.Empty(t, Hidden.Warning("a b"))
	require.Contains(t, Tracked.Warning("a b"), "git rm --cached 'a b'")
	require.Contains(t, Addable.Warning("a b"), "does not ignore a b,")
}
