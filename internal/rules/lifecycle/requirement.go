package lifecycle

import (
	"encoding/json"
	"time"
)

// Definition is what the document says of a requirement. Only an import changes it.
type Definition struct {
	ID          string      `json:"id"`
	Title       string      `json:"title"`
	Text        string      `json:"text"`
	Kind        string      `json:"kind"`
	Acceptance  []Criterion `json:"acceptance"`
	Parents     []string    `json:"parents,omitempty"`    // ids of what it was derived from
	DependsOn   []string    `json:"depends_on,omitempty"` // ids of what it needs
	Source      Source      `json:"source"`
	Fingerprint string      `json:"fingerprint"` // of the normalised text: two equal ones mean the same
}

// Criterion is one acceptance criterion or scenario of a requirement.
type Criterion struct {
	ID   string `json:"id,omitempty"` // as the document has it
	Kind string `json:"kind"`         // acceptance or scenario
	Text string `json:"text"`
}

// Source is where the definition stands, and what the document says beside the text; lines are 1-based and inclusive.
type Source struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	EndLine  int      `json:"end_line"`
	Section  []string `json:"section"` // the headings above it, outermost first
	Family   string   `json:"family"`
	Assigned bool     `json:"assigned,omitzero"`  // the id was made from section and item; the document has none
	Priority string   `json:"priority,omitempty"` // as the document has it
	Tick     string   `json:"tick,omitempty"`     // of its check box, a claim of the author: open or ticked
}

// Requirement is the canonical state of one requirement. design_spec and implementation are bytes to the rules.
type Requirement struct {
	Definition
	Status                 Status          `json:"status"`
	HeldFrom               Status          `json:"held_from,omitempty"` // set while blocked or deferred
	Suspect                bool            `json:"suspect"`             // the text changed after work began
	Retired                bool            `json:"retired"`             // the document no longer has it
	Revision               uint64          `json:"revision"`            // 1 when imported, +1 with every change; before Rules4 with rechecks, too
	Rechecks               uint64          `json:"rechecks,omitzero"`   // since Rules4: looks that found news of this revision
	FormerIDs              []FormerID      `json:"former_ids,omitempty"`
	PMNotes                []Note          `json:"pm_notes"`
	Deviations             []Deviation     `json:"deviations"`
	Approvals              []Approval      `json:"approvals"`
	DesignSpec             json.RawMessage `json:"design_spec,omitempty"`
	Implementation         json.RawMessage `json:"implementation,omitempty"`
	Test                   *TestRecord     `json:"test,omitempty"`
	ImplementationEvidence []Evidence      `json:"implementation_evidence,omitempty"` // of what it names
	Stale                  []Stale         `json:"stale,omitempty"`                   // what changed under the parts, in their order
	Moved                  []Relocated     `json:"moved,omitempty"`                   // evidence that holds, but stands elsewhere now
	TextSince              time.Time       `json:"text_since,omitzero"`               // when the present text, and since Rules3 priority, was imported
	Stamps                 Stamps          `json:"stamps"`
	History                []HistoryEntry  `json:"history"` // status changes, oldest first
}

// FormerID is an id that the requirement had until a record gave it another one.
type FormerID struct {
	ID     string `json:"id"`
	Record uint64 `json:"record"`
}

// Stamp says who wrote a part last, at which revision, on which text.
type Stamp struct {
	Revision    uint64    `json:"revision"`
	Record      uint64    `json:"record,omitzero"` // the number of the record in the log; 0 under Rules1, which kept none
	Rules       Rules     `json:"rules,omitzero"`  // that decided; 0 before Rules3
	By          string    `json:"by"`
	Role        Role      `json:"role"`
	At          time.Time `json:"at"`
	Fingerprint string    `json:"fingerprint"`
}

// Stamps holds the stamp of each part that was ever written; a cleared part keeps the stamp of who cleared it.
type Stamps struct {
	DesignSpec     Stamp `json:"design_spec,omitzero"`
	Implementation Stamp `json:"implementation,omitzero"`
	Test           Stamp `json:"test,omitzero"`
}

// By reports whether an actor was the last to write one of the parts.
func (s Stamps) By(name string) bool {
	return name != "" && (s.DesignSpec.By == name || s.Implementation.By == name || s.Test.By == name)
}

// Note is a remark by PM.
type Note struct {
	Stamp
	Text string `json:"text"`
}

// Deviation is a departure from the requirement that PM has recorded; open until it is resolved.
type Deviation struct {
	Stamp
	ID         string      `json:"id"`
	Text       string      `json:"text"`
	Resolution *Resolution `json:"resolution,omitempty"`
}

// Resolution closes a deviation.
type Resolution struct {
	Stamp
	Outcome string `json:"outcome"` // accepted, fixed or rejected
	Text    string `json:"text"`
}

// Approved and Rejected are the decisions of an approval.
const (
	Approved = "approved"
	Rejected = "rejected"
)

// Approval is PM's explicit word on the text it is stamped with. A rejection takes back every approval before it.
type Approval struct {
	Stamp
	Decision string `json:"decision"`
	Text     string `json:"text,omitempty"`
}

// TestRecord is the tester's part: the plan, and after the run its results and evidence.
type TestRecord struct {
	Plan     string     `json:"plan,omitempty"`
	Results  *Results   `json:"results,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
	Notes    string     `json:"notes,omitempty"`
}

// Results counts tests. Where evidence is looked up, the service counts them in the reports that the evidence names.
type Results struct {
	Run     int `json:"run,omitzero"` // that passed or failed
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Justification is why a change is made, and what shows it.
type Justification struct {
	Reason   string     `json:"reason"`
	Evidence []Evidence `json:"evidence"`
}

// HistoryEntry is one status change.
type HistoryEntry struct {
	Stamp
	From          Status        `json:"from"`
	To            Status        `json:"to"`
	Justification Justification `json:"justification"`
}

// revise begins the next revision.
func (r *Requirement) revise() { r.Revision, r.Rechecks = r.Revision+1, 0 }

// clone copies what Apply appends to, so that the requirement it was given never changes.
func (r Requirement) clone() Requirement {
	r.PMNotes = r.PMNotes[:len(r.PMNotes):len(r.PMNotes)]
	r.Approvals = r.Approvals[:len(r.Approvals):len(r.Approvals)]
	r.History = r.History[:len(r.History):len(r.History)]
	r.Deviations = append([]Deviation(nil), r.Deviations...)
	return r
}
