package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/install"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

// machine is a project that enforces its boundary, on a machine where everything is in order.
type machine struct {
	dir     folder.Dir
	home    string
	client  *agentclient.Client
	file    string // the client's settings
	bin     string // in PATH
	from    string
	version string
	environ []string
}

// newMachine registers the hook as the command does, switches to enforce, has the client call once, and trust the hook.
func newMachine(t *testing.T, client string) *machine {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c, _ := agentclient.Named(client)
	m := &machine{dir: folder.In(t.TempDir()), home: t.TempDir(), client: c, bin: t.TempDir(), version: "99.0.0",
		environ: os.Environ()}
	require.NoError(t, os.Mkdir(filepath.Join(m.dir.Root, ".git"), 0o700))
	require.NoError(t, os.Symlink(self, filepath.Join(m.bin, "orchestrator-hook")))
	require.NoError(t, os.Symlink(self, filepath.Join(m.bin, "orchestrator")))
	change := control.Change{By: "t", Reason: "r", At: time.Now().Add(-time.Minute), ID: "0000000000000001"}
	done, err := install.Install(t.Context(), install.Options{Client: client, Dir: m.dir, Home: m.home, Version: m.version,
		Executable: filepath.Join(m.bin, "orchestrator"), Change: change, NoteID: "0000000000000002"})
	require.NoError(t, err)
	m.file = done.File
	n := 2
	newID := func() string { n++; return fmt.Sprintf("%016x", n) }
	change.ID = newID()
	_, err = control.Switch{To: boundary.Enforce, Override: "o", Change: change, History: report.FromFiles(m.dir),
		Version: func(string) string { return m.version }, NewID: newID}.Make(m.dir)
	require.NoError(t, err)
	require.NoError(t, m.dir.Append(folder.Line{ID: "00000000000000ff", At: time.Now(), Kind: folder.KindOutcome, Client: client}))
	m.trust(t)
	return m
}

func (m *machine) options() settings.Options {
	return settings.Options{Root: m.dir.Root, Home: m.home, ClientVersion: m.version}
}

// registerForTheUser registers the hook for all projects of the user as well, where a session that is started in a
// folder below the project would run none.
func (m *machine) registerForTheUser(t *testing.T) {
	t.Helper()
	if m.client.Wiring.Reach != agentclient.Here {
		return
	}
	_, err := install.Install(t.Context(), install.Options{Client: m.client.Name, Dir: m.dir, Home: m.home, User: true,
		Version: m.version, Executable: filepath.Join(m.bin, "orchestrator"), NoteID: "00000000000000fe",
		Change: control.Change{By: "t", Reason: "r", At: time.Now().Add(-time.Minute), ID: "00000000000000fd"}})
	require.NoError(t, err)
}

// trust writes what the client keeps of the hooks that a person trusted.
func (m *machine) trust(t *testing.T) {
	t.Helper()
	hooks, _, err := settings.Trusted(m.client.Name, m.options())
	require.NoError(t, err)
	if m.client.Wiring.Trusts == "" {
		require.Empty(t, hooks)
		return
	}
	text := fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", m.dir.Root)
	for _, h := range hooks {
		text += fmt.Sprintf("[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.Hash)
	}
	write(t, filepath.Join(m.home, m.client.Wiring.Trusts), text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// edit replaces text in the client's settings.
func (m *machine) edit(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(m.file)
	require.NoError(t, err)
	require.Contains(t, string(text), from, m.client.Name)
	require.NoError(t, os.WriteFile(m.file, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

func (m *machine) examine(t *testing.T) Report {
	t.Helper()
	r, err := Examine(t.Context(), Options{Dir: m.dir, Home: m.home, From: m.from, Environ: m.environ, Path: m.bin,
		Clients: []string{m.client.Name}, Version: func(context.Context, string) string { return m.version },
		Program: filepath.Join(m.bin, "orchestrator"), Brisk: time.Minute, Patience: time.Minute})
	require.NoError(t, err)
	return r
}

// causes are what makes a client let calls through that the boundary is to block, or block what it is not to.
var causes = []struct {
	name string
	says string // the finding
	only func(*agentclient.Client) bool
	make func(*testing.T, *machine)
}{
	{"the program is gone", "neither is there a link to the program", nil, func(t *testing.T, m *machine) {
		for _, dir := range []string{m.bin, m.dir.Path()} {
			for _, name := range []string{"orchestrator", "orchestrator-hook"} {
				_ = os.Remove(filepath.Join(dir, name))
			}
		}
	}},
	{"another program answers", "not the hook of this orchestrator", nil, func(t *testing.T, m *machine) {
		link := filepath.Join(m.dir.Path(), "orchestrator-hook")
		require.NoError(t, os.Remove(link))
		require.NoError(t, os.WriteFile(link, []byte("#!/bin/sh\nexit 0\n"), 0o700))
	}},
	{"the program breaks", "a read is blocked, and should be let through", nil, func(t *testing.T, m *machine) {
		link := filepath.Join(m.dir.Path(), "orchestrator-hook")
		require.NoError(t, os.Remove(link))
		require.NoError(t, os.WriteFile(link, []byte("#!/bin/sh\nexit 1\n"), 0o700))
	}},
	{"it is not registered", "the hook is not registered", nil, func(t *testing.T, m *machine) {
		_, err := settings.Uninstall(m.client.Name, m.options())
		require.NoError(t, err)
	}},
	{"the settings cannot be read", "is no JSON", hasSettings, func(t *testing.T, m *machine) { m.edit(t, "{", "") }},
	{"the plugin is another", "was changed", isPlugin, func(t *testing.T, m *machine) { m.edit(t, "spawn", "exec") }},
	{"the matcher leaves tools out", "leaves tools out", func(c *agentclient.Client) bool { return c.Wiring.Matcher != "" },
		func(t *testing.T, m *machine) { m.edit(t, `"matcher": "*"`, `"matcher": "Edit"`) }},
	{"the time limit is in another unit", "counts in units of", hasSettings, func(t *testing.T, m *machine) {
		unit := 5 * time.Second / m.client.Wiring.Unit
		m.edit(t, fmt.Sprintf("%q: %d", m.client.Wiring.Timeout, unit), fmt.Sprintf("%q: 5000000", m.client.Wiring.Timeout))
	}},
	{"its hooks are switched off", "switched off", func(c *agentclient.Client) bool { return len(c.Wiring.Toggles) > 0 }, switchOff},
	{"a variable keeps it from running hooks", "is set here: a session", func(c *agentclient.Client) bool { return len(c.Wiring.DisablingVariables) > 0 },
		func(t *testing.T, m *machine) {
			m.environ = append(slices.Clone(m.environ), m.client.Wiring.DisablingVariables[0]+"=1")
		}},
	{"it does not trust the project", "does not trust this project", trusts, func(t *testing.T, m *machine) {
		require.NoError(t, os.Remove(filepath.Join(m.home, m.client.Wiring.Trusts)))
	}},
	{"it does not trust the hook as it is", "is not trusted as it is registered now", trusts, func(t *testing.T, m *machine) {
		m.edit(t, `"timeout": 5`, `"timeout": 4`)
	}},
	{"it never called", "no call since the hook was registered", nil, func(t *testing.T, m *machine) {
		require.NoError(t, os.RemoveAll(filepath.Join(m.dir.Path(), "journal")))
	}},
	{"it called before the hook was registered anew", "no call since the hook was registered", nil, func(t *testing.T, m *machine) {
		require.NoError(t, control.NoteInstallation(m.dir, m.client.Name, "", control.Installed,
			control.Change{By: "t", Reason: "r", At: time.Now().Add(time.Minute), ID: "00000000000000fe"}))
	}},
	{"it is started in a folder below", "reads only the settings of that folder", func(c *agentclient.Client) bool { return c.Wiring.Reach == agentclient.Here },
		func(t *testing.T, m *machine) { m.from = filepath.Join(m.dir.Root, "below") }},
	{"it is started in a repository below", "runs no hook", func(c *agentclient.Client) bool { return c.Wiring.Reach == agentclient.Above },
		func(t *testing.T, m *machine) {
			m.from = filepath.Join(m.dir.Root, "vendored")
			require.NoError(t, os.MkdirAll(filepath.Join(m.from, ".git"), 0o700))
		}},
	{"it is too old", "version 0.0.1", func(c *agentclient.Client) bool { return c.Wiring.Since != "" },
		func(_ *testing.T, m *machine) { m.version = "0.0.1" }},
	{"its settings did not follow to enforce", "is not set", canFailClosed, func(t *testing.T, m *machine) {
		_, err := settings.FailClosed(m.client.Name, false, m.options())
		require.NoError(t, err)
	}},
	{"its settings did not follow to validate", "although the mode is validate", canFailClosed, func(t *testing.T, m *machine) {
		p, err := m.dir.Written()
		require.NoError(t, err)
		p.Mode = boundary.Validate
		require.NoError(t, m.dir.WritePolicy(p))
	}},
	{"a bypass was left behind", "is set here", nil, func(_ *testing.T, m *machine) {
		m.environ = append(slices.Clone(m.environ), boundary.BypassVariable+"=true")
	}},
}

func hasSettings(c *agentclient.Client) bool   { return c.Wiring.Plugin == "" }
func isPlugin(c *agentclient.Client) bool      { return c.Wiring.Plugin != "" }
func trusts(c *agentclient.Client) bool        { return c.Wiring.Trusts != "" }
func canFailClosed(c *agentclient.Client) bool { return c.Wiring.FailClosed != nil }

// switchOff uses the first switch of the client that is in JSON and not in the file with the hook.
func switchOff(t *testing.T, m *machine) {
	for _, s := range m.client.Wiring.Toggles {
		if s.File == m.client.Wiring.File && !s.Home {
			continue
		}
		place := map[bool]string{true: m.home, false: m.dir.Root}[s.Home]
		text := fmt.Sprintf("[%s]\n%s = %t\n", s.Path[0], s.Path[len(s.Path)-1], s.Off)
		if filepath.Ext(s.File) == ".json" {
			text = fmt.Sprintf("{%q: %t}", s.Path[0], s.Off)
			if len(s.Path) == 2 {
				text = fmt.Sprintf("{%q: {%q: %t}}", s.Path[0], s.Path[1], s.Off)
			}
		}
		write(t, filepath.Join(place, s.File), text)
		return
	}
	t.Fatal("it has no such switch")
}

// Wherever a client would let through what the boundary is to block, or block where nothing is to be, there is a fault,
// and so exit code 1. Where all is in order, there is none.
// Verifies: ORC-209, ORC-109
func TestEveryCauseIsAFault(t *testing.T) {
	met := map[string]int{}
	for _, client := range agentclient.Names() {
		m := newMachine(t, client)
		m.registerForTheUser(t)
		require.True(t, m.examine(t).Good, "%s: %v", client, m.examine(t).Findings)
		for _, cause := range causes {
			c, _ := agentclient.Named(client)
			if cause.only != nil && !cause.only(c) {
				continue
			}
			met[cause.name]++
			t.Run(client+"/"+cause.name, func(t *testing.T) {
				m := newMachine(t, client)
				cause.make(t, m)
				r := m.examine(t)
				require.False(t, r.Good, "%v", r.Findings)
				require.True(t, slices.ContainsFunc(r.Findings, func(f Finding) bool {
					return f.Level == Fault && strings.Contains(f.What, cause.says) && f.Fix != ""
				}), "%s in %v", cause.says, r.Findings)
			})
		}
	}
	for _, cause := range causes {
		require.NotZero(t, met[cause.name], cause.name)
	}
}

// The doctor takes every command line for one of the hook that the hook does, and no other.
func TestTheArgumentsOfTheHook(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"claude": true, "hook claude": true,
		"claude --root /p": true, "claude --root=/p": true, "--root /p claude": true,
		"claude --answers json": true, "hook claude --finished": true,
		"": false, "hook": false, "codex": false, "hook hook": false, "claude --root": false, "claude x": false,
		"claude --answers text": false, "serve claude": false,
	} {
		require.Equal(t, want, asksHook(strings.Fields(line), "claude"), line)
	}
}

// A client that reads the settings of the folders above it up to the top of its repository runs the hook of a project
// whose subfolder it is started in.
func TestStartedInAFolderBelow(t *testing.T) {
	for _, client := range agentclient.Names() {
		m := newMachine(t, client)
		if m.client.Wiring.Reach != agentclient.Above {
			continue
		}
		m.from = filepath.Join(m.dir.Root, "below")
		require.NoError(t, os.Mkdir(m.from, 0o700))
		r := m.examine(t)
		require.True(t, r.Good, "%s: %v", client, r.Findings)
	}
}

// What a client that reads the settings of one folder alone lets through below it is a fault while the boundary blocks,
// and a note before. Registered for the user as well nothing is left to do: no advice undoes another one.
// Verifies: ORC-209
func TestAClientThatReadsOneFolder(t *testing.T) {
	const below = "a session that is started in a folder below this one runs no hook of the project"
	level := func(r Report, what string) (l Level) {
		for _, f := range r.Findings {
			if strings.HasPrefix(f.What, what) {
				l = f.Level
			}
		}
		return l
	}
	for _, client := range agentclient.Names() {
		m := newMachine(t, client)
		if m.client.Wiring.Reach != agentclient.Here {
			require.Empty(t, level(m.examine(t), below), client)
			continue
		}
		for mode, want := range map[boundary.Mode]Level{boundary.Enforce: Fault, boundary.Confirm: Fault, boundary.Validate: Note} {
			p, err := m.dir.Written()
			require.NoError(t, err)
			p.Mode = mode
			require.NoError(t, m.dir.WritePolicy(p))
			require.Equal(t, want, level(m.examine(t), below), "%s in %s", client, mode)
		}
		m = newMachine(t, client)
		m.registerForTheUser(t)
		r := m.examine(t)
		require.True(t, r.Good, "%s: %v", client, r.Findings)
		require.Empty(t, level(r, below), client)
		require.Equal(t, OK, level(r, "registered for the project and for this user"), client)
		require.Empty(t, level(r, "it is registered"), client)
	}
}

// One line too many in one file is one too many, whoever has it.
func TestRegisteredTwiceInOneFile(t *testing.T) {
	m := newMachine(t, "claude")
	m.registerForTheUser(t)
	m.edit(t, `"PreToolUse": [`, `"PreToolUse": [{"hooks": [{"type": "command", "command": "orchestrator-hook claude"}]},`)
	r := m.examine(t)
	require.Contains(t, fmt.Sprint(r.Findings), "it is registered 3 times before a tool")
	require.NotContains(t, fmt.Sprint(r.Findings), "registered for the project and for this user")
}

func TestWhatNeedsAVersion(t *testing.T) {
	t.Parallel()
	option := &agentclient.Option{Name: "onFailure", Since: "2.0"}
	require.Equal(t, "subagents need 1.0, onFailure needs 2.0", needs(agentclient.Wiring{Since: "1.0", FailClosed: option}))
	require.Equal(t, "onFailure needs 2.0", needs(agentclient.Wiring{FailClosed: option}))
}
