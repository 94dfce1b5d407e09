package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// Verifies: ORC-200
//
// What a main session may write in an exempt folder is not run by a command that looks for its code there.
func TestCodeThatIsFoundInExemptFolders(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	write := func(name string) {
		file := filepath.Join(p.dir.Root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	passes := func(commands ...string) {
		for _, command := range commands {
			require.Equal(t, boundary.Allow, p.judged(command).Decision, command)
		}
	}
	gathering := []string{"go test ./...", "go test ./scr...", "pytest", "python3 -m pytest .", "node --test", "make test",
		"npm test", "npx jest cratch", "node --test 'scratc?/x.test.js'", "npx eslint .", "npx prettier --check .",
		"python3 -m unittest", "cd src && go test ../..."}
	write("src/main.go")
	write("scratch/notes.md")
	write("scratch/data/rows.csv")
	passes(gathering...)
	for _, name := range []string{"x_test.go", "sub/conftest.py", "Makefile", ".eslintrc.json", "package.json",
		"tsconfig.test.json", ".prettierrc.cjs"} {
		write("scratch/" + name)
		for _, command := range gathering {
			v := p.judged(command)
			require.Equal(t, boundary.Block, v.Decision, command)
			require.Contains(t, v.Reason, "scratch/"+name+", which a main session may have written", command)
		}
		passes("go test ./src/...", "go test", "go build ./...", "pytest src", "npx eslint src", "git commit -m x", "npm ci")
		require.NoError(t, os.Remove(filepath.Join(p.dir.Root, "scratch", name)))
	}
	for i := range mostExempt {
		write(fmt.Sprintf("scratch/many/%d.md", i))
	}
	require.Equal(t, boundary.Block, p.judged("pytest").Decision)
	require.NoError(t, os.RemoveAll(filepath.Join(p.dir.Root, "scratch")))
	passes(gathering...)
}

// Verifies: ORC-200
//
// A main session can make a folder of a few files that git takes for a repository, with settings that name programs.
func TestGitReadsNoSettingsOfExemptFolders(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	write := func(name string) {
		file := filepath.Join(p.dir.Root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	write("scratch/notes.md")
	write("src/main.go")
	unknown := []string{`cd "$DIR" && git status`, "git --git-dir=scratch/bare log", "GIT_DIR=scratch/bare git status"}
	passes := []string{"git status", "git -C src log", "cd src && npm ls", "cd .. && git log"}
	for _, command := range append(unknown, passes...) {
		require.Equal(t, boundary.Allow, p.judged(command).Decision, command)
	}
	for _, command := range []string{"git -C scratch/bare status", "cd scratch/bare && git diff", "cd scratch && pnpm list",
		"cd scratch && npm outdated"} {
		require.Equal(t, boundary.Block, p.judged(command).Decision, command)
	}
	write("scratch/bare/HEAD")
	for _, command := range unknown {
		v := p.judged(command)
		require.Equal(t, boundary.Block, v.Decision, command)
		require.Contains(t, v.Reason, "scratch/bare/HEAD", command)
	}
	for _, command := range passes {
		require.Equal(t, boundary.Allow, p.judged(command).Decision, command)
	}
}
