package lifecycle

import (
	"bytes"
	"encoding/json"
	"time"

	"orchestrator/internal/fault"
)

// Change is what a request proposes: the role's fields, a status, and why. A nil member was not sent.
// DesignSpec, Implementation and Test are replaced whole and cleared by a JSON null; PMNotes, Deviations
// and Approvals hold new entries to append.
type Change struct {
	Fields            []string          // the names sent, known or not
	Size              int               // bytes of the request, without white space
	Violations        []fault.Field     // what the schema finds wrong with the request
	Status            Status            // "" when not sent, or not a status
	Justification     *Justification    //
	AcceptFingerprint string            // PM accepts the text with this fingerprint
	PMNotes           []NewNote         //
	Deviations        []DeviationChange //
	Approvals         []NewApproval     //
	DesignSpec        json.RawMessage   //
	Implementation    json.RawMessage   //
	Test              Optional          //
	Names             []Citation        // files and commits that Implementation names, with pointers into the request
	MadeFrom          uint64            // the revision that it was made from; 0 is any
	Looked            *Looked           // what the service found of all that; nil where it does not look
	Rules             Rules             // the version of the rules that decides; 0 is LatestRules
	// the number that the record of the change will have; 0 where there will be none
	Record uint64
}

// Optional tells a cleared test record (Sent, nil Record) from one that was not sent.
type Optional struct {
	Sent   bool
	Record *TestRecord
}

// NewNote is a note to append.
type NewNote struct {
	Text string `json:"text"`
}

// DeviationChange records a new deviation, or resolves the one with a known id.
type DeviationChange struct {
	ID         string         `json:"id"`
	Text       string         `json:"text,omitempty"`
	Resolution *NewResolution `json:"resolution,omitempty"`
}

// NewResolution closes a deviation.
type NewResolution struct {
	Outcome string `json:"outcome"`
	Text    string `json:"text"`
}

// NewApproval is an approval to append.
type NewApproval struct {
	Decision string `json:"decision"`
	Text     string `json:"text,omitempty"`
}

// applied returns the requirement with every field of the change written and stamped. It decides nothing.
func (r Requirement) applied(who Actor, c Change, at time.Time) Requirement {
	next := r.clone()
	next.revise()
	stamp := Stamp{Revision: next.Revision, By: who.Name, Role: who.Role, At: at, Fingerprint: r.Fingerprint}
	if c.Rules != Rules1 {
		stamp.Record = c.Record
	}
	if c.Rules >= Rules3 {
		stamp.Rules = c.Rules
	}
	if c.DesignSpec != nil {
		next.DesignSpec, next.Stamps.DesignSpec = orNil(c.DesignSpec), stamp
	}
	if c.Looked != nil && c.Looked.Recheck != nil {
		next.adopt(*c.Looked.Recheck)
	}
	if c.Implementation != nil {
		next.Implementation, next.Stamps.Implementation = orNil(c.Implementation), stamp
		next.ImplementationEvidence = named(c)
		next.forget(FieldImplementation, "/implementation_evidence/")
	}
	if c.Test.Sent {
		next.Test, next.Stamps.Test = c.Looked.counted(c.Test.Record).attachedIn(stamp.Record), stamp
		next.forget(FieldTest, "/test/")
	}
	for _, n := range c.PMNotes {
		next.PMNotes = append(next.PMNotes, Note{stamp, n.Text})
	}
	for _, d := range c.Deviations {
		next.deviate(d, stamp)
	}
	for _, a := range c.Approvals {
		next.Approvals = append(next.Approvals, Approval{stamp, a.Decision, a.Text})
	}
	if c.AcceptFingerprint != "" {
		next.Suspect = false
	}
	if c.Status != "" {
		next.move(c, stamp)
	}
	next.doubt(c, at)
	next.restale(c.Rules)
	return next
}

// named returns what the implementation names, as it was found; nil where nothing was looked up.
func named(c Change) []Evidence {
	if c.Looked == nil {
		return nil
	}
	var found []Evidence
	for _, claim := range c.Names {
		claim.Found = c.Looked.at(claim.Pointer)
		found = append(found, claim.Evidence)
	}
	return found
}

// deviate appends a new deviation or resolves a known one; r.Deviations is r's own.
func (r *Requirement) deviate(d DeviationChange, stamp Stamp) {
	var resolution *Resolution
	if d.Resolution != nil {
		resolution = &Resolution{stamp, d.Resolution.Outcome, d.Resolution.Text}
	}
	for i := range r.Deviations {
		if r.Deviations[i].ID == d.ID {
			r.Deviations[i].Resolution = resolution
			return
		}
	}
	r.Deviations = append(r.Deviations, Deviation{stamp, d.ID, d.Text, resolution})
}

// move changes the status and remembers what was held before a block or deferral.
func (r *Requirement) move(c Change, stamp Stamp) {
	held := func(s Status) bool { return s == Blocked || s == Deferred }
	entry := HistoryEntry{Stamp: stamp, From: r.Status, To: c.Status}
	if c.Justification != nil {
		entry.Justification = *c.Justification
		entry.Justification.Evidence = c.Looked.verified(entry.Justification.Evidence, FieldJustification+"/evidence")
	}
	r.History = append(r.History, entry)
	switch {
	case !held(c.Status):
		r.HeldFrom = ""
	case !held(r.Status):
		r.HeldFrom = r.Status
	}
	r.Status = c.Status
}

func orNil(raw json.RawMessage) json.RawMessage {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}
