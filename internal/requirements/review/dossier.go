package review

import (
	"encoding/json"
	"io"
	"slices"

	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/rules/lifecycle"
)

// The verdicts on a piece of evidence that was looked up again.
const (
	Holds       = "holds"
	Moved       = "moved" // it holds, and stands elsewhere now
	Stale       = "stale"
	NotLookedUp = "not_looked_up"
)

// Rechecked is what looking a piece of evidence up again came to.
type Rechecked struct {
	Pointer string `json:"pointer"` // of the evidence in the requirement, RFC 6901
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"` // of stale: one of the reasons of lifecycle
	Detail  string `json:"detail,omitempty"`
}

// Cited is a piece of evidence with its re-check and, where it was asked for, with what it is about.
type Cited struct {
	Evidence lifecycle.Evidence `json:"evidence"`
	Recheck  Rechecked          `json:"recheck"`
	Shown
}

// Dossier is the review of one requirement. No list is nil.
type Dossier struct {
	Definition lifecycle.Definition  `json:"definition"`
	Workflow   string                `json:"workflow"`
	Branch     string                `json:"branch,omitempty"` // whose tip evidence is held against
	Revision   uint64                `json:"revision"`
	FormerIDs  []lifecycle.FormerID  `json:"former_ids,omitempty"` // under which older records stand
	Standing   Requirement           `json:"standing"`             // its line in the review of the project
	Parts      []Part                `json:"parts"`
	Approvals  []Approval            `json:"approvals"`
	Deviations []lifecycle.Deviation `json:"deviations"`
	Notes      []lifecycle.Note      `json:"pm_notes"`
	Gates      []GateVerdict         `json:"gates"` // of the statuses ahead, in their order; of a done requirement, of done
	Next       []RoleNext            `json:"next"`
	Refused    Refused               `json:"refused"`
	History    []Move                `json:"history"`            // oldest first
	Texts      []TextChange          `json:"text_changes"`       // newest first
	NotShown   int                   `json:"not_shown,omitzero"` // pieces of evidence for which there was no room

	Proposed []pending.Proposal `json:"proposed,omitempty"` // what open changes would do to it
}

// Part is what one role wrote: design_spec, implementation or test.
type Part struct {
	Name     string             `json:"name"`
	Stamp    lifecycle.Stamp    `json:"stamp"`
	OnText   bool               `json:"on_current_text"`
	Content  json.RawMessage    `json:"content,omitempty"` // design_spec and implementation, as they were sent
	Plan     string             `json:"plan,omitempty"`    // test
	Results  *lifecycle.Results `json:"results,omitempty"` // test
	Notes    string             `json:"notes,omitempty"`   // test
	Evidence []Cited            `json:"evidence"`
}

// Approval is PM's word, and what it covered.
type Approval struct {
	lifecycle.Approval
	Counts       bool     `json:"counts"`        // for done
	ChangedSince []string `json:"changed_since"` // text, design_spec, implementation, test

	TextSince []FieldChange `json:"text_since,omitempty"` // from the text that it covered to the present one
}

// GateVerdict is one gate with what the requirement, as it is now, lacks.
type GateVerdict struct {
	lifecycle.Gate
	Met    bool   `json:"met"`
	Detail string `json:"detail,omitempty"`
}

// RoleNext is what someone of a role, who took no part so far, may do next.
type RoleNext struct {
	Role lifecycle.Role `json:"role"`
	lifecycle.Next
}

// Move is a change of status with its evidence.
type Move struct {
	lifecycle.Stamp
	From     lifecycle.Status `json:"from"`
	To       lifecycle.Status `json:"to"`
	Reason   string           `json:"reason"`
	Evidence []Cited          `json:"evidence"`
}

// Whole reports whether this can be a review, and is not JSON of another shape that was read as one.
func (d Dossier) Whole() bool { return d.Definition.ID != "" && d.Definition.ID == d.Standing.ID }

// JSON writes the review as one line, the same bytes for the same review.
func (d Dossier) JSON(w io.Writer) error { return writeJSON(w, d) }

// Seen is what was looked up for the review of one requirement.
type Seen struct {
	Evidence []Rechecked      // what is left out was not looked up
	Shown    map[string]Shown // what pieces of evidence are about, by their pointers
	NotShown int              // pieces for which there was no room
	IDs      *idmatch.IDs     // of all requirements of the project
	Branch   string           // whose tip evidence is held against, "" when there is none
	Dirty    map[string]bool  // cited files with uncommitted changes
	Refused  Refused
	Proposed []pending.Proposal // what open changes would do to it

	Texts     []TextChange          // how its text changed, the newest change first
	TextSince map[int][]FieldChange // by approval: from the text that it covered to the present one
}

// One reviews one requirement.
func One(w lifecycle.Workflow, req lifecycle.Requirement, seen Seen) Dossier {
	checks := make(rechecks, len(seen.Evidence))
	for _, e := range seen.Evidence {
		checks[e.Pointer] = Cited{Recheck: e, Shown: seen.Shown[e.Pointer]}
	}
	d := Dossier{
		Definition: req.Definition, Workflow: w.Name, Branch: seen.Branch, Revision: req.Revision,
		FormerIDs: req.FormerIDs, Standing: standing(w, w.DeadEnds(), req),
		Parts: checks.parts(req), Approvals: approvals(req, seen.TextSince), Gates: gatesAhead(w, req),
		Next:       []RoleNext{},
		History:    []Move{},
		Texts:      append([]TextChange{}, seen.Texts...),
		NotShown:   seen.NotShown,
		Proposed:   seen.Proposed,
		Refused:    Refused{seen.Refused.Count, seen.Refused.More, append([]Refusal{}, seen.Refused.Newest...)},
		Deviations: append([]lifecycle.Deviation{}, req.Deviations...), Notes: append([]lifecycle.Note{},
			req.PMNotes...),
	}
	d.Standing.Covered, d.Standing.Dirty = covered(req, seen.IDs), dirtyAmong(FilesOf(req), seen.Dirty)
	for i, h := range req.History {
		under := lifecycle.PointerTo("history", i) + "/justification/evidence"
		d.History = append(d.History, Move{h.Stamp, h.From, h.To, h.Justification.Reason,
			checks.cited(under, h.Justification.Evidence)})
	}
	for _, role := range lifecycle.Roles() {
		if lifecycle.FieldsOf(role) != nil {
			d.Next = append(d.Next, RoleNext{role, w.Next(req, lifecycle.Actor{Role: role})})
		}
	}
	return d
}

// rechecks are by pointer, without the evidence.
type rechecks map[string]Cited

func (c rechecks) cited(under string, evidence []lifecycle.Evidence) []Cited {
	all := []Cited{}
	for i, e := range evidence {
		pointer := lifecycle.PointerTo(under[1:], i)
		one, known := c[pointer]
		if !known {
			one.Recheck = Rechecked{Pointer: pointer, Verdict: NotLookedUp}
		}
		one.Evidence = e
		all = append(all, one)
	}
	return all
}

func (c rechecks) parts(req lifecycle.Requirement) []Part {
	parts := []Part{}
	add := func(there bool, p Part) {
		if there {
			p.OnText = p.Stamp.Fingerprint == req.Fingerprint
			parts = append(parts, p)
		}
	}
	add(req.DesignSpec != nil, Part{
		Name: lifecycle.FieldDesignSpec, Stamp: req.Stamps.DesignSpec, Content: req.DesignSpec, Evidence: []Cited{},
	})
	add(req.Implementation != nil, Part{
		Name: lifecycle.FieldImplementation, Stamp: req.Stamps.Implementation, Content: req.Implementation,
		Evidence: c.cited("/implementation_evidence", req.ImplementationEvidence),
	})
	if t := req.Test; t != nil {
		add(true, Part{
			Name: lifecycle.FieldTest, Stamp: req.Stamps.Test, Plan: t.Plan, Results: t.Results, Notes: t.Notes,
			Evidence: c.cited("/test/evidence", t.Evidence),
		})
	}
	return parts
}

// approvals returns for each approval what changed since, by the stamps of what it was given on.
func approvals(req lifecycle.Requirement, since map[int][]FieldChange) []Approval {
	all := []Approval{}
	counting := req.Standing()
	rejected := 0 // the index behind the last rejection
	for i, a := range req.Approvals {
		if a.Decision != lifecycle.Approved {
			rejected = i + 1
		}
	}
	for i, a := range req.Approvals {
		counts := i >= rejected && slices.Contains(counting, a)
		changed := []string{}
		for _, part := range []struct {
			name  string
			since bool
		}{
			{"text", a.Fingerprint != req.Fingerprint},
			{lifecycle.FieldDesignSpec, req.Stamps.DesignSpec.Revision > a.Revision},
			{lifecycle.FieldImplementation, req.Stamps.Implementation.Revision > a.Revision},
			{lifecycle.FieldTest, req.Stamps.Test.Revision > a.Revision},
		} {
			if part.since {
				changed = append(changed, part.name)
			}
		}
		all = append(all, Approval{a, counts, changed, since[i]})
	}
	return all
}

// gatesAhead asks every gate between here and done.
func gatesAhead(w lifecycle.Workflow, req lifecycle.Requirement) []GateVerdict {
	all := []GateVerdict{}
	if req.Status == lifecycle.Done {
		rules := req.JudgedBy()
		return verdicts(rules, lifecycle.Done, req.UnmetBy(rules, lifecycle.Done, lastMover(req)))
	}
	for step := range w.Ahead(req) {
		all = append(all, verdicts(lifecycle.LatestRules, step.To, step.Lacks)...)
	}
	return all
}

func verdicts(rules lifecycle.Rules, to lifecycle.Status, lacks []lifecycle.Lack) []GateVerdict {
	all := []GateVerdict{}
	for _, g := range lifecycle.GatesBy(rules) {
		if g.To != to {
			continue
		}
		verdict := GateVerdict{Gate: g, Met: true}
		for _, l := range lacks {
			if l.Gate == g.Name {
				verdict.Met, verdict.Detail = false, l.Detail
			}
		}
		all = append(all, verdict)
	}
	return all
}
