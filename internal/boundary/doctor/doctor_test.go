package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/shellquote"
)

// TestMain lets links to this test be the hook.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "orchestrator-hook" {
		os.Exit(hook.Main(os.Args[1:], time.Now(), time.Minute))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

var single = shellquote.Quote

// project is a folder with a boundary in validate, and a hook to start.
func project(t *testing.T) (folder.Dir, string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "it's here", "orchestrator-hook")
	require.NoError(t, os.Mkdir(filepath.Dir(program), 0o700))
	require.NoError(t, os.Symlink(self, program))
	dir := folder.In(t.TempDir())
	made, err := control.SetUp(dir, boundary.DefaultPolicy(),
		control.Change{By: "test", Reason: "installed", At: time.Now(), ID: "0000000000000001"})
	require.NoError(t, err)
	require.True(t, made)
	return dir, program
}

func examine(t *testing.T, dir folder.Dir, version string, clients ...string) Report {
	t.Helper()
	r, err := Examine(t.Context(), Options{
		Dir: dir, Clients: clients, Environ: os.Environ(), Path: os.Getenv("PATH"), Version: func(context.Context, string) string { return version },
		Brisk: time.Minute, Patience: time.Minute,
	})
	require.NoError(t, err)
	return r
}

// A hook that answers rightly, and slowly, is a fault.
func TestASlowHookIsAFault(t *testing.T) {
	dir, program := project(t)
	command := single(program) + " claude --root " + single(dir.Root)
	_, err := settings.Install("claude", settings.Options{Root: dir.Root, Command: command, ClientVersion: "99.0.0"})
	require.NoError(t, err)
	r, err := Examine(t.Context(), Options{
		Dir: dir, Clients: []string{"claude"}, Environ: os.Environ(), Path: os.Getenv("PATH"), Version: func(context.Context, string) string { return "99.0.0" },
		Brisk: 1, Patience: time.Minute,
	})
	require.NoError(t, err)
	require.False(t, r.Good)
	require.Contains(t, fmt.Sprint(r.Findings), "and should be within 1ns")
}

func journal(t *testing.T, dir folder.Dir) string {
	t.Helper()
	var all strings.Builder
	names, err := dir.Files()
	require.NoError(t, err)
	for _, name := range names {
		_, err := dir.ReadFrom(name, 0, func(raw []byte) error { fmt.Fprintln(&all, string(raw)); return nil })
		require.NoError(t, err)
	}
	return all.String()
}

// Every client's own form of a block, and of letting through, is taken for what it is.
func TestEveryClientIsTriedInItsOwnForm(t *testing.T) {
	for client, tells := range map[string]bool{"claude": true, "codex": true, "qwen": true, "opencode": true, "gemini": false, "cursor": false, "copilot": true} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			dir, program := project(t)
			before := journal(t, dir)
			command := single(program) + " " + client + " --root " + single(dir.Root)
			_, err := settings.Install(client, settings.Options{Root: dir.Root, Command: command, ClientVersion: "99.0.0"})
			require.NoError(t, err)
			r := examine(t, dir, "99.0.0")
			require.True(t, r.Good, "%v", r.Findings)
			want := []string{
				"in enforce, an edit by the main session is blocked", "in enforce, a read is let through, and nothing is said", "in enforce, a call that cannot be read is blocked",
				"in validate, an edit by the main session is let through with a warning", "in validate, a call that cannot be read is let through with a warning",
			}
			if tells {
				want = append(want, "in enforce, an edit by an agent is let through, and nothing is said")
			}
			found := map[string]bool{}
			for _, f := range r.Findings {
				what, _, tried := strings.Cut(f.What, " (")
				if tried && strings.HasPrefix(what, "in ") {
					require.Equal(t, OK, f.Level, f.What)
					found[what] = true
				}
			}
			for _, what := range want {
				require.True(t, found[what], "%s in %v", what, r.Findings)
			}
			require.Len(t, found, len(want))
			require.Equal(t, before, journal(t, dir), "trials are not decisions")
		})
	}
}

// The canned calls are what the clients send: each can be read, and is what it is to be.
func TestTheCannedCallsAreRead(t *testing.T) {
	t.Parallel()
	for _, client := range agentclient.Names() {
		p := clientOf(t, client)
		f := p.Calls
		for _, c := range []struct {
			who, tool string
			kind      boundary.ActorKind
			write     bool
		}{{f.Main, f.Edit, "", true}, {f.Agent, f.Edit, boundary.Agent, true}, {f.Main, f.Read, "", false}} {
			if c.kind == boundary.Agent && c.who == "" {
				continue
			}
			e, err := p.Parse(call("/p/a \"b\"", f.Head, c.who, c.tool))
			require.NoError(t, err, client)
			require.Equal(t, agentclient.Before, e.When, client)
			require.Equal(t, c.kind == boundary.Agent, e.Actor.Kind == boundary.Agent, client)
			require.Equal(t, "/p/a \"b\"", e.Cwd, client)
			require.Len(t, e.Paths, 1, client)
			require.Equal(t, probeName, filepath.Base(e.Paths[0]), client)
			require.Equal(t, !c.write, e.Tool == "Read", client)
		}
		_, err := p.Parse([]byte(garbage))
		require.Error(t, err, client)
	}
}

func clientOf(t *testing.T, client string) *agentclient.Client {
	t.Helper()
	p, known := agentclient.Named(client)
	require.True(t, known, client)
	return p
}

// What a client hears is what its protocol says.
func TestAnswersAreHeardAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	for _, client := range agentclient.Names() {
		p := clientOf(t, client)
		for _, d := range []boundary.Decision{boundary.Allow, boundary.Warn, boundary.Ask, boundary.Block} {
			got, err := p.Heard(p.Answer(agentclient.Before, d, "because"))
			require.NoError(t, err, client)
			if d == boundary.Ask && got == boundary.Block {
				continue // it cannot ask
			}
			require.Equal(t, d, got, client)
		}
	}
}

func TestBrokenAnswersAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		client string
		answer agentclient.Answer
		why    string
	}{
		"exit 1":                {"claude", agentclient.Answer{Exit: 1, Stderr: []byte("x")}, "exit code 1: x"},
		"killed":                {"claude", agentclient.Answer{Exit: -1}, "exit code -1"},
		"not found":             {"claude", agentclient.Answer{Exit: 127, Stderr: []byte("sh: no")}, "exit code 127"},
		"block without reason":  {"codex", agentclient.Answer{Exit: 2, Stderr: []byte(" \n")}, "without a reason"},
		"block of another kind": {"copilot", agentclient.Answer{Exit: 2, Stderr: []byte("x")}, "wants a decision as JSON"},
		"silence to cursor":     {"cursor", agentclient.Answer{}, "silence"},
		"no JSON":               {"claude", agentclient.Answer{Stdout: []byte("hello")}, "no JSON"},
		"allow":                 {"claude", agentclient.Answer{Stdout: []byte(`{"hookSpecificOutput":{"permissionDecision":"allow"}}`)}, "permission prompts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := clientOf(t, c.client).Heard(c.answer)
			require.ErrorContains(t, err, c.why)
		})
	}
}

// A registered line is pointed at the copy, however it names the project.
func TestALineIsPointedAtTheCopy(t *testing.T) {
	t.Parallel()
	claude, codex := clientOf(t, "claude").Wiring, clientOf(t, "codex").Wiring
	for registered, c := range map[string]struct {
		wiring  agentclient.Wiring
		want    string
		project string // CLAUDE_PROJECT_DIR
	}{
		"/b/orchestrator-hook claude":                                  {claude, "/b/orchestrator-hook claude", "/copy"},
		"/b/orchestrator hook codex":                                   {codex, "/b/orchestrator hook codex", ""},
		"/b/orchestrator-hook codex --root /p":                         {codex, "/b/orchestrator-hook codex --root /copy", ""},
		"/b/orchestrator-hook --root '/my p' codex || exit 2":          {codex, "/b/orchestrator-hook --root /copy codex || exit 2", ""},
		"/b/orchestrator-hook codex --root=/p 2>/dev/null":             {codex, "/b/orchestrator-hook codex --root=/copy 2>/dev/null", ""},
		"/b/orchestrator-hook codex --root /p --root=/q":               {codex, "/b/orchestrator-hook codex --root /copy --root=/copy", ""},
		`"$CLAUDE_PROJECT_DIR"/bin/orchestrator-hook claude || exit 2`: {claude, `"$CLAUDE_PROJECT_DIR"/bin/orchestrator-hook claude --root /copy || exit 2`, "/p"},
		`/b/orchestrator-hook claude --root "$CLAUDE_PROJECT_DIR"`:     {claude, `/b/orchestrator-hook claude --root /copy`, "/p"},
	} {
		l, err := readLine(registered, []string{"CLAUDE_PROJECT_DIR=/p"})
		require.NoError(t, err)
		text, env := l.at("/p", "/copy", c.wiring, []string{"A=b", "CLAUDE_PROJECT_DIR=/x", "GEMINI_PROJECT_DIR=/y"})
		require.Equal(t, c.want, text)
		want := []string{"A=b"}
		if c.project != "" {
			want = append(want, "CLAUDE_PROJECT_DIR="+c.project)
		}
		require.Equal(t, want, env)
	}
}

func TestProgramsThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "plain"), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "orchestrator-hook"), nil, 0o755))
	for text, why := range map[string]string{
		bin + "/orchestrator-hook claude":     "",
		"orchestrator-hook claude":            "",
		"A=b \"$F\"/orchestrator-hook claude": "",
		bin + "/plain claude":                 "no program that can be started",
		bin + "/none claude":                  "is not there",
		bin + " claude":                       "no program that can be started",
		"./orchestrator-hook claude":          "relative",
		"orchestrator claude":                 "in no folder of PATH",
		"$(which orchestrator-hook) claude":   "cannot be told",
	} {
		l, err := readLine(text, []string{"F=" + bin})
		require.NoError(t, err, text)
		if why == "" {
			require.NoError(t, second(l.program(bin)), text)
		} else {
			require.ErrorContains(t, second(l.program(bin)), why, text)
		}
	}
	for _, text := range []string{"", "A=b", "'unfinished", "# nothing"} {
		_, err := readLine(text, nil)
		require.Error(t, err, text)
	}
}

// A bypass that is in force in the project is not in force in the trials, nor is the environment's.
func TestBypassesDoNotMakeTrialsFail(t *testing.T) {
	dir, program := project(t)
	t.Setenv(boundary.BypassVariable, "true")
	_, err := control.Bypass(dir, time.Hour, "", control.Change{By: "test", Reason: "r", At: time.Now(), ID: "0000000000000002"})
	require.NoError(t, err)
	_, err = settings.Install("claude", settings.Options{Root: dir.Root, Command: single(program) + " claude", ClientVersion: "99.0.0"})
	require.NoError(t, err)
	r := examine(t, dir, "99.0.0")
	require.Equal(t, 1, r.Faults(), "that it is set; %v", r.Findings)
	require.Contains(t, fmt.Sprint(r.Findings), "AMPLIFIER_BYPASS_BOUNDARY=\"true\" is set here")
	require.Contains(t, fmt.Sprint(r.Findings), "an edit by the main session is blocked")
}

// A policy that takes rights away from agents, or leaves them to unknown actors, is no fault of the hook, and is said.
func TestWhatThePolicyAllowsIsSaidAndNoFault(t *testing.T) {
	t.Parallel()
	dir, program := project(t)
	p := boundary.DefaultPolicy()
	p.UnknownActor, p.Agents = boundary.AsAgent, []boundary.Rights{{Name: "*", MayWrite: []string{"docs/**"}}, {Name: "x", MayWrite: []string{"**"}}}
	p.ExemptPaths = []string{"**"}
	require.NoError(t, dir.WritePolicy(p))
	_, err := settings.Install("claude", settings.Options{Root: dir.Root, Command: single(program) + " claude", ClientVersion: "99.0.0"})
	require.NoError(t, err)
	r := examine(t, dir, "99.0.0")
	require.True(t, r.Good, "%v", r.Findings)
	var notes []string
	for _, f := range r.Findings {
		if f.Level == Note {
			notes = append(notes, strings.SplitN(f.What, " (", 2)[0])
		}
	}
	require.Equal(t, []string{"a session that is started in a folder below this one runs no hook of the project",
		"no call since the hook was registered: perhaps the client runs no hooks",
		"in enforce, an edit by the main session is let through, and nothing is said", "in enforce, an edit by an agent is blocked"}, notes)
}

func TestAnUnknownClientIsRefused(t *testing.T) {
	t.Parallel()
	dir, _ := project(t)
	_, err := Examine(t.Context(), Options{Dir: dir, Clients: []string{"vscode"}})
	require.ErrorContains(t, err, `there is no client "vscode"`)
}

// A client that runs what was blocked is found by the journal, where it is registered after a tool as well.
func TestAClientThatDoesNotHeedTheHookIsFound(t *testing.T) {
	t.Parallel()
	dir, program := project(t)
	file := filepath.Join(dir.Root, ".claude", "settings.json")
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
	text := fmt.Sprintf(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":%s}]}]}}`, quoted(single(program)+" claude"))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	r := examine(t, dir, "99.0.0")
	require.True(t, r.Good, "%v", r.Findings)
	require.Contains(t, fmt.Sprint(r.Findings), "it is not registered after a tool")

	p := boundary.DefaultPolicy()
	p.Mode = boundary.Enforce
	require.NoError(t, dir.WritePolicy(p))
	calls := clientOf(t, "claude").Calls
	edit := call(dir.Root, calls.Head, calls.Edit)
	for event, exit := range map[string]int{"PreToolUse": 2, "PostToolUse": 0} {
		in := strings.Replace(string(edit), "PreToolUse", event, 1)
		a := hook.Run(hook.Input{Client: "claude", Root: dir.Root, Stdin: strings.NewReader(in), Getenv: func(string) string { return "" },
			Cwd: dir.Root, Start: time.Now(), Now: time.Now, NewID: func() string { return event }})
		require.Equal(t, exit, a.Exit, string(a.Stderr))
	}
	r = examine(t, dir, "99.0.0")
	require.Equal(t, 3, r.Faults(), "%v", r.Findings)
	require.Contains(t, fmt.Sprint(r.Findings), "{claude fault a session that is started in a folder below")
	require.Contains(t, fmt.Sprint(r.Findings), "onFailure is not set")
	require.Contains(t, fmt.Sprint(r.Findings), "1 call of the past week ran although blocked")
	r = examine(t, dir, "")
	require.Equal(t, 3, r.Faults(), "its version is unknown, and it lets calls through all the same: %v", r.Findings)
	require.Contains(t, fmt.Sprint(r.Findings), "put the client's program into PATH, and then: orchestrator boundary install")
}

func TestFaultsMakeABoundaryUnsound(t *testing.T) {
	require.NoError(t, (&Report{Good: true, Findings: []Finding{{Level: Note}}}).Unsound())
	unsound := (&Report{Findings: []Finding{{Level: Note}, {Level: Fault}}}).Unsound()
	require.ErrorIs(t, unsound, fault.Conflict)
	require.ErrorContains(t, unsound, "faults of the boundary: 1")
}

func second[T any](_ T, err error) error { return err }
