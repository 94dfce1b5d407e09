package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// What was opened last may rest on all that was opened before.
func TestEverythingIsClosedInReverse(t *testing.T) {
	var opened closers
	var closed []string
	failed := errors.New("the repository does not close")
	for _, name := range []string{"database", "files", "repository"} {
		opened.add(func() error {
			closed = append(closed, name)
			if name == "repository" {
				return failed
			}
			return nil
		})
	}
	require.ErrorIs(t, opened.close(), failed)
	require.Equal(t, []string{"repository", "files", "database"}, closed)
}

// openFiles returns what this process has open in a folder.
func openFiles(t *testing.T, folder string) (names []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("open files are listed in /proc")
	}
	all, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, fd := range all {
		target, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if rest, in := strings.CutPrefix(target, folder); err == nil && in {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

// inWorkingTree makes a project in a git working tree, and returns its options and the folder that it lies in.
func inWorkingTree(t *testing.T) (Options, string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(folder)
	require.NoError(t, exec.Command("git", "init", "-q").Run())
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n"), 0o600))
	return Options{Data: "data", Requirements: []string{"R.md"}, Export: "export.json", Workflow: "v1", RateBurst: 1,
		RateLimit: 1}, folder
}

// Each part of a project gives back what it holds, the newest first: the service the folder of the export, the
// repository its git process, and the database, the watched files and the documents theirs.
func TestAProjectClosesAllThatItOpened(t *testing.T) {
	o, folder := inWorkingTree(t)
	plan, err := Prepare(o)
	require.NoError(t, err)
	require.Empty(t, openFiles(t, folder), "a plan holds nothing open")
	project, err := plan.Open(t.Context(), Process{Log: zerolog.Nop(), Draining: func() bool { return false }})
	require.NoError(t, err)
	require.Len(t, project.opened, 6)
	var counts []int
	for i, closer := range project.opened {
		project.opened[i] = func() error {
			err := closer()
			counts = append(counts, len(openFiles(t, folder)))
			return err
		}
	}
	require.Len(t, openFiles(t, folder), 4)
	require.Contains(t, openFiles(t, folder), "/data/state.db")
	require.NoError(t, project.Close())
	require.Equal(t, []int{4, 3, 3, 2, 1, 0}, counts)
}

// A start that is refused leaves nothing open, however far it came.
func TestARefusedStartClosesAllThatItOpened(t *testing.T) {
	for name, spoil := range map[string]func(*Options){
		"the documents":  func(o *Options) { o.Requirements = []string{"none/R.md"} },
		"the export":     func(o *Options) { o.Export = "R.md" },
		"the repository": func(o *Options) { o.Repo, o.Evidence = os.TempDir(), "verify" },
		"the key":        func(*Options) { write(t, "data/audit.key", "no key") },
		"the tokens":     func(*Options) { write(t, "data/tokens.json", "no tokens") },
		"the database":   func(*Options) { write(t, "data/state.db", "no database") },
		"the import":     func(*Options) { write(t, "R.md", "Nothing.\n") },
	} {
		t.Run(name, func(t *testing.T) {
			o, folder := inWorkingTree(t)
			require.NoError(t, os.Mkdir("data", 0o700))
			spoil(&o)
			plan, err := Prepare(o)
			require.NoError(t, err)
			_, err = plan.Open(t.Context(), Process{Log: zerolog.Nop(), Draining: func() bool { return false }})
			require.Error(t, err)
			require.Empty(t, openFiles(t, folder))
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
