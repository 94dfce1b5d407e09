package conductor

import (
	"context"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
)

// Asked is a request together with the utterance that it was made of.
type Asked struct {
	planning.Request
	Utterance string // "" where obligations were sent
	Token     string // id of the token that it was sent with, with which schedules end; "" keeps none
	Scheduled string // says which schedule conducts it, and for which time; "" where somebody asks

	// Translate makes the obligations, where the words have to be translated first; nil where they are there. It is
	// called once, and not for an idempotency key that was used before. It may make other obligations of the same
	// words, so those are compared then.
	Translate func(ctx context.Context) ([]planning.Obligation, error)
	Rephrase  Rephrase // nil leaves the answers as the templates have them
	// called before the run waits for what is outside of the process; may be nil, and be called again
	OnWait func()
}

// Rephrase rephrases a draft. The facts are context. With an error the draft stands.
type Rephrase = trace.Rephrase

// eventUtterance is the id and the kind of the event that records the utterance.
const eventUtterance = "utterance"

// keyOwner returns in whose name the idempotency key stands: the caller's, or nobody's if the request is a schedule's.
// No caller can write a key of nobody, and so take a time of a schedule before it is due.
func (a Asked) keyOwner(caller Caller) string {
	if a.Scheduled != "" {
		return ""
	}
	return caller.Name
}

// sameAs reports whether an idempotency key names the same request as before; said is its utterance.
func (a Asked) sameAs(first planning.Request, said string) bool {
	if a.Translate != nil {
		return said == secret.Mask(a.Utterance)
	}
	return state.Equal(first, a.Request) || a.Utterance != "" && said == secret.Mask(a.Utterance) // on another day
}

// putOrigin logs what the run comes from: what was said, but for what looks like a secret, or a schedule.
func (a Asked) putOrigin(w *state.Writer) error {
	if a.Scheduled != "" {
		return w.Event(state.Event{ID: "scheduled", Kind: "run.scheduled", What: a.Scheduled})
	}
	if a.Utterance == "" {
		return nil
	}
	return w.Event(state.Event{ID: eventUtterance, Kind: eventUtterance, What: secret.Mask(a.Utterance)})
}
