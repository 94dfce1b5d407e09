package state

import (
	"fmt"
	"strconv"

	"orchestrator/internal/conductor/encode"
	"orchestrator/internal/ledger"
	"orchestrator/internal/system/jsonobject"
)

// row is the value of a row that nearly every run has. It writes itself in the bytes of ledger.Encode, mostly without
// its reflection.
type row interface{ write(w *jsonobject.Writer) }

var _ = []row{Request{}, Obligation{}, ToolRun{}, Evidence{}, Assertion{}, Source{}, Event{}}

// encoded returns the value of a row in the bytes of ledger.Encode.
func encoded(value any) ([]byte, error) {
	r, is := value.(row)
	if !is {
		return ledger.Encode(value)
	}
	raw, err := jsonobject.Bytes(r.write)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", value, err)
	}
	return raw, nil
}

func (r Request) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", r.ID)
	w.Uint("number", r.Number)
	w.Name("caller")
	encode.Actor(w, r.Caller)
	w.Name("request")
	encode.Request(w, &r.Request)
	w.Bool("ended", r.Ended)
	w.SomeText("token", r.Token)
	w.End()
}

// writeNamed writes what the name of a request is made of.
func (r *Request) writeNamed(w *jsonobject.Writer, registry string) {
	w.B = strconv.AppendUint(append(w.B, '['), r.Number, 10)
	w.B = append(w.B, ',')
	encode.Actor(w, r.Caller)
	w.B = append(w.B, ',')
	encode.Request(w, &r.Request)
	w.B = append(w.B, ',')
	w.Quote(registry)
	w.B = append(w.B, ']')
}

func (o Obligation) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", o.ID)
	w.Text("run", o.Run)
	w.Text("status", string(o.Status))
	w.Name("obligation")
	encode.Obligation(w, &o.Of)
	w.SomeText("why", o.Why)
	w.End()
}

func (t ToolRun) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", t.ID)
	w.Text("run", t.Run)
	w.Text("tool", t.Tool)
	w.Text("version", t.Version)
	w.Any("inputs", t.Inputs)
	w.SomeAny("result", t.Result)
	w.Text("status", t.Status)
	if t.Error != nil {
		w.SomeValue("error", t.Error)
	}
	w.Time("at", t.At)
	w.Float("duration_ms", t.DurationMS)
	if t.Usage != nil {
		w.SomeValue("usage", t.Usage)
	}
	w.Bool("agent", t.Agent) // omitempty does not leave out a bool
	w.SomeText("requirement", t.Requirement)
	w.End()
}

func (e Evidence) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", e.ID)
	w.Text("run", e.Run)
	w.Text("by", e.By)
	w.Bool("verified", e.Verified)
	w.SomeText("why", e.Why)
	w.SomeTexts("with", e.With)
	if e.Finding != nil {
		w.SomeValue("finding", e.Finding)
	}
	w.End()
}

func (a Assertion) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", a.ID)
	w.Text("subject", a.Subject)
	w.Text("predicate", a.Predicate)
	w.Any("object", a.Object)
	w.Float("confidence", a.Confidence)
	w.Time("since", a.Since)
	w.SomeTime("until", a.Until)
	w.Text("source", a.Source)
	w.SomeText("scope", a.Scope)
	w.End()
}

func (s Source) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", s.ID)
	w.Text("kind", s.Kind)
	w.Text("name", s.Name)
	w.Text("run", s.Run)
	w.Time("at", s.At)
	w.SomeTexts("from", s.From)
	w.SomeTexts("words", s.Words)
	w.End()
}

func (e Event) write(w *jsonobject.Writer) {
	w.Begin()
	w.Text("id", e.ID)
	w.Text("run", e.Run)
	w.Text("kind", e.Kind)
	w.Text("what", e.What)
	w.Time("at", e.At)
	w.End()
}
