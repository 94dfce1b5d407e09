package adoption

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/rules/lifecycle"
)

// Finder finds ids of requirements in names of tests.
type Finder = *idmatch.IDs

// Material is what the working tree has for one requirement.
type Material struct {
	Designs  []guidance.File // documents that describe its design
	Files    []guidance.File // what implements it
	Bare     []string        // those of Files that have no code
	Tests    []string        // where tests name it, or marks say that tests verify it: path:line
	Verified []string        // the texts of what such marks are about
}

// Project is what a plan is made for. Paths are as evidence cites them.
type Project struct {
	Rules
	Requirements []lifecycle.Requirement
	Material     map[string]Material // by the id of the requirement
	Reports      []Report
	Finder       Finder
	Cited        func(string) string // the path by which evidence cites a requirement document
	Approve      bool                // the plan has the pm's approval, too
}

// Result is a plan, and what it leads to.
type Result struct {
	Lines    []Line    `json:"-"`
	Outcomes []Outcome `json:"requirements"` // of all that their document calls finished, in its order
}

// Outcome is what a plan does for one requirement.
type Outcome struct {
	ID     string           `json:"id"`
	Title  string           `json:"title"`
	From   lifecycle.Status `json:"from"`
	To     lifecycle.Status `json:"to"`
	Lines  int              `json:"lines"`
	Lacks  []Lack           `json:"lacks"`  // why the plan ends before done
	Awaits bool             `json:"awaits"` // nothing but the pm's approval
	Doubts []string         `json:"doubts"` // about the evidence; with any, no plan approves it
}

// Lack is something that a plan cannot supply.
type Lack struct {
	What string          `json:"what"`
	By   lifecycle.Party `json:"by"`   // who can
	With string          `json:"with"` // how
}

// Plan plans the way of each requirement that its document calls finished.
func (p Project) Plan() Result {
	result := Result{Lines: []Line{}, Outcomes: []Outcome{}}
	for _, req := range p.Requirements {
		if !finished.ByDocument(req) {
			continue
		}
		w := &way{Project: p, start: req, now: req, has: p.Material[req.ID]}
		w.walk()
		result.Lines = append(result.Lines, w.lines...)
		result.Outcomes = append(result.Outcomes, w.outcome())
	}
	return result
}

// Counts says how many requirements a plan brings how far.
type Counts struct {
	Finished int `json:"finished"` // by their document
	Done     int `json:"done"`     // that the plan brings to done
	Awaiting int `json:"awaiting"` // that then lack the pm's approval alone
	Lacking  int `json:"lacking"`
}

// Counts counts the outcomes.
func (r Result) Counts() (c Counts) {
	c.Finished = len(r.Outcomes)
	for _, o := range r.Outcomes {
		switch {
		case o.To == lifecycle.Done:
			c.Done++
		case o.Awaits:
			c.Awaiting++
		default:
			c.Lacking++
		}
	}
	return c
}

// Awaiting returns the ids that await the approval of the pm alone, as a shell takes them.
func (r Result) Awaiting() string {
	var ids []string
	for _, o := range r.Outcomes {
		if o.Awaits {
			ids = append(ids, quoted(o.ID))
		}
	}
	return strings.Join(ids, " ")
}

// way is the way of one requirement.
type way struct {
	Project
	start, now lifecycle.Requirement
	has        Material
	tested     choice
	lines      []Line
	lacks      []Lack
	awaits     bool
}

// maxSteps is more than any workflow has on the way to done.
const maxSteps = 40

// walk goes as far as the material reaches.
func (w *way) walk() {
	if by := word(w.now); by != "" {
		w.lack(by, lifecycle.Party(lifecycle.PM),
			"orchestrator next "+quoted(w.now.ID)+" says what leads on from there")
		return
	}
	w.tested = best(w.Reports, w.now.ID, w.Finder, w.has.Verified)
	for range maxSteps {
		leads := guidance.Around{Workflow: w.Workflow, Cited: w.Cited}.Leads(w.now)
		if len(leads) == 0 || !w.follow(leads[0]) {
			return
		}
	}
}

// word returns what a person has said of a requirement that stands against its document, or "". A plan does not
// overrule it.
func word(req lifecycle.Requirement) string {
	rejected := len(req.Approvals) > 0 && req.Approvals[len(req.Approvals)-1].Decision != lifecycle.Approved
	switch {
	case lifecycle.PutAside(req.Status):
		return "the pm put it aside: it is " + string(req.Status)
	case slices.Contains([]lifecycle.Status{lifecycle.NeedsChanges, lifecycle.TestedFail}, req.Status):
		return "it is " + string(req.Status) + ", which somebody has said of it here"
	case rejected:
		return "the pm's last word on it is a rejection"
	case req.OpenDeviation() != "":
		return "deviation " + req.OpenDeviation() + " is open"
	case req.Suspect:
		return "its text changed after work began, and the pm has not accepted it"
	}
	return ""
}

// follow adds the line that a lead asks for, and reports whether the way goes on.
func (w *way) follow(lead guidance.Lead) bool {
	switch {
	case lead.By == lifecycle.Operator || lead.Request != "" && lead.Field == "":
		w.lack(cmp.Or(lead.Needs, lead.Request), lead.By, cmp.Or(lead.Request, lead.Needs))
		return false
	case lead.Field == lifecycle.FieldTest:
		return w.test(lead)
	case lead.Field != "":
		return w.part(lead)
	}
	return w.move(lead)
}

// move adds a move along the table.
func (w *way) move(lead guidance.Lead) bool {
	body := *lead.Example
	if body.Approvals != nil && (!w.Approve || len(w.doubts()) > 0) {
		w.awaits = true
		return false
	}
	why := "its document calls it finished: " + w.place()
	for i := range body.Approvals {
		body.Approvals[i].Text = "approved with the plan; " + why
	}
	body.Justification.Reason = "adopted; " + why
	return w.add(lead.By, body, "move it to "+string(lead.To))
}

// place returns where the document has the requirement.
func (w *way) place() string { return fmt.Sprintf("%s:%d", w.now.Source.Path, w.now.Source.Line) }

// part adds the line of an architect or a coder.
func (w *way) part(lead guidance.Lead) bool {
	var body guidance.Body
	why := ""
	switch {
	case lead.Field == lifecycle.FieldDesignSpec:
		body.DesignSpec, why = w.design()
	case lead.Field == lifecycle.FieldImplementation && len(w.has.Files) > 0:
		body.Implementation = &guidance.Implementation{
			Summary: "Adopted: what the marks in these files name.", Files: w.has.Files}
		why = "marks name it: " + listed(w.has.Files)
	default:
		w.missing(lead)
		return false
	}
	before := len(w.lines)
	if !w.add(lead.By, body, why) {
		return false
	}
	return !w.asksAgain(lead, before)
}

// design returns the design that the project has: a document of its own, or what the requirement itself says.
func (w *way) design() (*guidance.Design, string) {
	if len(w.has.Designs) > 0 {
		named := listed(w.has.Designs)
		return &guidance.Design{Summary: "Adopted: the design is in " + named + ".", Files: w.has.Designs},
			"the design beside the document: " + named
	}
	lines := fmt.Sprintf("%d-%d", w.now.Source.Line, w.now.Source.EndLine)
	path := w.now.Source.Path
	if w.Cited != nil {
		path = w.Cited(path)
	}
	return &guidance.Design{Summary: "Adopted: no design was written beside the text of the requirement.",
		Files: []guidance.File{{Path: path, Lines: lines}}}, "there is no design but the text itself"
}

// test adds the report of a test run.
func (w *way) test(lead guidance.Lead) bool {
	if w.tested.failed != "" || len(w.tested.cited) == 0 {
		w.missing(lead)
		return false
	}
	report := w.tested.report
	next, err := w.Attach(w.now, report, w.tested.cited)
	if err != nil {
		w.refused(lead.By, err)
		return false
	}
	before := len(w.lines)
	w.line(next, Line{Role: lifecycle.Tester, Requirement: w.now.ID, Revision: w.now.Revision,
		Report: &ReportFile{Path: report.path, SHA256: report.digest, Commit: report.commit, Tests: w.tested.tests},
		Why:    fmt.Sprintf("tests of it that passed in the report: %d", len(w.tested.cited))})
	return !w.asksAgain(lead, before)
}

// asksAgain reports whether what was supplied does not do: it is taken back, and what lacks is said.
func (w *way) asksAgain(lead guidance.Lead, before int) bool {
	for _, l := range (guidance.Around{Workflow: w.Workflow, Cited: w.Cited}).Leads(w.now) {
		if l.Field != lead.Field || l.Field == "" {
			continue
		}
		with := "supply it anew: orchestrator next " + quoted(w.now.ID)
		if l.Field == lifecycle.FieldTest {
			with = testsAgain
		}
		w.lack(w.lacking(lead), lead.By, with)
		w.lines = w.lines[:before]
		w.rewind()
		return true
	}
	return false
}

// testsAgain says what is done where tests have to run once more.
const testsAgain = "apply this plan, then run the tests, and run orchestrator adopt --report FILE with the new report"

// lacking returns in words what the next moves of a requirement lack from a role.
func (w *way) lacking(lead guidance.Lead) string {
	if slices.ContainsFunc(w.now.Stale, func(s lifecycle.Stale) bool { return s.Reason == lifecycle.ReportOlder }) {
		return "the tests in " + w.tested.report.path + " ran before the implementation was recorded"
	}
	for step := range w.Workflow.Ahead(w.now) {
		for _, l := range step.Lacks {
			if lifecycle.Party(l.By) == lead.By {
				return l.Detail
			}
		}
	}
	return lead.Needs
}

// rewind brings the requirement back to where the lines lead.
func (w *way) rewind() {
	kept := w.lines
	w.lines, w.now = nil, w.start
	for _, l := range kept {
		next, err := w.Decide(w.now, l.Role, l.Request)
		if err != nil { // it was accepted before
			return
		}
		w.line(next, l)
	}
}

// add adds the line with a request, unless the rules refuse it.
func (w *way) add(by lifecycle.Party, body guidance.Body, why string) bool {
	raw, err := jsonv2.Marshal(body, jsonv2.Deterministic(true))
	if err != nil || strings.Contains(string(raw), `"<`) {
		w.lack("what is to be cited for it is not known", by, "orchestrator next "+quoted(w.now.ID))
		return false
	}
	role := lifecycle.Role(by)
	next, err := w.Decide(w.now, role, raw)
	if err != nil {
		w.refused(by, err)
		return false
	}
	w.line(next, Line{Role: role, Requirement: w.now.ID, Revision: w.now.Revision, Request: jsontext.Value(raw),
		Why: why})
	return true
}

func (w *way) line(next lifecycle.Requirement, l Line) {
	w.lines, w.now = append(w.lines, l), next
}

func (w *way) lack(what string, by lifecycle.Party, with string) {
	w.lacks = append(w.lacks, Lack{what, by, with})
}

func (w *way) refused(by lifecycle.Party, err error) {
	f := fault.As(err)
	if f == nil {
		f = fault.New(fault.Internal, "plan", "%v", err)
	}
	what := f.Detail
	for _, field := range f.Fields {
		what += "; " + field.Detail
	}
	w.lack(what, by, cmp.Or(f.Fix, "orchestrator next "+quoted(w.now.ID)))
}

func (w *way) outcome() Outcome {
	return Outcome{ID: w.start.ID, Title: w.start.Title, From: w.start.Status, To: w.now.Status, Lines: len(w.lines),
		Lacks: append([]Lack{}, w.lacks...), Awaits: w.awaits,
		Doubts: append([]string{}, w.doubts()...)}
}

// At returns the rules with the time at which a plan that is written now is applied: later than any report says that
// its tests ran.
func At(w lifecycle.Workflow, now time.Time) Rules {
	return Rules{Workflow: w, At: now.Add(applied)}
}

// applied is how long after it was written a plan is applied, at least. A report that is as old as the plan is then
// older than the implementation, however coarse its times are.
const applied = time.Minute
