package replay

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// encoder writes what most changes add to a requirement: the bytes of ledger.Encode, without its reflection.
type encoder struct{ jsonobject.Writer }

// definition writes the members that the documents have.
func (e *encoder) definition(d *lifecycle.Definition) {
	record.WriteDefinition(&e.Writer, d)
}

// state writes the members that change with every revision.
func (e *encoder) state(r *lifecycle.Requirement) {
	e.Text("status", string(r.Status))
	e.SomeText("held_from", string(r.HeldFrom))
	e.Bool("suspect", r.Suspect)
	e.Bool("retired", r.Retired)
	e.Uint("revision", r.Revision)
	e.SomeUint("rechecks", r.Rechecks)
	jsonobject.SomeList(&e.Writer, "former_ids", r.FormerIDs, e.formerID)
}

// work writes the members that the roles write, and what is known of them.
func (e *encoder) work(r *lifecycle.Requirement) {
	e.someJSON("design_spec", r.DesignSpec)
	e.someJSON("implementation", r.Implementation)
	if r.Test != nil {
		e.Some("test", e.library(r.Test))
	}
	jsonobject.SomeList(&e.Writer, "implementation_evidence", r.ImplementationEvidence, e.evidence)
	jsonobject.SomeList(&e.Writer, "stale", r.Stale, byLibrary[lifecycle.Stale](e))
	jsonobject.SomeList(&e.Writer, "moved", r.Moved, byLibrary[lifecycle.Relocated](e))
	e.SomeTime("text_since", r.TextSince)
	e.Object("stamps")
	e.someStamp("design_spec", &r.Stamps.DesignSpec)
	e.someStamp("implementation", &r.Stamps.Implementation)
	e.someStamp("test", &r.Stamps.Test)
	e.End()
}

// someJSON writes valid JSON as the library writes it: in its shortest form, and without needless escapes.
func (e *encoder) someJSON(name string, value json.RawMessage) {
	if bytes.IndexByte(value, '\\') < 0 {
		e.Some(name, decision.Compact(jsontext.Value(value)))
		return
	}
	e.Some(name, e.library(value))
}

// library returns what the library makes of a value.
func (e *encoder) library(of any) []byte {
	raw, err := ledger.Encode(of)
	e.Fail(err)
	return raw
}

// byLibrary returns a function that writes what the library makes of an element of a list.
func byLibrary[T any](e *encoder) func(*T) {
	return func(element *T) { e.B = append(e.B, e.library(element)...) }
}

func (e *encoder) someStamp(name string, s *lifecycle.Stamp) {
	if *s != (lifecycle.Stamp{}) {
		e.Object(name)
		e.stamp(s)
		e.End()
	}
}

func (e *encoder) formerID(f *lifecycle.FormerID) {
	e.Begin()
	e.Text("id", f.ID)
	e.Uint("record", f.Record)
	e.End()
}

func (e *encoder) note(n *lifecycle.Note) {
	e.Begin()
	e.stamp(&n.Stamp)
	e.Text("text", n.Text)
	e.End()
}

func (e *encoder) entry(h *lifecycle.HistoryEntry) {
	e.Begin()
	e.stamp(&h.Stamp)
	e.Text("from", string(h.From))
	e.Text("to", string(h.To))
	e.Object("justification")
	e.Text("reason", h.Justification.Reason)
	jsonobject.List(&e.Writer, "evidence", h.Justification.Evidence, e.evidence)
	e.End()
	e.End()
}

func (e *encoder) stamp(s *lifecycle.Stamp) {
	e.Uint("revision", s.Revision)
	e.SomeUint("record", s.Record)
	e.SomeInt("rules", int64(s.Rules))
	e.Text("by", s.By)
	e.Text("role", string(s.Role))
	e.Time("at", s.At)
	e.Text("fingerprint", s.Fingerprint)
}

func (e *encoder) evidence(of *lifecycle.Evidence) {
	e.Begin()
	e.Text("kind", of.Kind)
	e.SomeText("path", of.Path)
	e.SomeText("lines", of.Lines)
	e.SomeText("commit", of.Commit)
	e.SomeText("name", of.Name)
	e.SomeText("result", of.Result)
	e.SomeText("report", of.Report)
	e.SomeText("report_commit", of.ReportCommit)
	if of.Found != nil {
		e.Name("found")
		e.found(of.Found)
	}
	e.End()
}

func (e *encoder) found(f *lifecycle.Found) {
	e.Begin()
	e.Text("in", f.In)
	e.SomeText("commit", f.Commit)
	e.SomeBool("tip", f.Tip)
	e.SomeText("blob", f.Blob)
	e.SomeText("sha256", f.SHA256)
	e.SomeInt("bytes", f.Bytes)
	e.SomeTime("modified", f.Modified)
	e.SomeUint("record", f.Record)
	e.SomeText("format", f.Format)
	if f.Counts != nil {
		e.Name("counts")
		e.results(f.Counts)
	}
	e.SomeText("run", f.Run)
	e.SomeTime("ran", f.Ran)
	e.End()
}

func (e *encoder) results(r *lifecycle.Results) {
	e.Begin()
	e.SomeInt("run", int64(r.Run))
	e.Int("passed", int64(r.Passed))
	e.Int("failed", int64(r.Failed))
	e.Int("skipped", int64(r.Skipped))
	e.End()
}
