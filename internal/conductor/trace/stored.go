package trace

import (
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
)

// In returns the trace of a run as it is stored. It has no ID if there is none.
func In(v state.View, id string) (t Trace, err error) {
	raw, err := v.Trace(id)
	if err == nil && raw != nil {
		err = t.Read(raw)
	}
	return t, err
}

// At returns the trace of a run as it is at a moment, and its bytes; nil if it has none. Questions that have expired
// have failed their obligations, whether or not that is on record.
func At(v state.View, id string, now time.Time) (t Trace, raw jsontext.Value, err error) {
	if raw, err = v.Trace(id); err != nil || raw == nil {
		return t, raw, err
	}
	all, err := v.Questions(id)
	if err == nil {
		err = t.Read(raw)
	}
	if err == nil && t.Lapse(all, now) {
		raw, err = t.encode()
	}
	return t, raw, err
}

// EarlierOf returns what a run had come to; nil if it has not ended yet.
func EarlierOf(v state.View, run string) (*Earlier, error) {
	t, err := In(v, run)
	if err != nil || t.ID == "" {
		return nil, err
	}
	all, err := v.Questions(run)
	return &Earlier{t, all}, err
}

// Read takes over a trace as it is stored.
func (t *Trace) Read(raw jsontext.Value) error { return jsonv2.Unmarshal(raw, t, strictjson.Exact()) }

// Write writes the trace, and its obligations.
func (t *Trace) Write(w *state.Writer) error {
	raw, err := t.encode()
	if err != nil {
		return err
	}
	for one := range t.Each() {
		if err := one.Put(w); err != nil {
			return err
		}
	}
	t.encoded = raw
	return w.Trace(raw)
}

// Encoded returns the trace as it is stored, if it has not been changed since; nil where it was not written.
func (t *Trace) Encoded() jsontext.Value { return t.encoded }

// Asked returns an obligation of the run.
func (t *Trace) Asked(id string) planning.Obligation {
	for one := range t.Each() {
		if one.ID == id {
			return one.Obligation
		}
	}
	return planning.Obligation{}
}

// Put writes the obligation, what it gave rise to, and how its answer was evaluated.
func (t *Obligation) Put(w *state.Writer) error {
	if err := w.Obligation(state.Obligation{ID: t.ID, Status: t.Status, Of: t.Obligation, Why: t.Why}); err != nil {
		return err
	}
	for _, e := range t.Emitted {
		if err := e.count(w); err != nil {
			return err
		}
		if err := w.Obligation(state.Obligation{ID: e.ID, Status: e.Status, Of: e.Obligation}); err != nil {
			return err
		}
	}
	if t.Verified == nil || t.Verified.By == ByNothing {
		return nil
	}
	return w.Evidence(t.Evidence(t.Verified, nil))
}

// Evidence returns the row of a verification; finding is the whole of what was found, while the run goes on.
func (t *Obligation) Evidence(v *Verification, finding jsontext.Value) state.Evidence {
	return state.Evidence{ID: t.ID, By: v.By, With: v.With, Verified: v.Verified, Why: v.Why, Finding: finding}
}

// count counts what no tool satisfied, the first time that it is written.
func (e Emitted) count(w *state.Writer) error {
	capability, is := e.Obligation.Payload["capability"].(string)
	if e.Obligation.Type != planning.DiscoverOp || !is {
		return nil
	}
	return w.Sought(capability, e.ID)
}
