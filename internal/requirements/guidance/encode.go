package guidance

import (
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
		w.SomeValue("warnings", o.Warnings)
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
		w.SomeValue("pm_notes", of.PMNotes)
		w.SomeValue("deviations", of.Deviations)
		w.SomeValue("approvals", of.Approvals)
	}
	if of.DesignSpec != nil {
		w.SomeValue("design_spec", of.DesignSpec)
	}
	if of.Implementation != nil {
		w.SomeValue("implementation", of.Implementation)
	}
	if of.Test != nil {
		w.SomeValue("test", of.Test)
	}
	if len(w.B) == empty {
		w.B = w.B[:before]
		return
	}
	w.End()
}
