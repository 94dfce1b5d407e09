// Package encode writes requirements in the bytes of ledger.Encode, without its reflection. Each change encodes one,
// and so does the verification of each record.
package encode

import (
	"bytes"
	"sync"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// writers keeps the memory for encodings.
var writers = sync.Pool{New: func() any { return new(Writer) }}

// Requirement returns the encoding of a requirement, in memory of its own.
func Requirement(r *lifecycle.Requirement) ([]byte, error) {
	w := writers.Get().(*Writer)
	defer writers.Put(w)
	w.B, w.Err = w.B[:0], nil
	w.Begin()
	w.Definition(&r.Definition)
	w.State(r)
	jsonobject.List(&w.Writer, "pm_notes", r.PMNotes, w.Note)
	jsonobject.List(&w.Writer, "deviations", r.Deviations, w.Deviation)
	jsonobject.List(&w.Writer, "approvals", r.Approvals, w.Approval)
	w.Work(r)
	jsonobject.List(&w.Writer, "history", r.History, w.Entry)
	w.End()
	return bytes.Clone(w.B), w.Err
}

// Writer writes parts of a requirement.
type Writer struct{ jsonobject.Writer }

// State writes the members that change with every revision.
func (w *Writer) State(r *lifecycle.Requirement) {
	w.Text("status", string(r.Status))
	w.SomeText("held_from", string(r.HeldFrom))
	w.Bool("suspect", r.Suspect)
	w.Bool("retired", r.Retired)
	w.Uint("revision", r.Revision)
	w.SomeUint("rechecks", r.Rechecks)
	jsonobject.SomeList(&w.Writer, "former_ids", r.FormerIDs, w.formerID)
}

// Work writes the members that the roles write, and what is known of them.
func (w *Writer) Work(r *lifecycle.Requirement) {
	w.SomeJSON("design_spec", r.DesignSpec)
	w.SomeJSON("implementation", r.Implementation)
	if r.Test != nil {
		w.SomeValue("test", r.Test)
	}
	jsonobject.SomeList(&w.Writer, "implementation_evidence", r.ImplementationEvidence, w.evidence)
	jsonobject.SomeList(&w.Writer, "stale", r.Stale, func(s *lifecycle.Stale) { w.Value(s) })
	jsonobject.SomeList(&w.Writer, "moved", r.Moved, func(m *lifecycle.Relocated) { w.Value(m) })
	w.SomeTime("text_since", r.TextSince)
	w.Object("stamps")
	w.someStamp("design_spec", &r.Stamps.DesignSpec)
	w.someStamp("implementation", &r.Stamps.Implementation)
	w.someStamp("test", &r.Stamps.Test)
	w.End()
}

func (w *Writer) someStamp(name string, s *lifecycle.Stamp) {
	if *s != (lifecycle.Stamp{}) {
		w.Object(name)
		w.stamp(s)
		w.End()
	}
}

func (w *Writer) formerID(f *lifecycle.FormerID) {
	w.Begin()
	w.Text("id", f.ID)
	w.Uint("record", f.Record)
	w.End()
}

// Note writes a note.
func (w *Writer) Note(n *lifecycle.Note) {
	w.Begin()
	w.stamp(&n.Stamp)
	w.Text("text", n.Text)
	w.End()
}

// Deviation writes a deviation.
func (w *Writer) Deviation(d *lifecycle.Deviation) { w.Value(d) }

// Approval writes an approval.
func (w *Writer) Approval(a *lifecycle.Approval) { w.Value(a) }

// Entry writes an entry of the history.
func (w *Writer) Entry(h *lifecycle.HistoryEntry) {
	w.Begin()
	w.stamp(&h.Stamp)
	w.Text("from", string(h.From))
	w.Text("to", string(h.To))
	w.Justification(&h.Justification)
	w.End()
}

// Justification writes a member that is a justification.
func (w *Writer) Justification(j *lifecycle.Justification) {
	w.Object("justification")
	w.Text("reason", j.Reason)
	jsonobject.List(&w.Writer, "evidence", j.Evidence, w.evidence)
	w.End()
}

func (w *Writer) stamp(s *lifecycle.Stamp) {
	w.Uint("revision", s.Revision)
	w.SomeUint("record", s.Record)
	w.SomeInt("rules", int64(s.Rules))
	w.Text("by", s.By)
	w.Text("role", string(s.Role))
	w.Time("at", s.At)
	w.Text("fingerprint", s.Fingerprint)
}

func (w *Writer) evidence(of *lifecycle.Evidence) {
	w.Begin()
	w.Text("kind", of.Kind)
	w.SomeText("path", of.Path)
	w.SomeText("lines", of.Lines)
	w.SomeText("commit", of.Commit)
	w.SomeText("name", of.Name)
	w.SomeText("result", of.Result)
	w.SomeText("report", of.Report)
	w.SomeText("report_commit", of.ReportCommit)
	if of.Found != nil {
		w.Name("found")
		w.found(of.Found)
	}
	w.End()
}

func (w *Writer) found(f *lifecycle.Found) {
	w.Begin()
	w.Text("in", f.In)
	w.SomeText("commit", f.Commit)
	w.SomeBool("tip", f.Tip)
	w.SomeText("blob", f.Blob)
	w.SomeText("sha256", f.SHA256)
	w.SomeInt("bytes", f.Bytes)
	w.SomeTime("modified", f.Modified)
	w.SomeUint("record", f.Record)
	w.SomeText("format", f.Format)
	if f.Counts != nil {
		w.Name("counts")
		w.results(f.Counts)
	}
	w.SomeText("run", f.Run)
	w.SomeTime("ran", f.Ran)
	w.End()
}

func (w *Writer) results(r *lifecycle.Results) {
	w.Begin()
	w.SomeInt("run", int64(r.Run))
	w.Int("passed", int64(r.Passed))
	w.Int("failed", int64(r.Failed))
	w.Int("skipped", int64(r.Skipped))
	w.End()
}
