package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// TestMain lets copies of this test be the hook, as a client starts it. HOOK_LIMIT is the most bytes of a file that it
// may write; a full disk looks alike. HOOK_WITHIN is how long an answer may take.
func TestMain(m *testing.M) {
	if os.Getenv("HOOK_CHILD") == "" {
		os.Exit(m.Run())
	}
	start := time.Now()
	if limit, err := strconv.ParseUint(os.Getenv("HOOK_LIMIT"), 10, 64); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
	within := time.Minute // so that no test fails because a process waits for a processor
	if d, err := time.ParseDuration(os.Getenv("HOOK_WITHIN")); err == nil {
		within = d
	}
	os.Exit(Main(os.Args[1:], start, within))
}

// project is a folder with a boundary in some mode.
type project struct {
	t   *testing.T
	dir folder.Dir
}

func newProject(t *testing.T, mode boundary.Mode) project {
	t.Helper()
	p := project{t, folder.In(t.TempDir())}
	p.set(func(b *boundary.Policy) { b.Mode = mode })
	return p
}

func (p project) set(change func(*boundary.Policy)) {
	p.t.Helper()
	policy := boundary.DefaultPolicy()
	change(&policy)
	_, err := p.dir.Make(policy)
	require.NoError(p.t, err)
	require.NoError(p.t, p.dir.WritePolicy(policy))
}

// reply is what a hook answered.
type reply struct {
	code           int
	stdout, stderr string
}

func (p project) hook(stdin io.Reader, env ...string) reply {
	p.t.Helper()
	return p.hookOf("claude", stdin, env...)
}

func (p project) hookOf(client string, stdin io.Reader, env ...string) reply {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(os.Args[0], strings.Fields(client)...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.dir.Root, stdin, &stdout, &stderr
	cmd.Env = append(append(os.Environ(), "HOOK_CHILD=1", "GORACE=atexit_sleep_ms=0", boundary.BypassVariable+"=",
		"CLAUDE_PROJECT_DIR="), env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(p.t, err)
	}
	return reply{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (p project) call(tool, input string, members ...string) string {
	return fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s1","cwd":%q,"tool_use_id":"t1","tool_name":%q,"tool_input":%s%s}`,
		p.dir.Root, tool, input, strings.Join(append([]string{""}, members...), ","))
}

func (p project) edit(members ...string) string {
	return p.call("Edit", `{"file_path":"src/a.go","old_string":"a","new_string":"b"}`, members...)
}

const asAgent = `"agent_id":"a1","agent_type":"bug-hunter"`

// lines are the journal, all of it readable.
func (p project) lines() (all []folder.Line) {
	p.t.Helper()
	require.NoError(p.t, p.dir.Read(func(l folder.Line, err error) error {
		require.NoError(p.t, err)
		all = append(all, l)
		return nil
	}))
	return all
}

// Verifies: ORC-060, ORC-064
func TestModes(t *testing.T) {
	for mode, want := range map[boundary.Mode]struct {
		code  int
		lines int
	}{boundary.Off: {0, 0}, boundary.Validate: {0, 3}, boundary.Confirm: {0, 3}, boundary.Enforce: {2, 3}} {
		p := newProject(t, mode)
		blocked := p.hook(strings.NewReader(p.edit()))
		require.Equal(t, want.code, blocked.code, "%s: %+v", mode, blocked)
		require.Equal(t, mode != boundary.Off, strings.Contains(blocked.stdout+blocked.stderr, "Edit on src/a.go"), mode)
		for _, harmless := range []string{p.edit(asAgent), p.call("Read", `{"file_path":"src/a.go"}`)} {
			require.Equal(t, reply{}, p.hook(strings.NewReader(harmless)), "an allowed call prints nothing")
		}
		require.Len(t, p.lines(), want.lines, mode)
	}
}

// What a decision leaves in the journal, and what it does not.
func TestDecisionsAreNoted(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	require.Equal(t, 2, p.hook(strings.NewReader(p.call("Bash", `{"command":"cd src && TOKEN=hunter2hunter2 sed -i s/a/SECRETSECRET/ a.go; curl -H 'Authorization: x' https://u:p@example.org"}`))).code)
	require.Equal(t, 0, p.hook(strings.NewReader(strings.Replace(p.edit(asAgent), "PreToolUse", "PostToolUseFailure", 1))).code)
	all := p.lines()
	require.Len(t, all, 2)
	l := all[0]
	require.Equal(t, []any{folder.KindDecision, "claude", "s1", "t1", "Bash", boundary.Enforce}, []any{l.Kind, l.Client, l.Session, l.ToolUseID, l.Tool, l.Mode})
	require.Equal(t, boundary.Actor{Kind: boundary.Main}, *l.Actor)
	require.Equal(t, boundary.Block, l.Verdict.Decision)
	require.Positive(t, l.Micros)
	require.Contains(t, fmt.Sprint(l.Parts), "src/a.go")
	raw, err := json.Marshal(all)
	require.NoError(t, err)
	for _, secret := range []string{"hunter2", "SECRETSECRET", "u:p@"} {
		require.NotContains(t, string(raw), secret)
	}
	policy, err := p.dir.Policy()
	require.NoError(t, err)
	require.Equal(t, l.Verdict.Rule, boundary.Judge(&policy, l.Call()).Rule, "the line is enough to judge the call again")
	require.Equal(t, []any{folder.KindOutcome, "failed", "t1"}, []any{all[1].Kind, all[1].What, all[1].ToolUseID})
}

// hostile are calls that nobody sends by intention. None of them may let a writing call through, or exit with anything
// but 0 or 2.
func hostile(p project) map[string]func() io.Reader {
	text := func(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }
	whole := p.edit()
	calls := map[string]func() io.Reader{
		"empty":                 text(""),
		"blank":                 text(" \n\t"),
		"binary":                text("\x00\x01\xff\xfe\x7fELF"),
		"no JSON":               text("Edit src/a.go"),
		"a number":              text("1"),
		"an array":              text("[" + whole + "]"),
		"null":                  text("null"),
		"cut":                   text(whole[:len(whole)/2]),
		"two":                   text(whole + whole),
		"trailing text":         text(whole + "x"),
		"tool_name null":        text(strings.Replace(whole, `"tool_name":"Edit"`, `"tool_name":null`, 1)),
		"tool_name a number":    text(strings.Replace(whole, `"tool_name":"Edit"`, `"tool_name":7`, 1)),
		"tool_name empty":       text(strings.Replace(whole, `"tool_name":"Edit"`, `"tool_name":""`, 1)),
		"tool_name missing":     text(strings.Replace(whole, `"tool_name":"Edit",`, ``, 1)),
		"tool_name twice":       text(strings.Replace(whole, `"tool_name":"Edit"`, `"tool_name":"Edit","tool_name":"Read"`, 1)),
		"tool_name in capitals": text(strings.Replace(whole, `"tool_name"`, `"Tool_Name"`, 1)),
		"tool_name escaped":     text(strings.Replace(whole, `"tool_name":"Edit"`, `"tool_name":"\u0045dit"`, 1)),
		"event null":            text(strings.Replace(whole, `"PreToolUse"`, `null`, 1)),
		"event missing":         text(strings.Replace(whole, `"hook_event_name":"PreToolUse",`, ``, 1)),
		"input null":            text(strings.Replace(whole, `"tool_input":{`, `"tool_input":null,"x":{`, 1)),
		"input a text":          text(strings.Replace(whole, `"tool_input":{`, `"tool_input":"x","x":{`, 1)),
		"agent_id null":         text(p.edit(`"agent_id":null`)),
		"agent_id empty":        text(p.edit(`"agent_id":""`)),
		"agent_id a number":     text(p.edit(`"agent_id":7`)),
		"agent_id an object":    text(p.edit(`"agent_id":{}`)),
		"agent_id twice":        text(p.edit(`"agent_id":"","agent_id":"a"`)),
		"agent_type alone":      text(p.edit(`"agent_type":"bug-hunter"`)),
		"Agent_ID":              text(p.edit(`"Agent_ID":"a"`)),
		"cwd null":              text(strings.Replace(whole, fmt.Sprintf("%q", p.dir.Root), "null", 1)),
		"cwd elsewhere":         text(strings.Replace(whole, fmt.Sprintf("%q", p.dir.Root), `"/nowhere/at/all"`, 1)),
		"invalid UTF-8":         text(strings.Replace(whole, "src/a.go", "src/\xff.go", 1)),
		"a lone surrogate":      text(strings.Replace(whole, "src/a.go", `src/\ud800.go`, 1)),
		"NUL in the path":       text(strings.Replace(whole, "src/a.go", `src/\u0000.go`, 1)),
		"a byte order mark":     text("\ufeff" + whole),
		"deep":                  text(strings.Replace(whole, `"tool_input":{`, `"x":`+strings.Repeat(`[`, 20_000)+strings.Repeat(`]`, 20_000)+`,"tool_input":{`, 1)),
		"deeper":                text(`{"x":` + strings.Repeat(`{"x":`, 1_000_000)),
		"many members":          text("{" + strings.Repeat(`"a":1,`, 500_000) + whole[1:]),
		"a long session":        text(strings.Replace(whole, `"s1"`, `"`+strings.Repeat("s", 5<<20)+`"`, 1)),
		"a long path":           text(strings.Replace(whole, "src/a.go", strings.Repeat("a/", 1<<20), 1)),
		"many paths":            text(p.call("MultiEdit", `{"edits":[],"file_path":"a","paths":["`+strings.Repeat(`x","`, 100_000)+`y"]}`)),
		"100 MB": func() io.Reader {
			return io.MultiReader(strings.NewReader(`{"hook_event_name":"PreToolUse","x":"`), io.LimitReader(letters{}, 100<<20))
		},
		"100 MB, whole": func() io.Reader {
			return io.MultiReader(strings.NewReader(whole[:len(whole)-1]+`,"x":"`), io.LimitReader(letters{}, 100<<20), strings.NewReader(`"}`))
		},
		"a command without text": text(p.call("Bash", `{}`)),
		"a command of 1 MB":      text(p.call("Bash", `{"command":"`+strings.Repeat("echo a; ", 1<<17)+`rm b"}`)),
		"a nested command":       text(p.call("Bash", `{"command":"`+strings.Repeat("$(", 5_000)+`rm b`+strings.Repeat(")", 5_000)+`"}`)),
		"a command that is cut":  text(p.call("Bash", `{"command":"rm 'b"}`)),
	}
	return calls
}

// letters never ends, and is one letter.
type letters struct{}

func (letters) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte{'x'}, len(p))), nil }

// never gives nothing, and does not end either, until it is closed.
type never chan struct{}

func (n never) Read([]byte) (int, error) {
	<-n
	return 0, io.EOF
}

// endless are calls that do not end.
func endless(p project, end never) map[string]io.Reader {
	return map[string]io.Reader{"no end": io.MultiReader(strings.NewReader(p.edit()), end), "nothing, and no end": end}
}

// TestTheDeadlineIsKept: an answer comes at the deadline, by a clock that goes on when all wait; what cannot be judged
// is blocked in an enforcing project alone.
//
// Verifies: ORC-065
func TestTheDeadlineIsKept(t *testing.T) {
	for mode, code := range map[boundary.Mode]int{boundary.Enforce: 2, boundary.Confirm: 2, boundary.Validate: 0} {
		for name := range endless(project{}, nil) {
			t.Run(string(mode)+"/"+name, func(t *testing.T) {
				p := newProject(t, mode)
				synctest.Test(t, func(t *testing.T) {
					end := make(never)
					begun := time.Now()
					a := Run(Input{
						Client: "claude", Stdin: endless(p, end)[name], Getenv: func(string) string { return "" }, Cwd: p.dir.Root,
						Start: begun, Now: time.Now, NewID: NewID,
					})
					require.Equal(t, Deadline, time.Since(begun))
					require.Equal(t, code, a.Exit)
					require.Contains(t, string(a.Stderr), "no decision within 900ms")
					close(end)
				})
				require.Len(t, p.lines(), 1)
			})
		}
	}
}

// TestALateCallIsAnsweredByThePolicy: a policy that came with a clone has no mark before the first judged call. Its
// mode counts for a call that comes late all the same.
func TestALateCallIsAnsweredByThePolicy(t *testing.T) {
	for mode, code := range map[boundary.Mode]int{boundary.Enforce: 2, boundary.Confirm: 2, boundary.Validate: 0} {
		p := newProject(t, mode)
		for _, mark := range []string{
			filepath.Join(p.dir.Path(), "enforcing"), filepath.Join(p.dir.Root, ".git", "orchestrator-enforcing"),
		} {
			require.NoError(t, os.RemoveAll(mark))
		}
		require.False(t, p.dir.IsMarked())
		synctest.Test(t, func(t *testing.T) {
			end := make(never)
			a := Run(Input{
				Client: "claude", Stdin: end, Getenv: func(string) string { return "" }, Cwd: p.dir.Root,
				Start: time.Now(), Now: time.Now, NewID: NewID,
			})
			require.Equal(t, code, a.Exit, mode)
			close(end)
		})
	}
}

// TestAPanicAfterTheDecisionBlocks: whatever goes wrong while a decision is noted, the call is not let through.
func TestAPanicAfterTheDecisionBlocks(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	ids := 0
	a := Run(Input{
		Client: "claude", Stdin: strings.NewReader(p.edit()), Getenv: func(string) string { return "" }, Cwd: p.dir.Root,
		Start: time.Now(), Within: time.Minute, Now: time.Now,
		NewID: func() string {
			if ids++; ids == 1 {
				panic("no id")
			}
			return NewID()
		},
	})
	require.Equal(t, 2, a.Exit)
	require.Contains(t, string(a.Stderr), "internal error: no id")
	require.Len(t, p.lines(), 1)
}

// TestAProcessKeepsTheDeadline: a process ends though its standard input does not.
func TestAProcessKeepsTheDeadline(t *testing.T) {
	p, end := newProject(t, boundary.Enforce), make(never)
	defer close(end)
	for name, stdin := range endless(p, end) {
		got := p.hook(pipe(stdin), "HOOK_WITHIN="+Deadline.String())
		require.Equal(t, 2, got.code, name)
		require.Contains(t, got.stderr, "no decision within 900ms", name)
	}
}

// Verifies: ORC-065
func TestHostileInput(t *testing.T) {
	for _, mode := range []boundary.Mode{boundary.Enforce, boundary.Validate} {
		p := newProject(t, mode)
		for name, stdin := range hostile(p) {
			t.Run(string(mode)+"/"+name, func(t *testing.T) {
				got := project{t, p.dir}.hook(pipe(stdin()))
				if mode == boundary.Validate {
					require.Equal(t, 0, got.code, got.stderr)
					return
				}
				require.Equal(t, 2, got.code, "%+v", got)
				require.LessOrEqual(t, len([]rune(got.stderr)), boundary.MaxMessage+1)
				require.Contains(t, got.stderr, "AMPLIFIER_BYPASS_BOUNDARY", "it says how to get out")
			})
		}
		require.NotEmpty(t, p.lines())
	}
}

// pipe hides that a reader is one, so that the process gets it through a pipe, and Run does not wait for what never
// ends.
func pipe(r io.Reader) *os.File {
	from, to, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() {
		_, _ = io.Copy(to, r)
		_ = to.Close()
	}()
	return from
}

// slow is a client that takes its time to write a call.
type slow struct {
	io.Reader
	by time.Duration
}

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(s.by)
	return s.Reader.Read(p)
}

// The time that the client takes is not the hook's.
func TestTheWaitForTheCallIsNotCounted(t *testing.T) {
	const by = 150 * time.Millisecond
	p := newProject(t, boundary.Enforce)
	require.Equal(t, 2, p.hook(slow{strings.NewReader(p.edit()), by}).code)
	require.Less(t, p.lines()[0].Micros, by.Microseconds())
}

// A policy that is gone or damaged blocks where the mark says that the project enforces, and lets through elsewhere.
//
// Verifies: ORC-065
func TestPolicyMissing(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"gone":    os.Remove,
		"damaged": func(path string) error { return os.WriteFile(path, []byte(`{"mode":`), 0o600) },
		"a typo": func(path string) error {
			return os.WriteFile(path, []byte(`{"schema_version":1,"mode":"enforced"}`), 0o600)
		},
		"no file":   func(path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) },
		"too large": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte(" "), 2<<20), 0o600) },
	} {
		for mode, code := range map[boundary.Mode]int{boundary.Enforce: 2, boundary.Confirm: 2, boundary.Validate: 0} {
			p := newProject(t, mode)
			require.NoError(t, damage(filepath.Join(p.dir.Path(), "policy.json")), name)
			got := p.hook(strings.NewReader(p.edit()))
			require.Equal(t, code, got.code, "%s %s: %+v", name, mode, got)
			if code == 2 {
				require.Contains(t, got.stderr, "policy", name)
				lifted := p.hook(strings.NewReader(p.edit()), boundary.BypassVariable+"=true")
				require.Equal(t, 0, lifted.code, "%s: the block names this way out", name)
				require.Contains(t, lifted.stdout, "ORCHESTRATOR BOUNDARY BYPASSED", name)
				all := p.lines()
				require.Equal(t, boundary.ByEnvironment, all[len(all)-1].What, "it is on record")
			}
		}
	}
	p := project{t, folder.In(t.TempDir())}
	require.Equal(t, reply{}, p.hook(strings.NewReader(p.edit())), "no boundary, no verdict")
}

// A decision that cannot be put on record stands; a bypass that cannot does not.
func TestDiskFull(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	require.Equal(t, 2, p.hook(strings.NewReader(p.edit()), "HOOK_LIMIT=0").code)
	require.Equal(t, 0, p.hook(strings.NewReader(p.edit(asAgent)), "HOOK_LIMIT=0").code)
	lifted := p.hook(strings.NewReader(p.edit()), "HOOK_LIMIT=0", boundary.BypassVariable+"=true")
	require.Equal(t, 2, lifted.code)
	require.Contains(t, lifted.stderr, "This decision is not on record")
	require.Empty(t, p.lines())

	require.Equal(t, 2, p.hook(strings.NewReader(p.edit()), "HOOK_LIMIT=100").code, "the disk was full in the middle of the line")
	require.Equal(t, 0, p.hook(strings.NewReader(p.edit()), boundary.BypassVariable+"=true").code)
	malformed, good := 0, 0
	require.NoError(t, p.dir.Read(func(_ folder.Line, err error) error {
		if err != nil {
			malformed++
		} else {
			good++
		}
		return nil
	}))
	require.Equal(t, []int{1, 1}, []int{malformed, good}, "the torn line takes no other with it")
}

// Hooks that are killed at any moment lose no line of others and leave none that is torn.
//
// Verifies: ORC-068
func TestKilledHooks(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	answered := 0
	for i := range 40 {
		var stderr bytes.Buffer
		cmd := exec.Command(os.Args[0], "claude")
		cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.Env = p.dir.Root, strings.NewReader(p.edit()), &stderr, append(os.Environ(), "HOOK_CHILD=1", "GORACE=atexit_sleep_ms=0")
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(i) * 300 * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if stderr.Len() > 0 {
			answered++
		}
	}
	require.GreaterOrEqual(t, len(p.lines()), answered, "what was answered is on record")
}

// Many hooks at once write whole lines, each its own.
func TestManyAtOnce(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	const hooks, each = 64, 4
	var running sync.WaitGroup
	for i := range hooks {
		running.Go(func() {
			for j := range each {
				call := strings.Replace(p.edit(), `"t1"`, fmt.Sprintf(`"t-%d-%d-%s"`, i, j, strings.Repeat("x", i*3)), 1)
				in := Input{
					Client: "claude", Stdin: strings.NewReader(call), Getenv: func(string) string { return "" }, Cwd: p.dir.Root,
					Start: time.Now(), Within: time.Minute, Now: time.Now, NewID: NewID,
				}
				if a := Run(in); a.Exit != 2 {
					t.Errorf("exit %d: %s", a.Exit, a.Stderr)
				}
			}
		})
	}
	running.Wait()
	seen := map[string]bool{}
	for _, l := range p.lines() {
		require.Equal(t, folder.KindDecision, l.Kind, l.Reason)
		seen[l.ToolUseID] = true
	}
	require.Len(t, seen, hooks*each)
}

// The same with processes.
//
// Verifies: ORC-068
func TestManyProcessesAtOnce(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	const hooks = 64
	var running sync.WaitGroup
	for i := range hooks {
		running.Go(func() {
			if got := p.hook(strings.NewReader(strings.Replace(p.edit(), `"t1"`, fmt.Sprintf(`"t-%d"`, i), 1))); got.code != 2 {
				t.Errorf("%+v", got)
			}
		})
	}
	running.Wait()
	decisions := 0
	for _, l := range p.lines() {
		if l.Kind == folder.KindDecision {
			decisions++
		}
	}
	require.Len(t, p.lines(), hooks)
	require.Equal(t, hooks, decisions)
}

// The mark holds against a policy that came back from version control, and is made where one was cloned.
func TestTheMarkHolds(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	path := filepath.Join(p.dir.Path(), "policy.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"schema_version":1,"mode":"validate"}`), 0o600))
	require.Equal(t, 2, p.hook(strings.NewReader(p.edit())).code)
	require.NoError(t, os.Remove(filepath.Join(p.dir.Path(), "enforcing")))
	require.Equal(t, 0, p.hook(strings.NewReader(p.edit())).code)
	require.NoError(t, os.WriteFile(path, []byte(`{"schema_version":1,"mode":"enforce"}`), 0o600))
	require.Equal(t, 2, p.hook(strings.NewReader(p.edit())).code)
	require.NoError(t, os.Remove(path))
	require.Equal(t, 2, p.hook(strings.NewReader(p.edit())).code, "the first call has marked the project")
	pulled := 0
	for _, l := range p.lines() {
		if l.Kind == folder.KindMode && l.What == folder.WhatPulled {
			pulled++
			require.Equal(t, boundary.Enforce, l.Mode)
		}
	}
	require.Equal(t, 1, pulled, "once, by the first call")
}

// In a repository the project is known as enforcing when all of the boundary's folder is gone.
func TestTheWholeFolderIsGone(t *testing.T) {
	p := project{t, folder.In(t.TempDir())}
	require.NoError(t, os.Mkdir(filepath.Join(p.dir.Root, ".git"), 0o700))
	p.set(func(b *boundary.Policy) { b.Mode = boundary.Enforce })
	require.NoError(t, os.RemoveAll(filepath.Join(p.dir.Root, ".orchestrator")))
	got := p.hook(strings.NewReader(p.edit()))
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "its policy is missing")
	require.Equal(t, 2, p.hook(strings.NewReader(p.call("Bash", `{"command":"rm .git/orchestrator-enforcing"}`, asAgent))).code)
	p.set(func(b *boundary.Policy) { b.Mode = boundary.Validate })
	require.Equal(t, 0, p.hook(strings.NewReader(p.edit())).code)
	require.NoFileExists(t, filepath.Join(p.dir.Root, ".git", "orchestrator-enforcing"))
	require.NoError(t, os.RemoveAll(filepath.Join(p.dir.Root, ".orchestrator")))
	require.Equal(t, 0, p.hook(strings.NewReader(p.edit())).code)
}

// What a tool writes that nobody knows is looked for wherever it may stand, and is nobody's to exempt.
func TestToolsOfServers(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	for input, rule := range map[string]string{
		`{"path":"scratch/a","new_path":"shop/x"}`:                                     boundary.RuleWrites,
		`{"path":"scratch/a","operations":[{"path":"shop/x"}]}`:                        boundary.RuleWrites,
		`{"path":"scratch/a"}`:                                                         boundary.RuleWrites,
		`{"filename":".orchestrator/boundary/policy.json"}`:                            boundary.RuleProtected,
		`{"operations":[{"to":{"file":"` + p.dir.Root + `/.claude/settings.json"}}]}`:  boundary.RuleProtected,
		`{"uri":"file://` + p.dir.Root + `/.orchestrator/boundary/enforcing","n":[1]}`: boundary.RuleProtected,
	} {
		got := p.hook(strings.NewReader(p.call("mcp__fs__move_file", input)))
		require.Equal(t, 2, got.code, input)
		require.Contains(t, got.stderr, "["+rule+"]", input)
	}
}

// Verifies: ORC-222, ORC-067
func TestBypassOfTheEnvironment(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	lifted := p.hook(strings.NewReader(p.edit()), boundary.BypassVariable+"=true")
	require.Equal(t, 0, lifted.code)
	for _, member := range []string{"systemMessage", "additionalContext"} { // the person's, and the model's
		require.Contains(t, lifted.stdout, `"`+member+`":"ORCHESTRATOR BOUNDARY BYPASSED: Edit on`)
	}
	require.NotContains(t, lifted.stdout, "permissionDecision", "the client's own prompts stay")
	allowed := p.hook(strings.NewReader(p.edit(asAgent)), boundary.BypassVariable+"=true")
	require.Equal(t, reply{}, allowed, "it is allowed anyway")
	require.Equal(t, boundary.ByEnvironment, p.lines()[0].Verdict.Bypass)
	require.Equal(t, boundary.Allow, p.lines()[0].Verdict.Decision)
	ignored := p.hook(strings.NewReader(p.edit()), boundary.BypassVariable+"=TRUE")
	require.Equal(t, 2, ignored.code)
	require.Contains(t, ignored.stderr, `Note: AMPLIFIER_BYPASS_BOUNDARY="TRUE" is ignored: it counts when it is exactly true`)
	unread := p.hook(strings.NewReader("nonsense"), boundary.BypassVariable+"=true")
	require.Equal(t, 0, unread.code, "the emergency is just then")
	require.Contains(t, unread.stdout, `"systemMessage":"ORCHESTRATOR BOUNDARY BYPASSED: this call could not be judged`)
	all := p.lines()
	require.Equal(t, boundary.ByEnvironment, all[len(all)-1].What)

	p.set(func(b *boundary.Policy) { b.Mode, b.Bypass.Environment = boundary.Enforce, false })
	forbidden := p.hook(strings.NewReader(p.edit()), boundary.BypassVariable+"=true")
	require.Equal(t, 2, forbidden.code)
	require.Contains(t, forbidden.stderr, "the policy forbids it")
}

// Verifies: ORC-067
func TestGrants(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	now := time.Now()
	require.NoError(t, p.dir.AddGrant(boundary.Grant{ID: "g1", Reason: "x", By: "ada", Since: now.Add(-time.Minute),
		Until: now.Add(time.Hour), Session: "s1"}, now))
	lifted := p.hook(strings.NewReader(p.edit()))
	require.Equal(t, 0, lifted.code)
	require.Contains(t, lifted.stdout, "bypass g1 of ada for this session, until")
	require.Equal(t, 2, p.hook(strings.NewReader(strings.Replace(p.edit(), `"s1"`, `"s2"`, 1))).code)
	require.NoError(t, os.WriteFile(filepath.Join(p.dir.Path(), "grants.json"), []byte("{"), 0o600))
	broken := p.hook(strings.NewReader(p.edit()))
	require.Equal(t, 2, broken.code)
	require.Contains(t, broken.stderr, "The bypasses are not in force")
}

// A path is the same by every name that it has.
func TestPathsAreResolved(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	root := p.dir.Root
	require.NoError(t, os.MkdirAll(filepath.Join(root, "scratch"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "src"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(root, "src"), filepath.Join(root, "scratch", "out")))
	require.NoError(t, os.Symlink("../src/new.go", filepath.Join(root, "scratch", "dangling")))
	other := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, other))
	for path, code := range map[string]int{
		"scratch/a.txt":                        0,
		"./scratch/../scratch/a.txt":           0,
		root + "/scratch/a.txt":                0,
		other + "/scratch/a.txt":               0,
		"scratch/out/a.go":                     2,
		"scratch/dangling":                     2,
		"scratch/../src/a.go":                  2,
		other + "/src/a.go":                    2,
		"/etc/hosts":                           2,
		"~/notes.txt":                          2,
		"scratch/deep/er/not/there/yet/a.txt":  0,
		"scratch/deep/../../src/not/there/yet": 2,
	} {
		got := p.hook(strings.NewReader(p.call("Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, path))))
		require.Equal(t, code, got.code, "%s: %s", path, got.stderr)
	}
	for _, path := range []string{".claude/settings.json", other + "/.orchestrator/boundary/policy.json", "~/.claude/settings.json", os.Args[0]} {
		got := p.hook(strings.NewReader(p.call("Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, path), asAgent)), "HOME="+t.TempDir())
		require.Equal(t, 2, got.code, "%s: %s", path, got.stderr)
		require.Contains(t, got.stderr, "[protected.path]")
	}
	inside := p.hook(strings.NewReader(strings.Replace(p.call("Bash", `{"command":"echo x > a.txt"}`), fmt.Sprintf("%q", root), fmt.Sprintf("%q", root+"/scratch"), 1)))
	require.Equal(t, 0, inside.code, "relative to where the client works: %s", inside.stderr)
}

func TestCommandLine(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	for _, args := range [][]string{{}, {"nobody"}, {"claude", "--frob"}, {"claude", "gemini"}, {"claude", "--root"},
		{"claude", "--answers"}, {"claude", "--answers", "yaml"}, {"claude", "--answers=", "json"}} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Dir, cmd.Env, cmd.Stdin = p.dir.Root, append(os.Environ(), "HOOK_CHILD=1", "GORACE=atexit_sleep_ms=0"), strings.NewReader(p.edit())
		out, err := cmd.CombinedOutput()
		require.Error(t, err, args)
		require.Equal(t, 2, cmd.ProcessState.ExitCode(), "%v: %s", args, out)
		require.Contains(t, string(out), "claude", args)
	}
	cmd := exec.Command(os.Args[0], "--root", p.dir.Root, "claude")
	cmd.Dir, cmd.Env, cmd.Stdin = "/", append(os.Environ(), "HOOK_CHILD=1", "GORACE=atexit_sleep_ms=0"), strings.NewReader(p.edit())
	require.Error(t, cmd.Run())
	require.Equal(t, 2, cmd.ProcessState.ExitCode())
}

// edits returns an edit by the main session as each client sends it.
func (p project) edits() map[string]string {
	return map[string]string{
		"claude":   p.edit(),
		"codex":    p.call("apply_patch", `{"command":"*** Begin Patch\n*** Update File: src/a.go\n@@\n-a\n+b\n*** End Patch\n"}`),
		"qwen":     p.call("edit", `{"file_path":"src/a.go"}`),
		"gemini":   strings.Replace(p.call("replace", `{"file_path":"src/a.go"}`), "PreToolUse", "BeforeTool", 1),
		"cursor":   fmt.Sprintf(`{"hook_event_name":"preToolUse","conversation_id":"c","cwd":%q,"tool_name":"Write","tool_input":{"file_path":"src/a.go"}}`, p.dir.Root),
		"copilot":  fmt.Sprintf(`{"timestamp":1,"cwd":%q,"toolName":"edit","toolArgs":"{\"path\":\"src/a.go\"}"}`, p.dir.Root),
		"opencode": fmt.Sprintf(`{"hook_event_name":"tool.execute.before","session_id":"s","cwd":%q,"tool":"edit","args":{"filePath":"src/a.go"},"actor":{"kind":"main"}}`, p.dir.Root),
	}
}

// Every client is answered in its own form.
func TestEveryClientBlocks(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	calls := p.edits()
	require.Len(t, calls, len(agentclient.Names()))
	for client, call := range calls {
		got := p.hookOf(client, strings.NewReader(call))
		require.Contains(t, got.stdout+got.stderr, "src/a.go", client)
		denies := got.code == 2 || strings.Contains(got.stdout, `"deny"`)
		require.True(t, denies, "%s: %+v", client, got)
	}
	require.Len(t, p.lines(), len(calls))
}

// Where no project has a boundary, nothing that a client does wrong is anybody's business.
func TestNoProject(t *testing.T) {
	p := project{t, folder.In(t.TempDir())}
	require.Equal(t, 0, p.hook(strings.NewReader("nonsense")).code)
	synctest.Test(t, func(t *testing.T) { // by a clock that goes on when all wait
		end := make(never)
		a := Run(Input{
			Client: "claude", Stdin: end, Getenv: func(string) string { return "" }, Cwd: p.dir.Root,
			Start: time.Now(), Now: time.Now, NewID: NewID,
		})
		require.Equal(t, 0, a.Exit)
		close(end)
	})
}

// Where the command line says so, Claude Code is given a block as a decision, and what cannot be judged as well; a
// client that calls what is registered for it is answered in its own form, and a command line that is wrong with exit
// code 2.
//
// Verifies: ORC-196
func TestAnswersAsJSON(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	denied := func(said string) string {
		var answer struct {
			Specific struct {
				Event    string `json:"hookEventName"`
				Decision string `json:"permissionDecision"`
				Reason   string `json:"permissionDecisionReason"`
			} `json:"hookSpecificOutput"`
		}
		require.NoError(t, json.Unmarshal([]byte(said), &answer), said)
		require.Equal(t, "PreToolUse deny", answer.Specific.Event+" "+answer.Specific.Decision)
		return answer.Specific.Reason
	}
	for _, line := range []string{"claude --answers json", "claude --answers=json", "--answers json claude"} {
		got := p.hookOf(line, strings.NewReader(p.edit()))
		require.Equal(t, reply{0, got.stdout, ""}, got)
		require.Contains(t, denied(got.stdout), "OPERATION BLOCKED: Edit on src/a.go")
		decision, err := client(t, "claude").Heard(agentclient.Answer{Stdout: []byte(got.stdout)})
		require.NoError(t, err)
		require.Equal(t, boundary.Block, decision)
		require.Equal(t, reply{}, p.hookOf(line, strings.NewReader(p.edit(asAgent))))
	}
	got := p.hookOf("claude --answers json", strings.NewReader("nonsense"))
	require.Equal(t, 0, got.code)
	require.Contains(t, denied(got.stdout), "could not be judged")
	require.Equal(t, 2, p.hookOf("claude --answers json --frob", strings.NewReader(p.edit())).code)
	require.Equal(t, 2, p.hookOf("claude", strings.NewReader(p.edit())).code, "without it exit code 2 stays")
	require.Equal(t, 2, p.hookOf("codex --answers json", strings.NewReader(p.edit())).code, "it has no other form")

	cursor := `{"hook_event_name":"PreToolUse","cursor_version":"2","conversation_id":"c","tool_name":"Write","tool_input":{"file_path":"src/a.go"}}`
	require.Contains(t, p.hookOf("claude --answers json", strings.NewReader(cursor)).stdout, `"permission":"deny"`)
}

func client(t *testing.T, name string) *agentclient.Client {
	t.Helper()
	c, found := agentclient.Named(name)
	require.True(t, found)
	return c
}
