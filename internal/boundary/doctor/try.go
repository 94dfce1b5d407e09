package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/tree"
)

// How long a trial may take where Options does not say otherwise.
const (
	brisk    = time.Second
	patience = 5 * time.Second
)

// trial is one canned call.
type trial struct {
	what  string // a sentence begins with it
	mode  boundary.Mode
	agent bool
	edit  bool
	tool  func(agentclient.Calls) string // nil is garbage
}

func edits(c agentclient.Calls) string { return c.Edit }
func reads(c agentclient.Calls) string { return c.Read }

var trials = []trial{
	{"in enforce, an edit by the main session", boundary.Enforce, false, true, edits},
	{"in enforce, an edit by an agent", boundary.Enforce, true, true, edits},
	{"in enforce, a read", boundary.Enforce, false, false, reads},
	{"in enforce, a call that cannot be read", boundary.Enforce, false, false, nil},
	{"in validate, an edit by the main session", boundary.Validate, false, true, edits},
	{"in validate, a call that cannot be read", boundary.Validate, false, false, nil},
}

// call returns what the client would send, in the project at root.
func (t trial) call(c agentclient.Calls, root string) []byte {
	switch {
	case t.tool == nil:
		return []byte(garbage)
	case t.agent:
		return call(root, c.Head, c.Agent, t.tool(c))
	}
	return call(root, c.Head, c.Main, t.tool(c))
}

// patient is a client under examination, with the command line that is tried.
type patient struct {
	*agentclient.Client
	line line
}

// try pipes canned calls through a registered command line, each in a copy of the project's boundary.
func (e *examination) try(ctx context.Context, c *agentclient.Client, command string) error {
	if e.policy == nil {
		return nil
	}
	client, environ := c.Name, e.Environ
	if project := c.Wiring.Project; project != "" {
		environ = append(without(environ, project), project+"="+e.Dir.Root)
	}
	l, program, err := e.read(c, command, environ)
	if err != nil {
		e.say(client, Fault, "orchestrator boundary install "+client+" registers the program where it is now",
			"%s cannot be run: %v", shortened(command), err)
		return nil
	}
	if l.other {
		e.say(client, Note, "orchestrator boundary install "+client+" renews it",
			"the command line was registered by another version of this program, or changed since")
	} else {
		e.lookAtProgram(client, program)
	}
	if e.Own != "" {
		if why := l.foreign(client, program, e.Own); why != "" {
			e.say(client, Fault, "read the line first, it may have come with the repository; orchestrator boundary install "+
				client+" registers the hook of this program, and orchestrator boundary doctor starts whatever is registered",
				"%s is not tried: %s", shortened(command), why)
			return nil
		}
	}
	p := patient{c, l}
	if text, _ := l.at(e.Dir.Root, "COPY", c.Wiring, nil); text != l.text {
		e.say(client, OK, "", "it is tried as %s, since the line as registered would use the project itself", text)
	}
	for _, t := range trials {
		if t.agent && c.Calls.Agent == "" {
			continue // it does not tell agents; the notes about the client say so
		}
		if answered, err := e.tryOne(ctx, p, t); err != nil || !answered {
			return err
		}
	}
	return nil
}

// tryOne makes one trial, and reports whether there was an answer at all. It returns an error if the trial could not be
// made.
func (e *examination) tryOne(ctx context.Context, p patient, t trial) (answered bool, err error) {
	dir, remove, err := copied(*e.policy, t.mode)
	if err != nil {
		return false, err
	}
	defer remove()
	if err := copyLinks(e.Dir, dir); err != nil {
		return false, err
	}
	raw := t.call(p.Calls, dir.Root)
	want, err := e.wanted(p, t, raw, dir)
	if err != nil {
		return false, err
	}
	text, env := p.line.at(e.Dir.Root, dir.Root, p.Wiring, without(e.Environ, boundary.BypassVariable))
	a, took, err := e.run(ctx, text, dir.Root, env, raw)
	for again := 0; again < 2 && err == nil && took > e.Brisk; again++ { // the first start of a program may be slow
		a, took, err = e.run(ctx, text, dir.Root, env, raw)
	}
	got := boundary.Decision("")
	if answered = err == nil; answered {
		got, err = p.Client.Heard(a)
	}
	const broken = "make the registered line start this program's hook and nothing else: orchestrator boundary install "
	switch {
	case err != nil:
		e.say(p.Name, Fault, broken+p.Name, "%s: %v", t.what, err)
	case got != want:
		e.say(p.Name, Fault, broken+p.Name, "%s is %s, and should be %s", t.what, words[got], words[want])
	case took > e.Brisk:
		e.say(p.Name, Fault, "free the machine or its disk", "%s is %s after %v, and should be within %v", t.what,
			words[got], took.Round(time.Millisecond), e.Brisk)
	case want == boundary.Allow && noisy(p.Client, a):
		e.say(p.Name, Fault, broken+p.Name,
			"%s is let through, and something is printed, which the client takes as an answer: %.100q", t.what,
			append(a.Stdout, a.Stderr...))
	default:
		e.sayAsWanted(p, t, want, fmt.Sprintf("%s is %s (%v)", t.what, words[want], took.Round(100*time.Microsecond)))
	}
	return answered, nil
}

// wanted returns what is to become of a call under the project's policy.
func (e *examination) wanted(p patient, t trial, raw []byte, dir folder.Dir) (boundary.Decision, error) {
	want := boundary.Block
	if t.tool != nil {
		v, _, err := hook.Explain(p.Name, raw, dir, *e.policy)
		if err != nil {
			return "", err
		}
		want = v.Would
	}
	switch {
	case want == boundary.Allow:
		return boundary.Allow, nil
	case t.mode == boundary.Validate:
		return boundary.Warn, nil
	}
	return p.Client.Heard(p.Answer(agentclient.Before, want, "")) // one that cannot ask blocks
}

var words = map[boundary.Decision]string{
	boundary.Allow: "let through, and nothing is said", boundary.Warn: "let through with a warning",
	boundary.Ask: "left to the person", boundary.Block: "blocked",
}

// noisy reports whether more is printed than the client has to be told.
func noisy(c *agentclient.Client, a agentclient.Answer) bool {
	silent := c.Answer(agentclient.Before, boundary.Allow, "")
	return !bytes.Equal(a.Stdout, silent.Stdout) || len(a.Stderr) > 0
}

// sayAsWanted reports what is as the policy has it. Where the policy itself leaves the main session a free hand, or
// agents none, that too.
func (e *examination) sayAsWanted(p patient, t trial, want boundary.Decision, what string) {
	level, fix := OK, ""
	switch edit := t.edit && t.mode == boundary.Enforce; {
	case edit && !t.agent && want == boundary.Allow:
		level, fix = Note, "see exempt_paths, blocked_tools and unknown_actor in the policy: it does not keep the main session from editing"
	case edit && t.agent && want != boundary.Allow:
		level, fix = Note, "see agents in the policy: those of the client's general type cannot edit"
	}
	e.say(p.Name, level, fix, "%s", what)
}

// copied makes a project of its own with the policy in a mode; remove ends it.
func copied(p boundary.Policy, mode boundary.Mode) (dir folder.Dir, remove func(), err error) {
	made, err := os.MkdirTemp("", "orchestrator-boundary-")
	if err != nil {
		return dir, nil, err
	}
	remove = func() { _ = os.RemoveAll(made) }
	p.Mode = mode
	dir = folder.In(tree.Real(made))
	if _, err = dir.Make(p); err != nil {
		remove()
	}
	return dir, remove, err
}

// run starts a command line as a client does, and kills it with its children after e.Patience.
func (e *examination) run(ctx context.Context, text, cwd string, env []string,
	stdin []byte) (a agentclient.Answer, took time.Duration, err error) {
	const most = 64 << 10
	ctx, cancel := context.WithTimeout(ctx, e.Patience)
	defer cancel()
	out, errs := git.Output{Most: most, Cut: true}, git.Output{Most: most, Cut: true}
	cmd := exec.CommandContext(ctx, "sh", "-c", text)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = cwd, env, bytes.NewReader(stdin), &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond
	start := time.Now()
	err = cmd.Run()
	took = time.Since(start)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return a, took, fmt.Errorf("no answer within %v", e.Patience)
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return a, took, err
	}
	return agentclient.Answer{Stdout: []byte(out.String()), Stderr: []byte(errs.String()),
		Exit: cmd.ProcessState.ExitCode()}, took, nil
}
