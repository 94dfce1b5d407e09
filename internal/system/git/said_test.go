package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheCauseIsNotTheAdvice(t *testing.T) {
	const advice = "hint: Support for <GIT_DIR>/info/grafts is deprecated\nhint: \nwarning: refname 'x' is ambiguous.\n"
	for words, want := range map[string]struct{ said, cause string }{
		"": {"", ""},
		advice: {
			strings.TrimSpace(advice), "hint: Support for <GIT_DIR>/info/grafts is deprecated",
		},
		advice + "fatal: cannot lock ref\n\nAnother git process\n": {
			"fatal: cannot lock ref\n\nAnother git process", "cannot lock ref",
		},
		"Preparing worktree\nfatal: no space\n": {
			"Preparing worktree\nfatal: no space", "no space",
		},
		advice + "error: would be overwritten:\n\ta.txt\nfatal: later\nhint: commit them": {
			"error: would be overwritten:\n\ta.txt\nfatal: later", "would be overwritten:",
		},
		advice + "killed\n": {"killed", "killed"},
	} {
		require.Equal(t, want.said, Said(words), words)
		require.Equal(t, want.cause, Cause(words), words)
	}
}

// A command says nothing of how it is started here: that would stand before why it failed.
func TestACommandGivesNoAdvice(t *testing.T) {
	path, err := Find("")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	g := Command{Path: path, Dir: dir, Env: []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}}
	run := func(args ...string) (string, error) {
		cmd, words := g.Prepare(t.Context(), args...), &Output{Most: 1 << 20}
		cmd.Stderr = words
		err := cmd.Run()
		return words.String(), err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "first"},
		{"log"}, {"rev-list", "main"}, {"merge", "-q", "--ff-only", "main"}, {"status"}, {"checkout", "-q", "--detach"}} {
		words, err := run(args...)
		require.NoError(t, err, "%s", words)
		require.Empty(t, words, args)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "refs", "heads", "other.lock"), nil, 0o600))
	words, err := run("branch", "other", "main")
	require.Error(t, err)
	require.Regexp(t, `^cannot lock ref 'refs/heads/other': .*other\.lock': File exists`, Cause(words))
	require.NotContains(t, words, "hint:")
}
