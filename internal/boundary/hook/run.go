// Package hook judges one call of an agent client's tool from end to end: it finds the project, reads its policy and
// the call, judges, notes the decision in the journal, and answers in the client's own form.
//
// It needs no server, no store and no network. Whatever happens, it answers within Deadline and with exit code 0 or 2:
// a client takes any other code, a crash or a time-out for leave to go on. In a project whose mode blocks, what cannot
// be read is blocked.
package hook

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/roster"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// Deadline is the longest time from Input.Start to an answer, unless Input.Within sets another.
const Deadline = 900 * time.Millisecond

// MaxInput is the most bytes of a call that are read.
const MaxInput = 32 << 20

// Input is what a hook's process is given.
type Input struct {
	Client     string
	Root       string // of the project; "" finds it
	JSON       bool   // the client takes every answer as JSON: agentclient.Client.AsJSON
	Stdin      io.Reader
	Getenv     func(string) string
	Cwd        string
	Getwd      func() string // returns Cwd where that is "" and it is needed, which it rarely is; nil is no folder
	Home       string        // "" when there is none
	Start      time.Time
	Within     time.Duration // how long after Start an answer is given at the latest; 0 is Deadline
	Now        func() time.Time
	NewID      func() string
	Executable func() string // returns the path of the running program; "" when that cannot be told
}

// Run answers one call.
func Run(in Input) agentclient.Answer {
	r, err := begin(in)
	if err != nil {
		return agentclient.Answer{Exit: 2, Stderr: fmt.Appendln(nil, "orchestrator hook:", err)}
	}
	answers := make(chan agentclient.Answer, 1)
	give := func(a agentclient.Answer) { answers <- a }
	go func() {
		if a, first := r.within(give); first {
			give(a)
		}
	}()
	return <-answers
}

// begin returns the run of a call.
func begin(in Input) (*run, error) {
	client, known := agentclient.Named(in.Client)
	if !known {
		return nil, fmt.Errorf("there is no client %q; the clients are %s: mend the command in the client's settings",
			in.Client, strings.Join(agentclient.Names(), ", "))
	}
	in.Within = cmp.Or(in.Within, Deadline)
	r := &run{Input: in}
	r.answering(client)
	r.blocks.Store(true) // until the project is known: what cannot be told is blocked
	return r, nil
}

// run is one call. What stands in atomics is read when the deadline has passed, while the rest may still be at work.
type run struct {
	Input
	blocks atomic.Bool                        // what cannot be judged: the mode of the policy does, or a mark
	client atomic.Pointer[agentclient.Client] // who is answered
	dir    atomic.Pointer[folder.Dir]
	lifted atomic.Bool // by the environment variable
	state  atomic.Int32
	waited time.Duration // for the client to write the call, which is not the hook's time; known once it is read
}

// answering notes which client is answered.
func (r *run) answering(c *agentclient.Client) {
	if r.JSON {
		c = c.AsJSON()
	}
	r.client.Store(c)
}

// answerSafely calls answer, and turns a panic into a failure like any other.
func (r *run) answerSafely() (a agentclient.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = r.failed(fmt.Errorf("internal error: %v", p))
		}
	}()
	return r.answer()
}

func (r *run) answer() agentclient.Answer {
	var at governed
	dir, found := folder.FindFor(r.Root, r.Getenv)
	if !found && r.Root == "" {
		dir, found = folder.Find(r.cwd())
	}
	if found {
		at = r.know(dir)
	} else {
		r.blocks.Store(false)
	}
	event, err := r.read()
	if own, known := agentclient.Named(event.Client); known && err == nil {
		r.answering(own) // a client can call what is registered for another one, and is answered as itself
	}
	if !found {
		if dir, found = folder.FindFor(r.Root, r.Getenv, event.Cwd, r.cwd()); !found {
			return r.client.Load().Answer(event.When, boundary.Allow, "") // no project with a boundary
		}
		at = r.know(dir)
	}
	return r.decide(at, event, err)
}

// cwd returns the folder in which the client has started the hook.
func (r *run) cwd() string {
	if r.Cwd == "" && r.Getwd != nil {
		r.Cwd = r.Getwd()
	}
	return r.Cwd
}

// read reads the call.
func (r *run) read() (event agentclient.Event, err error) {
	from := r.Now()
	raw, err := io.ReadAll(io.LimitReader(r.Stdin, MaxInput+1))
	r.waited = r.Now().Sub(from)
	switch {
	case err != nil:
		return event, err
	case len(raw) > MaxInput:
		return event, fmt.Errorf("the call has more than %d bytes", MaxInput)
	}
	return r.client.Load().Parse(raw)
}

// governed is a project that has a boundary.
type governed struct {
	dir      folder.Dir
	policy   boundary.Policy
	unusable error // what is wrong with the policy
}

// know notes the project of a call, and reads its policy. That comes before the call is read where it can: a call that
// comes late is answered by the mode of the policy, which need not be marked yet.
func (r *run) know(dir folder.Dir) governed {
	r.dir.Store(&dir)
	policy, err := dir.Policy()
	// a policy that cannot be read forbids no way out
	r.lifted.Store(r.Getenv(boundary.BypassVariable) == "true" && (err != nil || policy.Bypass.Environment))
	if err == nil {
		r.blocks.Store(policy.Mode.Blocks())
	} else {
		r.blocks.Store(dir.IsMarked())
	}
	return governed{dir, policy, err}
}

// decide answers a call in a project that has a boundary. unread is what kept the call from being read.
func (r *run) decide(at governed, event agentclient.Event, unread error) agentclient.Answer {
	dir, policy, err := at.dir, at.policy, at.unusable
	switch {
	case errors.Is(err, fs.ErrNotExist) && !r.blocks.Load():
		return r.client.Load().Answer(event.When, boundary.Allow, "") // not set up
	case errors.Is(err, fs.ErrNotExist):
		return r.failed(fmt.Errorf(
			"the project enforces its boundary, and its policy is missing: put policy.json back into %s, or have "+
				"orchestrator boundary install make a new one", dir.Path()))
	case err != nil:
		return r.failed(err)
	}
	if policy.Mode.Blocks() {
		_ = folder.Adopt(dir, r.NewID, r.Now) // a policy that was written by hand, or cloned, has no mark
	}
	switch {
	case policy.Mode == boundary.Off:
		return r.client.Load().Answer(event.When, boundary.Allow, "")
	case unread != nil:
		return r.failed(unread)
	case event.When == agentclient.Before:
		return r.judge(dir, policy, event)
	case event.When == agentclient.After || event.When == agentclient.Failed:
		r.outcome(dir, event)
	}
	return r.client.Load().Answer(event.When, boundary.Allow, "")
}

// judge judges the call, notes that, and answers.
func (r *run) judge(dir folder.Dir, policy boundary.Policy, event agentclient.Event) agentclient.Answer {
	from := ""
	if !filepath.IsAbs(event.Cwd) {
		from = r.cwd()
	}
	resolver := newResolver(dir.Root, event.Cwd, from, r.Home).under(&policy).withTokens(r.Getenv)
	call := callOf(event, resolver, r.Now())
	call.BypassEnv = r.Getenv(boundary.BypassVariable)
	grants, grantsErr := dir.Grants()
	call.Grants = grants
	if policy.MayChange(call) {
		call.Guarded = resolver.guarded(r.executable())
	}

	verdict := resolver.judge(&policy, call, boundary.Judge)
	if verdict.Decision == boundary.Ask && !r.client.Load().Asks() {
		verdict.Decision = boundary.Block // nobody can be asked: the message and the journal say what happens
	}
	if !r.claim(judged) {
		return agentclient.Answer{} // the deadline has answered
	}
	noteErr := dir.Append(decisionLine(r.NewID(), event, call, policy.Mode, verdict,
		r.Now().Sub(r.Start)-r.waited))
	if noteErr != nil && verdict.Bypass != "" && cmp.Or(verdict.Mode, policy.Mode).Blocks() {
		verdict.Decision, verdict.Bypass = verdict.Would, "" // every use is on record, or there is none
	}
	decision, message := r.told(dir, &policy, call, verdict)
	if decision == boundary.Allow {
		return r.client.Load().Answer(agentclient.Before, boundary.Allow, "")
	}
	for _, note := range []string{
		ignored(call.BypassEnv, policy), failure("The bypasses are not in force: ", grantsErr), failure("This decision is not on record: ", noteErr),
	} {
		if note != "" {
			message = boundary.WithNote(message, note)
		}
	}
	return r.client.Load().Answer(agentclient.Before, decision, message)
}

func (r *run) executable() string {
	if r.Executable == nil {
		return ""
	}
	return r.Executable()
}

// told returns how a decision is answered, and with which words. What a bypass let through is answered with a warning:
// whoever works under one is to know that at every call.
func (r *run) told(dir folder.Dir, p *boundary.Policy, c boundary.Call, v boundary.Verdict) (d boundary.Decision,
	message string) {
	switch {
	case v.Decision != boundary.Allow:
		c.Delegation = roster.Of(r.client.Load(), dir.Root, r.Home)
		return v.Decision, boundary.Message(p, c, v)
	case v.Bypass != "":
		return boundary.Warn, boundary.Bypassed(p, c, v)
	}
	return boundary.Allow, ""
}

// ignored returns the remark that the environment variable does not count.
func ignored(value string, policy boundary.Policy) string {
	switch {
	case value == "" || value == "true" && policy.Bypass.Environment:
		return ""
	case policy.Bypass.Environment:
		return fmt.Sprintf("%s=%.40q is ignored: it counts when it is exactly true", boundary.BypassVariable, value)
	}
	return boundary.BypassVariable + " is ignored: the policy forbids it"
}

// failure returns what an error keeps from working, or "" without one.
func failure(what string, err error) string {
	if err == nil {
		return ""
	}
	return what + err.Error()
}

// outcome notes what became of a call that was let through.
func (r *run) outcome(dir folder.Dir, event agentclient.Event) {
	what := folder.OutcomeDone
	if event.When == agentclient.Failed {
		what = folder.OutcomeFailed
	}
	l := lineOf(r.NewID(), folder.KindOutcome, event, r.Now())
	l.What = what
	_ = dir.Append(l) // nothing depends on it, and after the tool nobody can be told
}

// failed answers what could not be judged, or not be told after that.
func (r *run) failed(cause error) agentclient.Answer {
	if !r.claim(judged) && r.state.Load() == answered {
		return agentclient.Answer{}
	}
	return r.failure(cause)
}

// failure notes what kept the call from being judged, and answers.
func (r *run) failure(cause error) agentclient.Answer {
	if dir := r.dir.Load(); dir != nil {
		l := folder.Line{
			ID: r.NewID(), At: r.Now().UTC().Truncate(time.Microsecond), Kind: folder.KindError, Client: r.Client,
			Reason: fault.Clip(cause.Error(), maxWhy), Micros: r.Now().Sub(r.Start).Microseconds(),
		}
		if r.blocks.Load() && r.lifted.Load() {
			l.What = boundary.ByEnvironment
		}
		noted := make(chan struct{})
		go func() { _ = dir.Append(l); close(noted) }()
		select {
		case <-noted:
		case <-time.After(r.noting()): // a disk that does not answer keeps nobody waiting
		}
	}
	return r.refusal(cause)
}

// refusal blocks in an enforcing project, unless the environment variable lifts the boundary, and lets through
// elsewhere.
func (r *run) refusal(cause error) agentclient.Answer {
	switch {
	case !r.blocks.Load():
		return agentclient.Answer{Stderr: []byte(boundary.Failure(cause.Error(), false) + "\n")}
	case r.lifted.Load():
		return r.client.Load().Answer(agentclient.Before, boundary.Warn, boundary.FailureBypassed(cause.Error()))
	}
	return r.client.Load().Answer(agentclient.Before, boundary.Block, boundary.Failure(cause.Error(), true))
}
