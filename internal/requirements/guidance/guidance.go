// Package guidance says what can be done with a requirement next, by whom, and with which request.
//
// It decides nothing: what it offers, it has asked the rules for. It is pure: the same requirement in the same project
// gives the same words. An example is a change request that is accepted where the move is ready, once what stands in
// angle brackets is replaced.
package guidance

import (
	"net/url"
	"slices"
	"strconv"

	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// Around is what guidance depends on besides the requirement.
type Around struct {
	Workflow lifecycle.Workflow
	Cited    func(string) string // returns the path by which evidence cites a requirement document; nil is the same
}

func (a Around) cited(path string) string {
	if a.Cited == nil {
		return path
	}
	return a.Cited(path)
}

// View is what an actor may do with a requirement now, and what stands against done.
type View struct {
	ID            string            `json:"id"`
	Status        lifecycle.Status  `json:"status"`
	Revision      uint64            `json:"revision"`
	Fingerprint   string            `json:"fingerprint"`
	Actor         lifecycle.Actor   `json:"actor"`
	IfMatch       string            `json:"if_match"` // the value of the header to send
	WaitingFor    []lifecycle.Party `json:"waiting_for"`
	Fields        []Field           `json:"fields"`
	Moves         []Move            `json:"moves"`
	ReportRequest string            `json:"report_request,omitempty"` // with which a tester sends the report of a run
	AgainstDone   []Objection       `json:"against_done"`
	Claims        []claiming.Mark   `json:"claims,omitempty"` // that count now

	Complete bool `json:"complete_in_document,omitzero"` // as package finished tells
}

// Field is a member of a change request that would be accepted from the actor now.
type Field struct {
	Field   string `json:"field"`
	Due     bool   `json:"due,omitzero"` // it leads on
	Example *Body  `json:"example"`
}

// Move is a move of the actor's.
type Move struct {
	To          lifecycle.Status `json:"to"`
	Ready       bool             `json:"ready"` // it lacks nothing but the justification
	Lacks       []Lack           `json:"lacks"`
	LeadsToDone bool             `json:"leads_to_done"`
	Why         string           `json:"why,omitempty"` // it does not
	Example     *Body            `json:"example"`
}

// Lack is an unmet gate, with what would meet it.
type Lack struct {
	lifecycle.Lack
	Example *Body `json:"example,omitempty"` // absent where the example of the move has it, or one before it is the same
}

// Of returns what an actor may do with a requirement now.
func (a Around) Of(req lifecycle.Requirement, who lifecycle.Actor) View {
	next, p := a.Workflow.Next(req, who), place{req, a}
	v := View{ID: req.ID, Status: req.Status, Revision: req.Revision, Fingerprint: req.Fingerprint, Actor: who,
		IfMatch: IfMatch(req.Revision), WaitingFor: next.WaitingFor, Fields: []Field{}, Moves: []Move{},
		AgainstDone: a.Against(req), Complete: finished.ByDocument(req)}
	due := a.due(req)
	for _, name := range next.Fields {
		example := p.ofField(name)
		if example == nil {
			continue // status is among the moves, and a justification goes with one
		}
		v.Fields = append(v.Fields, Field{name, slices.Contains(due, name), example})
		if name == lifecycle.FieldTest {
			v.ReportRequest = reportRequest(req.ID)
		}
	}
	for _, m := range next.Moves {
		why := a.Workflow.NoWayOn(req, m.To)
		example := p.ofMove(m.To, who.Role, m.Lacks)
		v.Moves = append(v.Moves, Move{m.To, m.Ready, p.lacks(m.Lacks, who.Role), why == "", why, example})
	}
	return v
}

// lacks adds to each lack what would meet it, unless mover supplies it with the move.
func (p place) lacks(all []lifecycle.Lack, mover lifecycle.Role) []Lack {
	lacks, shown := []Lack{}, map[string]bool{}
	for _, l := range all {
		lack, field := Lack{Lack: l}, fieldOf(l)
		if l.By != mover && !shown[field] {
			lack.Example, shown[field] = p.ofLack(l), true
		}
		lacks = append(lacks, lack)
	}
	return lacks
}

// due lists the fields that lead on.
func (a Around) due(req lifecycle.Requirement) (fields []string) {
	for _, l := range a.Leads(req) {
		fields = append(fields, l.Field)
	}
	return fields
}

// IfMatch returns the value of If-Match that names a revision.
func IfMatch(revision uint64) string { return strconv.Quote(strconv.FormatUint(revision, 10)) }

// aRun stands for the body of a report's request.
const aRun = "<the report as the test tool wrote it>"

// reportRequest returns the request that attaches a report to a requirement.
func reportRequest(id string) string {
	return "POST /requirements/" + url.PathEscape(id) + "/test-report " + aRun
}
