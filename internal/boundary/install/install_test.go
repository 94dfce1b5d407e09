package install

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// programs makes a folder with empty programs of these names.
func programsIn(t *testing.T, names ...string) string {
	t.Helper()
	bin, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), nil, 0o755))
	}
	return bin
}

func TestTheProgramThatIsRegistered(t *testing.T) {
	t.Parallel()
	both := programsIn(t, "orchestrator", "orchestrator-hook")
	whole, other := programsIn(t, "orchestrator"), programsIn(t, "other")
	linked := programsIn(t)
	require.NoError(t, os.Symlink(filepath.Join(both, "orchestrator"), filepath.Join(linked, "orchestrator")))
	renamed := programsIn(t)
	require.NoError(t, os.Symlink(filepath.Join(other, "other"), filepath.Join(renamed, "orchestrator")))
	notStartable := programsIn(t, "orchestrator")
	require.NoError(t, os.WriteFile(filepath.Join(notStartable, "orchestrator-hook"), nil, 0o644))
	for name, c := range map[string]struct{ executable, want string }{
		"the small one beside it":      {both + "/orchestrator", both + "/orchestrator-hook"},
		"links are resolved":           {linked + "/orchestrator", both + "/orchestrator-hook"},
		"itself":                       {whole + "/orchestrator", whole + "/orchestrator"},
		"a link gives the name":        {renamed + "/orchestrator", renamed + "/orchestrator"},
		"one that cannot be started":   {notStartable + "/orchestrator", notStartable + "/orchestrator"},
		"a name that settings mistake": {other + "/other", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Program(c.executable)
			if c.want == "" {
				require.ErrorContains(t, err, "orchestrator-hook")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestTheVersionThatAClientSays(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"claude": {"echo '2.1.300 (Claude Code)'", "2.1.300"},
		"codex":  {"echo codex-cli 0.63.1", "0.63.1"},
		"cursor": {"printf '1.7.44\\nabc\\nx64\\n'", "1.7.44"},
		"gemini": {"exit 1", ""},
		"qwen":   {"echo unknown", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755))
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			require.Equal(t, c.want, ClientVersion(t.Context(), name))
		})
	}
	t.Setenv("PATH", t.TempDir())
	require.Empty(t, ClientVersion(t.Context(), "claude"), "it is not there")
}

// A client that does not end, and its children, keep nobody waiting.
func TestAClientThatDoesNotSayItsVersion(t *testing.T) {
	bin := t.TempDir()
	client := filepath.Join(bin, "claude")
	require.NoError(t, os.WriteFile(client, []byte("#!/bin/sh\nsleep 600 & sleep 600\n"), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	start := time.Now()
	require.Empty(t, ClientVersion(t.Context(), "claude"))
	require.Less(t, time.Since(start), 5*time.Minute)
}

func TestEveryClientIsPostedOnceAndTakenAway(t *testing.T) {
	t.Parallel()
	for _, client := range agentclient.Names() {
		dir := folder.In(t.TempDir())
		o := Options{Client: client, Dir: dir, Version: "99.0.0",
			Executable: filepath.Join(programsIn(t, "orchestrator"), "orchestrator"),
			Change:     control.Change{By: "ada", Reason: "installed", At: time.Now(), ID: "0000000000000001"}}
		first, err := Install(t.Context(), o)
		require.NoError(t, err)
		require.True(t, first.Policy && first.Changed, client)
		second, err := Install(t.Context(), o)
		require.NoError(t, err)
		require.False(t, second.Policy || second.Changed, client)

		c, err := agentclient.Find(client)
		require.NoError(t, err)
		found, err := settings.Registered(client, settings.Options{Root: dir.Root})
		require.NoError(t, err)
		require.Equal(t, c.Wiring.Before(), found[0].Event, client)
		require.Equal(t, first.Command, found[0].Command, client)
		require.NotContains(t, first.Command, dir.Root, "no path of this machine")
		require.NotContains(t, first.Command, filepath.Dir(o.Executable))
		require.Equal(t, o.Executable, first.Program)
		linked, err := os.Readlink(filepath.Join(dir.Path(), "orchestrator"))
		require.NoError(t, err)
		require.Equal(t, o.Executable, linked)

		gone, err := Uninstall(o)
		require.NoError(t, err)
		require.NoFileExists(t, filepath.Join(dir.Path(), "orchestrator"))
		require.True(t, gone.Changed && gone.Removed, client)
		again, err := Uninstall(o)
		require.NoError(t, err)
		require.False(t, again.Changed, client)
		h, err := report.Read(dir)
		require.NoError(t, err)
		require.Len(t, h.Modes, 1, "the journal stays, and one installation is on record")
	}
}

// enforced is a project that enforces its boundary.
func enforced(t *testing.T) folder.Dir {
	t.Helper()
	dir, p := folder.In(t.TempDir()), boundary.DefaultPolicy()
	p.Mode = boundary.Enforce
	_, err := dir.Make(p)
	require.NoError(t, err)
	return dir
}

// What an earlier installation registered for a version stays when nobody can say the version any more.
func TestAnUnknownVersionTakesNothingBack(t *testing.T) {
	o := Options{Client: "claude", Dir: enforced(t), Version: "2.1.295",
		Executable: filepath.Join(programsIn(t, "orchestrator"), "orchestrator"),
		Change:     control.Change{By: "ada", Reason: "installed", At: time.Now(), ID: "0000000000000001"}}
	first, err := Install(t.Context(), o)
	require.NoError(t, err)
	before, err := os.ReadFile(first.File)
	require.NoError(t, err)
	require.Contains(t, string(before), "onFailure")
	t.Setenv("PATH", t.TempDir())
	o.Version = ""
	again, err := Install(t.Context(), o)
	require.NoError(t, err)
	require.False(t, again.Changed)
	require.Empty(t, again.Version)

	o.Version = "2.1.294" // known to be older: it is taken out
	older, err := Install(t.Context(), o)
	require.NoError(t, err)
	require.True(t, older.Changed)
	after, err := os.ReadFile(first.File)
	require.NoError(t, err)
	require.NotContains(t, string(after), "onFailure")
}

// While nothing is to be blocked, no client is made to block when the hook breaks.
func TestNothingFailsShutInValidate(t *testing.T) {
	t.Parallel()
	for _, client := range agentclient.Names() {
		o := Options{Client: client, Dir: folder.In(t.TempDir()), Version: "99.0.0", NoteID: "n",
			Executable: filepath.Join(programsIn(t, "orchestrator"), "orchestrator"),
			Change:     control.Change{By: "t", Reason: "r", At: time.Now(), ID: "i"}}
		done, err := Install(t.Context(), o)
		require.NoError(t, err)
		text, err := os.ReadFile(done.File)
		require.NoError(t, err)
		require.NotContains(t, string(text), "onFailure")
		require.NotContains(t, string(text), "failClosed")
		require.NotContains(t, string(text), "failMode")
	}
}

// For a user the hook is registered in the user's folder. Where no project has a boundary, none is set up.
func TestTheUsersSettingsAndNoProject(t *testing.T) {
	t.Parallel()
	o := Options{Client: "claude", Dir: folder.In(t.TempDir()), Home: t.TempDir(), User: true, Version: "99.0.0",
		Executable: filepath.Join(programsIn(t, "orchestrator", "orchestrator-hook"), "orchestrator"),
		Change:     control.Change{By: "t", Reason: "r", At: time.Now(), ID: "i"}}
	done, err := Install(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(o.Home, ".claude/settings.json"), done.File)
	require.Contains(t, done.Command, done.Program)
	require.NoDirExists(t, o.Dir.Path())
	done, err = Install(t.Context(), o)
	require.NoError(t, err)
	require.False(t, done.Changed)

	// The link in a project stays as long as the user's settings use it.
	project := o
	project.User = false
	_, err = Install(t.Context(), project)
	require.NoError(t, err)
	_, err = Uninstall(project)
	require.NoError(t, err)
	link := filepath.Join(o.Dir.Path(), "orchestrator-hook")
	require.FileExists(t, link)
	_, err = Uninstall(o)
	require.NoError(t, err)
	require.NoFileExists(t, link)
	entries, err := os.ReadDir(o.Home)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// What fails leaves the settings as they were.
func TestRefusedInstallations(t *testing.T) {
	t.Parallel()
	dir := folder.In(t.TempDir())
	o := Options{Client: "claude", Dir: dir, Version: "1",
		Executable: filepath.Join(programsIn(t, "orchestrator"), "orchestrator")}
	_, err := Install(t.Context(), Options{Client: "vscode", Dir: dir})
	require.ErrorContains(t, err, "vscode")
	require.NoError(t, os.MkdirAll(dir.Path(), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir.Path(), "policy.json"), []byte("{"), 0o600))
	_, err = Install(t.Context(), o)
	require.ErrorContains(t, err, "cannot be read")
	require.NoDirExists(t, filepath.Join(dir.Root, ".claude"))
}

func TestLookSaysWhatIsLeftToDo(t *testing.T) {
	for _, client := range agentclient.Names() {
		o := Options{Client: client, Dir: folder.In(t.TempDir()), Version: "99.0.0", NoteID: "n",
			Executable: filepath.Join(programsIn(t, "orchestrator"), "orchestrator"),
			Change:     control.Change{By: "t", Reason: "r", At: time.Now(), ID: "i"}}
		file, done, err := Look(o)
		require.NoError(t, err)
		require.False(t, done, client)
		installed, err := Install(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, installed.File, filepath.Join(o.Dir.Root, file))
		_, done, err = Look(o)
		require.NoError(t, err)
		require.True(t, done, client)

		o.Executable = filepath.Join(programsIn(t, "orchestrator"), "orchestrator") // it was moved
		_, done, err = Look(o)
		require.NoError(t, err)
		require.False(t, done, client)
	}
	_, _, err := Look(Options{Client: "emacs"})
	require.Error(t, err)
}

// missesOf looks for a link until over is closed, and returns how often there was none.
func missesOf(link string, over <-chan struct{}) (misses int) {
	for {
		if _, err := os.Readlink(link); err != nil {
			misses++
		}
		select {
		case <-over:
			return misses
		default:
		}
	}
}

// Whoever looks for the program while the link to it is renewed finds the old one or the new one, and installations at
// once do not stand in each other's way.
// Verifies: ORC-205
func TestTheLinkIsRenewedInOneStep(t *testing.T) {
	t.Parallel()
	o := Options{Client: "codex", Dir: folder.In(t.TempDir()), Version: "99.0.0", NoteID: "n",
		Executable: filepath.Join(programsIn(t, "orchestrator"), "orchestrator"),
		Change:     control.Change{By: "t", Reason: "r", At: time.Now(), ID: "i"}}
	_, err := Install(t.Context(), o)
	require.NoError(t, err)
	over, misses := make(chan struct{}), make(chan int)
	go func() { misses <- missesOf(filepath.Join(o.Dir.Path(), "orchestrator"), over) }()
	for range 20 {
		var both sync.WaitGroup
		for range 2 {
			moved := o
			moved.Executable = filepath.Join(programsIn(t, "orchestrator"), "orchestrator")
			both.Go(func() {
				if _, err := Install(t.Context(), moved); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	close(over)
	require.Zero(t, <-misses)

	o.Executable = filepath.Join(programsIn(t, "orchestrator", "orchestrator-hook"), "orchestrator")
	_, err = Install(t.Context(), o)
	require.NoError(t, err)
	entries, err := os.ReadDir(o.Dir.Path())
	require.NoError(t, err)
	var found []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			found = append(found, e.Name())
		}
	}
	require.Equal(t, []string{"orchestrator-hook"}, found, "the link of the other name is gone, and no other is left")
}

// A file with instructions that cannot be written is said. The hook is registered or taken out, and that is on record.
// Verifies: ORC-225
func TestInstructionsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write every file")
	}
	o := Options{Client: "codex", Dir: folder.In(t.TempDir()), Version: "1.2.3", NoteID: "n",
		Executable: filepath.Join(programsIn(t, "orchestrator"), "orchestrator"),
		Change:     control.Change{By: "t", Reason: "r", At: time.Now(), ID: "i"}}
	agents := filepath.Join(o.Dir.Root, "AGENTS.md")
	require.NoError(t, os.WriteFile(agents, []byte("# Mine\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(o.Dir.Root, ".codex"), 0o700))
	require.NoError(t, o.Dir.MakeFolder())
	require.NoError(t, os.Chmod(o.Dir.Root, 0o500))
	t.Cleanup(func() { _ = os.Chmod(o.Dir.Root, 0o700) })
	done, err := Install(t.Context(), o)
	require.NoError(t, err)
	require.True(t, done.Changed)
	require.Contains(t, strings.Join(done.Said, "\n"), "once that is mended: orchestrator boundary install")

	require.NoError(t, os.Chmod(agents, 0))
	gone, err := Uninstall(o)
	require.NoError(t, err)
	require.True(t, gone.Changed)
	require.Contains(t, strings.Join(gone.Said, "\n"), "AGENTS.md: sessions are not told")
	var noted []string
	require.NoError(t, o.Dir.Read(func(l folder.Line, err error) error {
		if l.Kind == folder.KindInstallation {
			noted = append(noted, l.What+" "+l.Version)
		}
		return err
	}))
	require.Equal(t, []string{"installed 1.2.3", "removed "}, noted)
}
