// Package encode writes requests to the conductor, and who makes them, in the bytes of ledger.Encode, mostly without
// its reflection. Each run writes its obligations and its request in several rows.
package encode

import (
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/jsonobject"
)

// Obligation writes an obligation.
func Obligation(w *jsonobject.Writer, o *planning.Obligation) {
	w.Begin()
	w.Text("type", string(o.Type))
	w.SomeText("name", o.Name)
	w.Any("payload", o.Payload)
	w.End()
}

// Request writes a request.
func Request(w *jsonobject.Writer, r *planning.Request) {
	w.Begin()
	jsonobject.List(w, "obligations", r.Obligations, Obligation)
	if r.Budgets != (planning.Budgets{}) {
		w.Name("budgets")
		w.Value(r.Budgets)
	}
	w.SomeText("idempotency_key", r.IdempotencyKey)
	w.SomeInt("answer_within_s", int64(r.AnswerWithinS))
	w.End()
}

// Actor writes an actor.
func Actor(w *jsonobject.Writer, a audit.Actor) {
	w.Begin()
	w.Text("name", a.Name)
	w.Text("role", a.Role)
	w.End()
}
