package control

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/secret"
)

// Change is what a person does to the boundary of a project, and why.
type Change struct {
	By     string
	Reason string
	At     time.Time
	ID     string // of the line in the journal
}

// ByPerson refuses a change of the boundary in the environment of a command that an agent client runs: what a target of
// make or a test does is not judged, and is not to lift what is.
func ByPerson(command string, getenv func(string) string) error {
	variable := agentclient.SessionVariable(getenv)
	if variable == "" {
		return nil
	}
	return fault.Misuse("%s is set, so an agent client runs this, and %s is a person's to give", variable, command).
		WithFix("type it in a terminal of your own, which no agent client has opened")
}

// maxReason is the most bytes of what a person writes: a line of the journal has room for two of them, control
// characters or not.
const maxReason = 1000

func (c Change) check() error {
	if strings.TrimSpace(c.Reason) == "" {
		return fault.New(fault.Invalid, "reason_required",
			"a change of the boundary needs a reason, which goes on record").
			WithFix("give it with --reason TEXT, or as reason in a request")
	}
	return checkText("reason", c.Reason)
}

func checkText(what, text string) error {
	if len(text) > maxReason {
		return fault.New(fault.Invalid, "reason_too_long", "the %s has %d bytes; at most %d are allowed", what,
			len(text), maxReason).
			WithFix("shorten it, and name a document with the rest")
	}
	return secret.Refuse(what, "/"+what, text)
}

func (c Change) line(kind string) folder.Line {
	return folder.Line{ID: c.ID, At: c.At.UTC().Truncate(time.Microsecond), Kind: kind, By: c.By, Reason: c.Reason}
}

// day returns the date of the change.
func (c Change) day() string { return c.At.UTC().Format(time.DateOnly) }

// CodeNoBoundary is the code of a project without a boundary.
const CodeNoBoundary fault.Code = "no_boundary"

// Policy returns the policy of a project; that there is none is said with what to do.
func Policy(dir folder.Dir) (boundary.Policy, error) {
	p, err := dir.Policy()
	if errors.Is(err, fs.ErrNotExist) {
		return p, fault.New(fault.NotFound, CodeNoBoundary, "the project has no .orchestrator/boundary/policy.json").
			WithFix("orchestrator boundary install CLIENT sets it up, in validate: nothing is blocked")
	}
	return p, err
}

// SetUp makes the folder of a project with a policy, unless it has one, and notes in which mode the project begins.
func SetUp(dir folder.Dir, p boundary.Policy, c Change) (made bool, err error) {
	p.ModeSince = c.day()
	if made, err = dir.Make(p); err != nil || !made {
		return made, err
	}
	l := c.line(folder.KindMode)
	l.Mode = p.Mode
	return true, dir.Append(l)
}

// SetMode switches the mode and nothing that follows it. To confirm or enforce needs readiness by the history, or a
// reason to override that. The switch is noted before it is made.
func SetMode(dir folder.Dir, to boundary.Mode, override string, c Change,
	history func() (*report.History, error)) (from boundary.Mode, err error) {
	s := Switch{To: to, Override: override, Change: c, History: history}
	if err := s.check(dir); err != nil {
		return "", err
	}
	unlock, err := Lock(dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	return s.set(dir)
}

// check refuses a switch before a lock is made in a folder that has no boundary.
func (s Switch) check(dir folder.Dir) error {
	if err := s.Change.check(); err != nil {
		return err
	}
	if !slices.Contains(boundary.Modes(), s.To) {
		return fault.New(fault.Invalid, "unknown_mode", "there is no mode %q", fault.Clip(string(s.To), 64)).
			WithFix("give off, validate, confirm or enforce")
	}
	if err := checkText("override", s.Override); err != nil {
		return err
	}
	_, err := Policy(dir)
	if s.wayOut(dir, err) {
		return dir.MakeFolder()
	}
	return err
}

// set notes the switch and makes it. The caller holds Lock.
func (s Switch) set(dir folder.Dir) (from boundary.Mode, err error) {
	p, err := Policy(dir)
	switch {
	case s.wayOut(dir, err):
		return s.replace(dir)
	case err != nil:
		return "", err
	case p.Mode == s.To:
		return p.Mode, s.settle(dir, p)
	}
	if err := mayBlock(s.To, s.History, &p, s.Override, s.Change.At); err != nil {
		return p.Mode, err
	}
	if err := s.note(dir, p.Mode); err != nil {
		return p.Mode, err
	}
	from, p.Mode, p.ModeSince = p.Mode, s.To, s.Change.day()
	return from, dir.WritePolicy(p)
}

// Label notes what a person says of a decision, which is named by its id or by the beginning of it.
func Label(dir folder.Dir, id, label string, c Change) (report.Decision, error) {
	if !slices.Contains(report.KnownLabels(), label) {
		return report.Decision{}, fault.New(fault.Invalid, "unknown_label", "there is no label %q", label).
			WithFix("give one of %s", strings.Join(report.KnownLabels(), ", "))
	}
	if label != report.LabelCorrect && strings.TrimSpace(c.Reason) == "" {
		return report.Decision{}, fault.New(fault.Invalid, "reason_required",
			"a label other than correct needs a note").WithFix("give it with --note TEXT")
	}
	if err := checkText("note", c.Reason); err != nil {
		return report.Decision{}, err
	}
	h, err := report.Read(dir)
	if err != nil {
		return report.Decision{}, err
	}
	d, n := h.Find(id)
	if n != 1 {
		return d, notOne(id, n)
	}
	l := c.line(folder.KindLabel)
	l.Of, l.What = d.ID, label
	return d, dir.Append(l)
}

// notOne returns the error for an id, or its beginning, that n decisions have.
func notOne(id string, n int) error {
	if id = fault.Clip(id, 40); n == 0 {
		return fault.New(fault.NotFound, "unknown_decision", "no decision has the id %q", id).
			WithFix("orchestrator boundary decisions lists the ids")
	}
	return fault.New(fault.NotFound, "unknown_decision", "the ids of %s begin with %q",
		fault.Count(n, "decision"), id).
		WithFix("give more of the id; orchestrator boundary decisions lists the ids")
}

// NoteDrill notes that a way out of the boundary was exercised, and how many microseconds it took.
func NoteDrill(dir folder.Dir, what string, micros int64, c Change) error {
	l := c.line(folder.KindDrill)
	l.What, l.Micros = what, micros
	return dir.Append(l)
}

// What happened to the hook in a client's settings.
const (
	Installed   = folder.HookInstalled
	Removed     = folder.HookRemoved
	FailsClosed = folder.HookFailsClosed
	FailsOpen   = folder.HookFailsOpen
	Failed      = folder.HookFailed
)

// NoteInstallation notes that the hook was registered with a client, or taken out again, and the client's version as
// far as it is known.
func NoteInstallation(dir folder.Dir, client, version, what string, c Change) error {
	l := c.line(folder.KindInstallation)
	l.Client, l.Version, l.What = client, version, what
	return dir.Append(l)
}
