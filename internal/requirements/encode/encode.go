// Package encode writes requirements in the bytes of ledger.Encode, without its reflection. Each change encodes one,
// and so does the verification of each record.
package encode

import (
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// Requirement returns the encoding of a requirement, in memory of its own.
func Requirement(r *lifecycle.Requirement) ([]byte, error) {
	return jsonobject.Bytes(func(w *jsonobject.Writer) {
		w.Begin()
		Definition(w, &r.Definition)
		State(w, r)
		jsonobject.List(w, "pm_notes", r.PMNotes, Note)
		jsonobject.List(w, "deviations", r.Deviations, Deviation)
		jsonobject.List(w, "approvals", r.Approvals, Approval)
		Work(w, r)
		jsonobject.List(w, "history", r.History, Entry)
		w.End()
	})
}

// State writes the members that change with every revision.
func State(w *jsonobject.Writer, r *lifecycle.Requirement) {
	w.Text("status", string(r.Status))
	w.SomeText("held_from", string(r.HeldFrom))
	w.Bool("suspect", r.Suspect)
	w.Bool("retired", r.Retired)
	w.Uint("revision", r.Revision)
	w.SomeUint("rechecks", r.Rechecks)
	jsonobject.SomeList(w, "former_ids", r.FormerIDs, writeFormerID)
}

// Work writes the members that the roles write, and what is known of them.
func Work(w *jsonobject.Writer, r *lifecycle.Requirement) {
	w.SomeJSON("design_spec", r.DesignSpec)
	w.SomeJSON("implementation", r.Implementation)
	if r.Test != nil {
		w.SomeValue("test", r.Test)
	}
	jsonobject.SomeList(w, "implementation_evidence", r.ImplementationEvidence, writeEvidence)
	jsonobject.SomeList(w, "stale", r.Stale, writeStale)
	jsonobject.SomeList(w, "moved", r.Moved, writeRelocated)
	w.SomeTime("text_since", r.TextSince)
	w.Object("stamps")
	writeSomeStamp(w, "design_spec", &r.Stamps.DesignSpec)
	writeSomeStamp(w, "implementation", &r.Stamps.Implementation)
	writeSomeStamp(w, "test", &r.Stamps.Test)
	w.End()
}

func writeSomeStamp(w *jsonobject.Writer, name string, s *lifecycle.Stamp) {
	if *s != (lifecycle.Stamp{}) {
		w.Object(name)
		writeStamp(w, s)
		w.End()
	}
}

func writeStale(w *jsonobject.Writer, s *lifecycle.Stale) { w.Value(s) }

func writeRelocated(w *jsonobject.Writer, m *lifecycle.Relocated) { w.Value(m) }

func writeFormerID(w *jsonobject.Writer, f *lifecycle.FormerID) {
	w.Begin()
	w.Text("id", f.ID)
	w.Uint("record", f.Record)
	w.End()
}

// Note writes a note.
func Note(w *jsonobject.Writer, n *lifecycle.Note) {
	w.Begin()
	writeStamp(w, &n.Stamp)
	w.Text("text", n.Text)
	w.End()
}

// Deviation writes a deviation.
func Deviation(w *jsonobject.Writer, d *lifecycle.Deviation) { w.Value(d) }

// Approval writes an approval.
func Approval(w *jsonobject.Writer, a *lifecycle.Approval) { w.Value(a) }

// Entry writes an entry of the history.
func Entry(w *jsonobject.Writer, h *lifecycle.HistoryEntry) {
	w.Begin()
	writeStamp(w, &h.Stamp)
	w.Text("from", string(h.From))
	w.Text("to", string(h.To))
	Justification(w, &h.Justification)
	w.End()
}

// Justification writes a member that is a justification.
func Justification(w *jsonobject.Writer, j *lifecycle.Justification) {
	w.Object("justification")
	w.Text("reason", j.Reason)
	jsonobject.List(w, "evidence", j.Evidence, writeEvidence)
	w.End()
}

func writeStamp(w *jsonobject.Writer, s *lifecycle.Stamp) {
	w.Uint("revision", s.Revision)
	w.SomeUint("record", s.Record)
	w.SomeInt("rules", int64(s.Rules))
	w.Text("by", s.By)
	w.Text("role", string(s.Role))
	w.Time("at", s.At)
	w.Text("fingerprint", s.Fingerprint)
}

func writeEvidence(w *jsonobject.Writer, of *lifecycle.Evidence) {
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
		writeFound(w, of.Found)
	}
	w.End()
}

func writeFound(w *jsonobject.Writer, f *lifecycle.Found) {
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
		writeResults(w, f.Counts)
	}
	w.SomeText("run", f.Run)
	w.SomeTime("ran", f.Ran)
	w.End()
}

func writeResults(w *jsonobject.Writer, r *lifecycle.Results) {
	w.Begin()
	w.SomeInt("run", int64(r.Run))
	w.Int("passed", int64(r.Passed))
	w.Int("failed", int64(r.Failed))
	w.Int("skipped", int64(r.Skipped))
	w.End()
}
