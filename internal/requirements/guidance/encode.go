package guidance

import (
	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/requirements/encode"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// AppendJSON appends the outcome in the bytes of the library, without its reflection: each answer to a change has one.
func (o Outcome) AppendJSON(b []byte) ([]byte, error) {
	w := writer{encode.Writer{Writer: jsonobject.Writer{B: b}}}
	w.Begin()
	jsonobject.List(&w.Writer.Writer, "waiting_for", o.WaitingFor, func(p *lifecycle.Party) { w.Quote(string(*p)) })
	jsonobject.List(&w.Writer.Writer, "next", o.Next, w.lead)
	if len(o.Warnings) > 0 {
		w.byLibrary("warnings", o.Warnings)
	}
	w.End()
	return w.B, w.Err
}

type writer struct{ encode.Writer }

func (w *writer) lead(l *Lead) {
	w.Begin()
	w.Text("by", string(l.By))
	w.SomeText("to", string(l.To))
	w.SomeText("field", l.Field)
	w.SomeText("needs", l.Needs)
	w.SomeText("request", l.Request)
	if l.Example != nil {
		w.example(l.Example)
	}
	w.End()
}

// example writes the members that the examples of moves have, and leaves others to the library.
func (w *writer) example(of *Body) {
	before := len(w.B)
	w.Object("example")
	empty := len(w.B)
	w.SomeText("status", string(of.Status))
	if of.Justification != nil {
		w.Justification(of.Justification)
	}
	w.SomeText("accept_fingerprint", of.AcceptFingerprint)
	if len(of.PMNotes)+len(of.Deviations)+len(of.Approvals) > 0 {
		w.byLibrary("pm_notes", of.PMNotes)
		w.byLibrary("deviations", of.Deviations)
		w.byLibrary("approvals", of.Approvals)
	}
	if of.DesignSpec != nil {
		w.byLibrary("design_spec", of.DesignSpec)
	}
	if of.Implementation != nil {
		w.byLibrary("implementation", of.Implementation)
	}
	if of.Test != nil {
		w.byLibrary("test", of.Test)
	}
	if len(w.B) == empty {
		w.B = w.B[:before]
		return
	}
	w.End()
}

// byLibrary writes a member as the library does, unless that is empty.
func (w *writer) byLibrary(name string, of any) {
	raw, err := jsonv2.Marshal(of)
	w.Fail(err)
	w.Some(name, raw)
}
