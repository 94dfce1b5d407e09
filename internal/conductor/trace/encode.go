package trace

import (
	"fmt"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/encode"
	"orchestrator/internal/system/jsonobject"
)

// encode returns the trace in the bytes of ledger.Encode, mostly without its reflection: each run writes one.
func (t *Trace) encode() ([]byte, error) {
	raw, err := jsonobject.Bytes(t.write)
	if err != nil {
		return nil, fmt.Errorf("encode %T %s: %w", *t, t.ID, err)
	}
	return raw, nil
}

func (t *Trace) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", t.ID)
	w.Text("status", string(t.Status))
	w.SomeText("outcome", string(t.Outcome))
	w.Name("caller")
	encode.Actor(w, t.Caller)
	w.Text("tools", t.Tools)
	jsonobject.List(w, "obligations", t.Obligations, writeObligation)
	jsonobject.List(w, "answers", t.Answers, writeAnswer)
	w.SomeTexts("missing_capabilities", t.Missing)
	w.End()
}

func writeObligation(w *jsonobject.Writer, t *Obligation) {
	w.Begin()
	w.Text("id", t.ID)
	w.Name("obligation")
	encode.Obligation(w, &t.Obligation)
	w.Text("status", string(t.Status))
	w.Text("outcome", string(t.Outcome))
	w.SomeText("why", t.Why)
	if t.Refusal != nil {
		w.SomeValue("refusal", t.Refusal)
	}
	jsonobject.List(w, "candidates", t.Candidates, writeCandidate)
	jsonobject.List(w, "runs", t.Runs, writeRun)
	if t.Verified != nil {
		w.Name("verification")
		writeVerification(w, t.Verified)
	}
	w.Name("emitted")
	w.Value(t.Emitted)
	if len(t.Takes) > 0 {
		w.SomeValue("takes", t.Takes)
	}
	jsonobject.SomeList(w, "steps", t.Steps, writeObligation)
	if len(t.Given) > 0 {
		w.SomeValue("given", t.Given)
	}
	w.End()
}

func writeCandidate(w *jsonobject.Writer, c *Candidate) {
	w.Begin()
	w.Text("tool", c.Tool)
	w.Bool("taken", c.Taken)
	w.Text("reason", c.Reason)
	w.End()
}

func writeRun(w *jsonobject.Writer, r *Run) {
	w.Begin()
	w.Text("id", r.ID)
	w.Text("tool", r.Tool)
	w.Any("inputs", r.Inputs)
	w.SomeAny("result", r.Result)
	w.Text("status", r.Status)
	if r.Error != nil {
		w.SomeValue("error", r.Error)
	}
	w.Float("duration_ms", r.DurationMS)
	jsonobject.List(w, "postconditions", r.Postconditions, writeVerdict)
	if r.Usage != nil {
		w.SomeValue("usage", r.Usage)
	}
	w.End()
}

func writeVerdict(w *jsonobject.Writer, v *contract.Verdict) {
	w.Begin()
	w.Text("condition", v.Condition)
	w.Bool("holds", v.Holds)
	w.SomeText("why", v.Why)
	w.End()
}

func writeVerification(w *jsonobject.Writer, v *Verification) {
	w.Begin()
	w.Text("by", v.By)
	w.SomeTexts("with", v.With)
	w.Bool("verified", v.Verified)
	w.SomeText("why", v.Why)
	if len(v.Sources) > 0 {
		w.SomeValue("sources", v.Sources)
	}
	w.End()
}

func writeAnswer(w *jsonobject.Writer, a *Answer) {
	w.Begin()
	w.Text("obligation", a.Obligation)
	w.SomeAny("result", a.Result)
	w.Text("text", a.Text)
	w.SomeBool("uncertain", a.Uncertain)
	if a.Rephrased != nil {
		w.Bool("rephrased", *a.Rephrased)
	}
	w.SomeText("not_rephrased", a.NotRephrased)
	w.End()
}
