// Package doctor finds out whether the boundary of a project does what it is for: whether an agent client has the hook
// registered so that it wakes on every tool, and whether the registered command line blocks what it is to block. It
// also exercises the ways out of the boundary. The journal and the policy of the project are never touched by its
// trials: they are made in copies.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/notice"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// Level is how bad a finding is.
type Level string

// The levels. A note is something to know that cannot be mended, or need not be.
const (
	OK    Level = "ok"
	Note  Level = "note"
	Fault Level = "fault"
)

// Finding is one thing that was looked at.
type Finding struct {
	Client string `json:"client,omitempty"`
	Level  Level  `json:"level"`
	What   string `json:"what"`
	Fix    string `json:"fix,omitempty"`
}

// Report is all that was looked at. Good is without a fault.
type Report struct {
	Root     string    `json:"root"`
	Good     bool      `json:"good"`
	Findings []Finding `json:"findings"`
}

// Faults returns how many findings are faults.
func (r *Report) Faults() (n int) {
	for _, f := range r.Findings {
		if f.Level == Fault {
			n++
		}
	}
	return n
}

// Unsound returns the error of a boundary with faults, or nil.
func (r *Report) Unsound() error {
	if r.Good {
		return nil
	}
	return fault.New(fault.Conflict, "boundary_unsound", "faults of the boundary: %d", r.Faults()).
		WithFix("follow the advice of each FAULT above")
}

// Options say what is examined.
type Options struct {
	Dir     folder.Dir
	Home    string                                              // the user's folder; "" for none
	Clients []string                                            // none: those that the hook is registered with
	Environ []string                                            // what hooks are started with
	Path    string                                              // where their programs are looked for
	Version func(ctx context.Context, client string) (v string) // of a client; "" is unknown

	From    string // the folder that is asked about, in the project; "" is the project's own
	Program string // the path of this program, whose hook is to be the one that answers; "" accepts any

	// Own is the path of this program. Where it is set, only its hook is tried, and no other line is started: what is
	// registered may have come with the repository. "" starts whatever is registered.
	Own string

	Brisk    time.Duration // within which a client is to be answered; 0 is a second
	Patience time.Duration // after which nobody waits any more for a hook; 0 is five seconds
}

// Examine looks at the policy, and at each client.
func Examine(ctx context.Context, o Options) (Report, error) {
	clients, err := named(o.Clients)
	if err != nil {
		return Report{}, err
	}
	o.Brisk, o.Patience = cmp.Or(o.Brisk, brisk), cmp.Or(o.Patience, patience)
	e := &examination{Options: o, report: Report{Root: o.Dir.Root, Findings: []Finding{}}}
	e.lookAtPolicy()
	e.lookAtEnvironment()
	e.lookAtJournal()
	e.lookAtNotice()
	if len(clients) == 0 {
		clients = slices.DeleteFunc(agentclient.All(), func(c *agentclient.Client) bool {
			registered, _, err := e.registered(c.Name)
			return err == nil && len(registered) == 0 && len(settings.Elsewhere(c.Name, e.settings())) == 0
		})
	}
	if len(clients) == 0 {
		e.say("", Fault, "orchestrator boundary install CLIENT registers it", "the hook is registered with no client")
	}
	for _, client := range clients {
		if err := e.lookAtClient(ctx, client); err != nil {
			return e.report, err
		}
	}
	e.report.Good = e.report.Faults() == 0
	return e.report, nil
}

// named returns the clients of some names.
func named(names []string) ([]*agentclient.Client, error) {
	var all []*agentclient.Client
	for _, name := range names {
		c, err := agentclient.Find(name)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

type examination struct {
	Options
	report Report
	policy *boundary.Policy       // nil where it cannot be read
	seen   map[string]report.Seen // by the client
}

// failsClosed reports whether what does not work is to block.
func (e *examination) failsClosed() bool { return e.policy != nil && e.policy.Mode.Blocks() }

// registered lists the entries in the project's settings of a client, and in the user's.
func (e *examination) registered(client string) (project, users []settings.Registration, err error) {
	o := e.settings()
	if project, err = settings.Registered(client, o); err != nil {
		return nil, nil, err
	}
	o.User = true
	users, err = settings.Registered(client, o)
	return append(project, users...), users, err
}

func (e *examination) say(client string, level Level, fix, format string, args ...any) {
	e.report.Findings = append(e.report.Findings, Finding{client, level, fmt.Sprintf(format, args...), fix})
}

func (e *examination) settings() settings.Options {
	return settings.Options{Root: e.Dir.Root, Home: e.Home}
}

func (e *examination) lookAtPolicy() {
	p, err := control.Policy(e.Dir)
	if err != nil {
		e.say("", Fault,
			"correct it, or move it away and run orchestrator boundary install CLIENT; until then no client "+
				"is tried", "the policy: %v", err)
		return
	}
	e.policy = &p
	e.say("", OK, "", "the policy can be read; the mode is %s", p.Mode)
	if p.Mode == boundary.Off {
		e.say("", Note, "orchestrator boundary mode validate --reason TEXT",
			"the boundary is off: nothing is judged or recorded")
	}
	e.lookAtMark()
}

// lookAtEnvironment looks at the variable that lifts the boundary, here, where clients may be started from.
func (e *examination) lookAtEnvironment() {
	if value, set := lookup(e.Environ, boundary.BypassVariable); set && value != "" {
		level, effect := e.lifting(value)
		e.say("", level, "unset it where you start clients, when the emergency is over",
			"%s=%.40q is set here; for a client started from here %s; the trials below are made without it",
			boundary.BypassVariable, value, effect)
	}
}

// lookAtVariables looks at that variable in the settings of a client, which sets it for every session.
func (e *examination) lookAtVariables(client string) {
	for _, v := range settings.Variables(client, boundary.BypassVariable, e.settings()) {
		if v.Value == "" {
			continue
		}
		level, effect := e.lifting(v.Value)
		e.say(client, level, "remove it from env in that file; for an emergency use "+
			"orchestrator boundary bypass --reason TEXT --for 30m, which ends by itself",
			"%s sets %s=%.40q: %s", v.File, boundary.BypassVariable, v.Value, effect)
	}
}

// lifting returns what a value of the variable does. Where the policy cannot be read, it may count.
func (e *examination) lifting(value string) (level Level, effect string) {
	switch {
	case value != "true":
		return Note, "it is ignored, as it counts when it is exactly true"
	case e.policy != nil && !e.policy.Bypass.Environment:
		return Note, "it is ignored, as the policy does not let it count"
	}
	return Fault, "in enforce nothing is blocked but changes of the boundary's own files"
}

// lookAtNotice sees whether sessions are told what holds now.
func (e *examination) lookAtNotice() {
	for _, name := range notice.Stale(e.Dir) {
		e.say("", Note, "orchestrator boundary install CLIENT updates it",
			"%s: the section on the boundary is out of date", name)
	}
}

// lookAtJournal sees by the past week whether clients heed the hook, and whether it did its work.
func (e *examination) lookAtJournal() {
	h, err := report.Read(e.Dir)
	if err != nil {
		e.say("", Fault, "make it readable for this user", "the journal: %v", err)
		return
	}
	e.seen = h.Clients
	r := h.Report(time.Now().AddDate(0, 0, -7))
	if r.Ran > 0 {
		e.say("", Fault,
			"see orchestrator boundary report --since 7d: another hook, or an old client, may overrule this hook",
			"%s of the past week ran although blocked: a client ignores the hook", fault.Count(r.Ran, "call"))
	}
	if r.Errors.Count > 0 {
		e.say("", Note, "see orchestrator boundary report --since 7d",
			"in the past week the hook failed in %d of %s", r.Errors.Count, fault.Count(r.Errors.Of, "run"))
	}
}

// lookAtClient looks at the registrations of one client, at its version, and tries what is registered.
func (e *examination) lookAtClient(ctx context.Context, c *agentclient.Client) error {
	client := c.Name
	entries, users, err := e.registered(client)
	if err != nil {
		e.say(client, Fault, "correct the file", "%v", err)
		return nil
	}
	entries = append(entries, e.otherFiles(client)...)
	before := slices.DeleteFunc(slices.Clone(entries),
		func(r settings.Registration) bool { return r.Event != c.Wiring.Before() })
	if len(before) == 0 {
		what := "the hook is not registered in this project"
		if len(entries) > 0 {
			what = fmt.Sprintf("the hook is registered, but not for %s: after a tool nothing can be prevented",
				c.Wiring.Before())
		}
		e.say(client, Fault, "orchestrator boundary install "+client, "%s", what)
		return nil
	}
	e.lookAtEntries(c, entries, before)
	e.lookAtRepeated(client, before, users)
	e.lookAtReach(c, len(users) > 0)
	e.lookAtTrust(c)
	e.lookAtCalls(c)
	e.lookAtVariables(client)
	e.lookAtMutes(c)
	e.lookAtVersion(ctx, c, before)
	if silentIn := c.Wiring.SilentIn; silentIn != "" && e.policy != nil && e.policy.Mode == boundary.Validate {
		e.say(client, Note, "orchestrator boundary report lists them",
			"it does not show the warnings of %s (%s)", boundary.Validate, silentIn)
	}
	for _, n := range c.Wiring.Notes {
		e.say(client, Note, "", "%s", n)
	}
	tried := map[string]bool{}
	for _, r := range before {
		if tried[r.Command] {
			continue
		}
		tried[r.Command] = true
		if err := e.try(ctx, c, r.Command); err != nil {
			return err
		}
	}
	return nil
}

// otherFiles returns the entries in other files: those that the client reads count, the others are said.
func (e *examination) otherFiles(client string) (read []settings.Registration) {
	for _, r := range settings.Elsewhere(client, e.settings()) {
		if i := slices.IndexFunc(r.Disabled, func(s string) bool {
			return s == client+" does not read "+r.File
		}); i >= 0 {
			e.say(client, Fault, "remove it there; orchestrator boundary install "+client+
				" registers it in the right file", "%s, where the hook is registered", r.Disabled[i])
			continue
		}
		e.say(client, Note, "orchestrator boundary install "+client+" registers it for everybody in the project",
			"%s: the hook is registered for %s there, only for this person", r.File, r.Event)
		read = append(read, r)
	}
	return read
}

func (e *examination) lookAtEntries(c *agentclient.Client, entries, before []settings.Registration) {
	client := c.Name
	install := "orchestrator boundary install " + client
	if wakes := slices.IndexFunc(before, func(r settings.Registration) bool {
		return wakesOnAll(r.Matcher)
	}); wakes < 0 {
		e.say(client, Fault, install+" registers it for every tool; the policy decides",
			"%s: its matcher %q leaves tools out: the hook does not judge those", before[0].File,
			before[0].Matcher)
	} else {
		e.say(client, OK, "", "%s: registered for %s, every tool%s", before[wakes].File, c.Wiring.Before(),
			starting(c, before[wakes].Command))
	}
	if !slices.ContainsFunc(entries, func(r settings.Registration) bool {
		return r.Event != c.Wiring.Before() && !c.Wiring.Ending(r.Event)
	}) {
		e.say(client, Note, install+" registers it after a tool as well",
			"it is not registered after a tool: the journal does not show whether a blocked call ran anyway")
	}
	const least, longest = time.Second, 2 * time.Minute
	for _, r := range entries {
		if r.Timeout != 0 && (r.Timeout < least || r.Timeout > longest) {
			e.say(client, Fault, install+" sets 5 s",
				"%s: the time limit of %s is %v: %s counts in units of %v; the hook answers within a second", r.File,
				r.Event, r.Timeout, client, c.Wiring.Unit)
		}
	}
	said := map[string]bool{}
	for _, r := range before {
		for _, d := range r.Disabled {
			if !said[d] {
				e.say(client, Fault, "switch hooks on again", "%s", d)
			}
			said[d] = true
		}
	}
}

// wakesOnAll reports whether a matcher leaves no tool out.
func wakesOnAll(matcher string) bool {
	return slices.Contains([]string{"", "*", ".*", "^.*$", ".+"}, matcher)
}

func (e *examination) lookAtVersion(ctx context.Context, c *agentclient.Client, before []settings.Registration) {
	client, wiring, version := c.Name, c.Wiring, e.Version(ctx, c.Name)
	option := wiring.FailClosed
	if option != nil && e.policy != nil && !e.failsClosed() && before[0].FailsClosed {
		e.say(client, Fault, "orchestrator boundary install "+client+" removes it",
			"%s is set although the mode is %s: when the hook breaks, every tool is blocked", option.Name,
			e.policy.Mode)
	}
	switch {
	case version == "" && (wiring.Since != "" || option != nil && option.Since != ""):
		e.say(client, Note, "put the client's program into PATH", "its version is unknown; %s", needs(wiring))
		if option != nil && e.failsClosed() && !before[0].FailsClosed {
			e.say(client, Fault, "put the client's program into PATH, and then: orchestrator boundary install "+client,
				"%s is not set: when the hook does not answer in time, the call is let through", option.Name)
		}
		return
	case version == "":
	case !settings.AtLeast(version, wiring.Since):
		e.say(client, Fault, "update it to "+wiring.Since+" or later", "version %s %s", version, wiring.Lacks)
	default:
		e.say(client, OK, "", "version %s", version)
	}
	if option != nil && e.failsClosed() {
		e.lookAtFailClosed(client, version, option, before[0].FailsClosed)
	}
}

// lookAtFailClosed looks at what makes the client block when the hook does not answer in time; the registered line does
// when the hook breaks otherwise.
func (e *examination) lookAtFailClosed(client, version string, option *agentclient.Option, set bool) {
	switch {
	case !settings.AtLeast(version, option.Since):
		e.say(client, Note, "update it to "+option.Since+" or later, and install again",
			"version %s has no %s: when the hook does not answer in time, the call is let through", version,
			option.Name)
	case !set:
		e.say(client, Fault, "orchestrator boundary install "+client+" adds it",
			"%s is not set: when the hook does not answer in time, the call is let through", option.Name)
	}
}
