package hook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/shell"
	"orchestrator/internal/rules/boundary"
)

// Covers: ORC-199
//
// What git tracks is no output: at the top of a repository, below it, in a linked working tree, and where it cannot be
// told.
func TestTracked(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "sub", "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(top, "sub", "bin", "tool"), nil, 0o700))
	tracked := func(root, name string) bool {
		r := newResolver(root, root, root, "")
		part := shell.Part{Class: shell.Produces, Targets: []shell.Target{{Path: name, Known: true}}}
		all := r.outputs(r.targets(part.Targets))
		return all[0].Tracked
	}
	require.False(t, tracked(top, "sub/bin/tool"), "there is no repository")
	git(t, top, "init", "-q")
	require.False(t, tracked(top, "sub/bin/tool"), "nothing has been added")
	git(t, top, "add", ".")
	require.True(t, tracked(top, "sub/bin/tool"))
	require.True(t, tracked(top, "sub/bin"), "it holds what is tracked")
	require.False(t, tracked(top, "sub/bin/other"))
	require.False(t, tracked(top, "/tmp/tool"))
	require.True(t, tracked(filepath.Join(top, "sub"), "bin/tool"))

	git(t, top, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
	linkedTree := filepath.Join(t.TempDir(), "tree")
	git(t, top, "worktree", "add", "-q", linkedTree)
	require.True(t, tracked(linkedTree, "sub/bin/tool"))
	require.False(t, tracked(linkedTree, "bin/tool"))

	sha256 := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(sha256, "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(sha256, "bin/tool"), nil, 0o700))
	git(t, sha256, "init", "-q", "--object-format=sha256")
	git(t, sha256, "add", ".")
	require.True(t, tracked(sha256, "bin/tool"))
	require.False(t, tracked(sha256, "bin/other"))

	require.NoError(t, os.WriteFile(filepath.Join(top, ".git", "index"), []byte("broken"), 0o600))
	require.True(t, tracked(top, "sub/bin/other"), "it cannot be told")
	for _, text := range []string{"nothing", "gitdir: away"} {
		broken := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(broken, ".git"), []byte(text), 0o600))
		require.Equal(t, text == "nothing", tracked(broken, "bin/x"), text)
	}
	require.Nil(t, resolver{}.outputs(nil))
}

// A link among the outputs leads to a source.
func TestAnOutputThatIsALink(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	require.NoError(t, os.Mkdir(filepath.Join(p.dir.Root, "bin"), 0o700))
	require.NoError(t, os.Symlink("../main.go", filepath.Join(p.dir.Root, "bin", "app")))
	require.Equal(t, boundary.RuleWrites, p.judged("go build -o bin/app .").Rule)
	require.Equal(t, boundary.RuleProduces, p.judged("go build -o bin/app2 .").Rule)
	require.NoError(t, os.Mkdir(filepath.Join(p.dir.Root, "scratch"), 0o700))
	require.NoError(t, os.Symlink("scratch", filepath.Join(p.dir.Root, "sub")))
	require.Equal(t, boundary.RuleAmbiguous, p.judged("cd sub && make test").Rule)
}
