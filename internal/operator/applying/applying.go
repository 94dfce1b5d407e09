// Package applying sends a plan: a file of changes, each in the name of a role.
//
// It can be run again at any time. Each line has an Idempotency-Key that comes from its content and its place among the
// lines of its requirement, so the service gives its first answer again. Where it has forgotten the key, the log tells
// whether the change was made. A line that was refused is sent anew.
package applying

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/system/tree"
)

// What can become of a line.
const (
	Sent     = "sent"     // it was accepted now; in a dry run, it would be
	There    = "there"    // it was accepted before
	Refused  = "refused"  //
	Left     = "left"     // it was not sent, since a line before it was refused
	NotAsked = "not sent" // the service was lost before
)

// maxReport is the most bytes of a test report, as the service takes it.
const maxReport = 8 << 20

// Client asks the service in the name of one role.
type Client interface {
	Send(ctx context.Context, r apiclient.Request) (apiclient.Answer, error)
}

// Options are the choices of whoever asks.
type Options struct {
	Clients  map[adoption.Role]Client // of all roles of the plan
	DryRun   bool
	Progress func(done, total int) // may be nil
}

// Report says what became of a plan.
type Report struct {
	DryRun       bool          `json:"dry_run"`
	Lines        []Line        `json:"lines"`        // as the plan has them
	Requirements []Requirement `json:"requirements"` // in the order of their first lines
	Sent         int           `json:"sent"`
	There        int           `json:"there"`
	Refused      int           `json:"refused"`
	Left         int           `json:"left"`
}

// Line is what became of one line.
type Line struct {
	Line        int           `json:"line"` // its number in the file
	Requirement string        `json:"requirement"`
	Role        adoption.Role `json:"role"`
	What        string        `json:"what"` // the status or the field that it is about
	Outcome     string        `json:"outcome"`
	Revision    uint64        `json:"revision,omitzero"` // that the requirement has by it
	Refusal     *Refusal      `json:"refusal,omitempty"`
}

// Refusal is why a line was refused, and what can be done.
type Refusal struct {
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
	Fix    string     `json:"fix,omitempty"`
}

// Requirement is what became of the lines of one requirement.
type Requirement struct {
	ID       string   `json:"id"`
	Status   string   `json:"status,omitempty"` // that it has by the last accepted line
	Revision uint64   `json:"revision,omitzero"`
	Sent     int      `json:"sent"`
	There    int      `json:"there"`
	Left     int      `json:"left"`
	Stopped  *Stopped `json:"stopped,omitempty"`
}

// Stopped is the line that was refused.
type Stopped struct {
	Line int `json:"line"`
	Refusal
}

// Err returns the error of a plan of which lines were refused, or nil.
func (r Report) Err() error {
	if r.Refused == 0 {
		return nil
	}
	fix := "mend what the lines above say, then apply the plan again: it goes on where it stood"
	if r.DryRun {
		fix = "mend what the lines above say, or write the plan anew"
	}
	return fault.New(fault.Conflict, "plan_refused", "lines that were refused: %d; lines that were left for them: %d",
		r.Refused, r.Left).WithFix("%s", fix)
}

// Run sends the lines of a plan in their order. A refusal stops the lines of its requirement alone. The error is that
// of a service that cannot be asked; the report says how far it came.
func Run(ctx context.Context, plan []adoption.Line, o Options) (Report, error) {
	a := &application{Options: o, at: map[string]*state{},
		report: Report{DryRun: o.DryRun, Lines: []Line{}, Requirements: []Requirement{}}}
	if o.DryRun {
		return a.rehearse(ctx, plan)
	}
	var lost error
	for n, l := range plan {
		s := a.of(l)
		became := Line{Line: l.Number, Requirement: l.Requirement, Role: l.Role, What: what(l), Outcome: Left}
		switch {
		case lost != nil:
			became.Outcome = NotAsked
		case s.Stopped == nil:
			lost = a.line(ctx, s, l, &became)
		}
		s.count(became)
		a.report.add(became)
		if o.Progress != nil {
			o.Progress(n+1, len(plan))
		}
	}
	return a.finished(), lost
}

// application is a plan under way.
type application struct {
	Options
	at     map[string]*state // by the requirement as the plan names it
	order  []*state
	report Report
}

// state is what is known of a requirement.
type state struct {
	Requirement
	place int // of the next line among its lines
	known bool
	log   *history
}

func (a *application) of(l adoption.Line) *state {
	s := a.at[l.Requirement]
	if s == nil {
		s = &state{Requirement: Requirement{ID: l.Requirement}}
		a.at[l.Requirement] = s
		a.order = append(a.order, s)
	}
	s.place++
	return s
}

func (a *application) finished() Report {
	for _, s := range a.order {
		a.report.Requirements = append(a.report.Requirements, s.Requirement)
	}
	return a.report
}

func (r *Report) add(l Line) {
	r.Lines = append(r.Lines, l)
	switch l.Outcome {
	case Sent:
		r.Sent++
	case There:
		r.There++
	case Refused:
		r.Refused++
	default:
		r.Left++
	}
}

func (s *state) count(l Line) {
	switch l.Outcome {
	case Sent:
		s.Sent++
	case There:
		s.There++
	case Left, NotAsked:
		s.Left++
	case Refused:
		s.Stopped = &Stopped{l.Line, *l.Refusal}
	}
}

// fields name what a line without a status is about, the first that it has.
var fields = []string{
	"design_spec", "implementation", "test", "approvals", "accept_fingerprint", "deviations", "pm_notes",
}

// what says in a word what a line changes.
func what(l adoption.Line) string {
	if l.Report != nil {
		return "report"
	}
	var members struct {
		Status string `json:"status"`
	}
	if jsonv2.Unmarshal(l.Request, &members) == nil && members.Status != "" {
		return members.Status
	}
	var all map[string]any
	_ = jsonv2.Unmarshal(l.Request, &all) // the plan was read strictly
	for _, field := range fields {
		if _, there := all[field]; there {
			return field
		}
	}
	return "change"
}

// order is a line as it is sent.
type order struct {
	body    []byte
	options string // of a report, as the service compares them
	below   string // the path behind that of the requirement
	method  string
	media   string
}

// orderOf reads what a line sends.
func orderOf(ctx context.Context, l adoption.Line) (order, error) {
	if l.Report == nil {
		return order{body: l.Request, method: "PATCH"}, nil
	}
	o := order{method: "POST", below: "/test-report", media: "application/octet-stream"}
	content, err := readReport(ctx, *l.Report)
	if err != nil {
		return o, err
	}
	query := url.Values{}
	for name, value := range map[string]string{"commit": l.Report.Commit, "tests": l.Report.Tests} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		o.below += "?" + query.Encode()
		o.options = l.Report.Commit + "\x00" + l.Report.Tests
	}
	o.body = content
	return o, nil
}

// readReport reads a report, which must be the one that the plan was made with.
func readReport(ctx context.Context, r adoption.ReportFile) ([]byte, error) {
	content, err := readInside(ctx, r.Path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "report_unreadable", "the report %s cannot be read", r.Path).
			WithFix("put it back, or run the tests and write the plan anew with orchestrator adopt --report FILE").
			Because(err)
	}
	if sum := digestOf(content); r.SHA256 != "" && sum != r.SHA256 {
		return nil, fault.New(fault.Invalid, "report_changed",
			"the report %s has changed since the plan was written", r.Path).
			WithFix("write the plan anew with orchestrator adopt --report FILE")
	}
	return content, nil
}

// readInside reads a file of the project, which no link leads out of.
func readInside(ctx context.Context, path string) (content []byte, err error) {
	root, err := tree.OpenFolder(".")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return root.Read(ctx, filepath.FromSlash(path), maxReport)
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// key returns the Idempotency-Key of a line: from its content, and its place among those of its requirement.
func (o order) key(s *state, l adoption.Line) string {
	of := fmt.Sprintf("plan\x00%s\x00%d\x00%d\x00%s\x00%s\x00%s\x00", l.Requirement, s.place, l.Revision, l.Role,
		o.method, o.options)
	return "plan-" + digestOf(append([]byte(of), o.body...))[:40]
}

// line sends one line. The error is that of a service that cannot be asked.
func (a *application) line(ctx context.Context, s *state, l adoption.Line, became *Line) error {
	o, err := orderOf(ctx, l)
	if err != nil {
		return a.unreadable(ctx, s, l, became, err)
	}
	got, err := a.decided(ctx, s, l, o)
	switch f := fault.As(err); {
	case err == nil:
		became.Outcome, became.Revision = Sent, got.Revision
		if got.replayed || got.Unchanged {
			became.Outcome = There
		}
		s.ID, s.Status, s.Revision, s.known = got.ID, got.Status, got.Revision, true
		return nil
	case !refuses(f):
		became.Outcome = NotAsked
		return err
	case errors.Is(f, fault.Stale):
		return a.stale(ctx, s, l, o, became, f.Current)
	default:
		became.refuse(s.ID, f)
		return nil
	}
}

// refuses reports whether an error is the service's answer to a change, and not that it cannot be asked.
func refuses(f *fault.Error) bool {
	if f == nil || apiclient.Unanswered(f) {
		return false
	}
	for _, kind := range []error{fault.Malformed, fault.Forbidden, fault.NotFound, fault.Conflict, fault.Stale,
		fault.TooLarge, fault.MediaType, fault.Invalid, fault.NeedsCondition} {
		if errors.Is(f, kind) {
			return true
		}
	}
	return false
}

func (l *Line) refuse(id string, f *fault.Error) {
	detail := []string{advice.Typed(id, f.Detail)}
	for _, field := range f.Fields {
		detail = append(detail, advice.Typed(id, field.Detail))
	}
	l.Outcome = Refused
	l.Refusal = &Refusal{f.Code, strings.Join(detail, "; "), advice.Typed(id, f.Fix)}
}

// path returns the path of something of a requirement.
func path(id, below string) string {
	return "/requirements/" + strings.ReplaceAll(url.PathEscape(id), "'", "%27") + below
}

// ifMatch returns the revision that a line is meant for: the one that it names, or the one that the line before made.
func ifMatch(s *state, l adoption.Line) string {
	revision := l.Revision
	if revision == 0 && s.known {
		revision = s.Revision
	}
	if revision == 0 {
		return ""
	}
	return strconv.Quote(strconv.FormatUint(revision, 10))
}

// Refusals returns how many lines of a requirement were refused, as a text: one, after which the others are left.
func (r Requirement) Refusals() string {
	if r.Stopped == nil {
		return "0"
	}
	return "1"
}

// Verb returns in words what was done with the lines that were accepted.
func (r Report) Verb() string {
	if r.DryRun {
		return "lines that would be accepted"
	}
	return "lines sent and accepted"
}
