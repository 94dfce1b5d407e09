package conductor

import (
	"context"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/replying"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
)

// Reply is an answer to a question of a run.
type Reply = questions.Reply

// Answer records the answer to a question that waits, with its source, and goes on with the run where it stood. The
// same answer of the same caller again gives the trace as it is now.
func (c *Conductor) Answer(ctx context.Context, caller Caller, run string, reply Reply) (Trace, error) {
	if err := c.state.CheckBudget(ctx, caller); err != nil {
		return Trace{}, err
	}
	var before storedTrace
	request, repeated, err := replying.Record(ctx, c.state, caller, run, reply, &before)
	if err != nil || repeated {
		return before.Trace, err
	}
	r := c.newRun(request)
	if r.earlier, err = earlierOf(ctx, c.state, run); err != nil {
		return Trace{}, err
	}
	return c.runDetached(ctx, r)
}

// storedTrace is the trace of a run that is answered.
type storedTrace struct{ Trace }

// Read makes it a replying.Trace.
func (s *storedTrace) Read(raw jsontext.Value) error {
	return jsonv2.Unmarshal(raw, &s.Trace, strictjson.Exact)
}

// Lapse makes it a replying.Trace.
func (s *storedTrace) Lapse(all []state.Question, now time.Time) bool {
	return lapse(&s.Trace, all, now)
}

// Write makes it a replying.Trace.
func (s *storedTrace) Write(w *state.Writer) error {
	for _, t := range s.Obligations {
		if err := putObligation(w, t); err != nil {
			return err
		}
	}
	raw, err := ledger.Encode(s.Trace)
	if err != nil {
		return err
	}
	return w.Trace(raw)
}

// Asked makes it a replying.Trace.
func (s *storedTrace) Asked(id string) planning.Obligation {
	for _, t := range s.Obligations {
		if t.ID == id {
			return t.Obligation
		}
	}
	return planning.Obligation{}
}
