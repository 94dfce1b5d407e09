package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// Covers: ORC-200
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
