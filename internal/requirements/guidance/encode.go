package guidance

import (
	"orchestrator/internal/requirements/encode"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// AppendJSON appends the outcome in the bytes of the library, without its reflection: each answer to a change has one.
func (o Outcome) AppendJSON(b []byte) ([]byte, error) {
	w := &jsonobject.Writer{B: b}
	w.Begin()
	jsonobject.List(w, "waiting_for", o.WaitingFor, writeParty)
	jsonobject.List(w, "next", o.Next, writeLead)
	if len(o.Warnings) > 0 {
		w.SomeValue("warnings", o.Warnings)
	}
	w.End()
	return w.B, w.Err
}

func writeParty(w *jsonobject.Writer, p *lifecycle.Party) { w.Quote(string(*p)) }

func writeLead(w *jsonobject.Writer, l *Lead) {
	w.Begin()
	w.Text("by", string(l.By))
	w.SomeText("to", string(l.To))
	w.SomeText("field", l.Field)
	w.SomeText("needs", l.Needs)
	w.SomeText("request", l.Request)
	if l.Example != nil {
		writeExample(w, l.Example)
	}
	w.End()
}

// writeExample writes the members that the examples of moves have, and leaves others to the library.
func writeExample(w *jsonobject.Writer, of *Body) {
	before := len(w.B)
	w.Object("example")
	empty := len(w.B)
	w.SomeText("status", string(of.Status))
	if of.Justification != nil {
		encode.Justification(w, of.Justification)
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
