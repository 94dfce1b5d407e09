package hook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/shell"
	"orchestrator/internal/rules/boundary"
)

// Verifies: ORC-199
//
// What git tracks is no output: at the top of a repository, below it, in a linked working tree, and where it cannot be
// told.
func TestTracked(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "sub", "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(top, "sub", "bin", "tool"), nil, 0o700))
	unsure := false // of the last that was looked up
	tracked := func(root, name string) bool {
		r := newResolver(root, root, root, "")
		parts := []boundary.Part{
			{Class: boundary.Reads, Targets: r.targets([]shell.Target{{Path: name, Known: true}})},
			{Class: boundary.Produces,
				Targets: r.targets([]shell.Target{{Path: "none", Known: true}, {Path: name, Known: true}})},
		}
		r.outputs(parts)
		require.False(t, parts[0].Targets[0].Tracked, "it is to be no output")
		unsure = parts[1].Targets[0].Unsure
		require.Equal(t, unsure, parts[1].Targets[0].Tracked)
		return parts[1].Targets[1].Tracked
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
	require.False(t, unsure)
	require.True(t, tracked(top, "sub/bin/other"), "it cannot be told")
	require.True(t, unsure)
	for _, text := range []string{"nothing", "gitdir: away"} {
		broken := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(broken, ".git"), []byte(text), 0o600))
		require.Equal(t, text == "nothing", tracked(broken, "bin/x"), text)
	}
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

	// The link has the name of an output, and leads to one that git tracks.
	require.NoError(t, os.Mkdir(filepath.Join(p.dir.Root, "dist"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(p.dir.Root, "dist", "app.js"), nil, 0o600))
	require.NoError(t, os.Symlink("../dist/app.js", filepath.Join(p.dir.Root, "bin", "app.js")))
	require.Equal(t, boundary.RuleProduces, p.judged("go build -o bin/app.js .").Rule)
	git(t, p.dir.Root, "init", "-q")
	git(t, p.dir.Root, "add", "-f", "dist")
	require.Equal(t, boundary.RuleWrites, p.judged("go build -o bin/app.js .").Rule)
}

// An index that is not read is said to be the reason, with what makes git write one that is.
func TestAnIndexThatIsNotReadIsTheReason(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	git(t, p.dir.Root, "init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(p.dir.Root, ".git", "index"), []byte("split"), 0o600))
	v := p.judged("go build -o bin/app .")
	require.Equal(t, boundary.RuleWrites, v.Rule)
	require.Contains(t, v.Reason, "bin/app, of which git's index does not tell whether it is tracked")
	require.Contains(t, v.Reason, "git update-index --no-split-index")
}
