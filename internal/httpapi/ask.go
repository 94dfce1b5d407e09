package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/spoken"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// translating is how long a language model may take to understand an utterance, its repair included. With the
// rephrasing it has to fit into the time that the server has for an answer.
const translating = 20 * time.Second

// ask runs what an utterance asks for.
func (h *conductorHandlers) ask(w http.ResponseWriter, r *http.Request) error {
	body, err := wire.ReadUnqueried(w, r)
	var asked conductor.Asked
	if err == nil {
		asked, err = h.understood(r.Context(), body)
	}
	if err != nil {
		return h.refused(w, r, body, err)
	}
	return h.conducted(w, r, body, asked)
}

// understood reads an utterance by the grammar. What that does not understand is left to the language model, where
// there is one.
func (h *conductorHandlers) understood(ctx context.Context, body []byte) (asked conductor.Asked, err error) {
	if _, err := strictjson.Parse(body); err != nil {
		return asked, err
	}
	if err := refuseSecrets(body); err != nil {
		return asked, err
	}
	said, err := spoken.Read(body)
	if err != nil {
		return asked, err
	}
	asked.Utterance = said.Utterance
	asked.Request, err = language.In(said.Utterance, h.Conductor.Clock())
	spoken.Whole(asked.Request.Obligations, h.Service.Whole)
	spoken.Complete(ctx, asked.Request.Obligations, h.Conductor.Project)
	if h.Model != nil && fault.Is(err, language.CodeNotUnderstood) {
		asked.Translate, err = h.translation(said.Utterance, err), nil
	}
	asked.IdempotencyKey, asked.AnswerWithinS = said.IdempotencyKey, said.AnswerWithinS
	if said.Rephrase {
		asked.Rephrase = h.rephrase
	}
	return asked, err
}

// translation asks the language model for obligations, which have to fit the schema as anybody's do. Where it does not
// understand either, or means an act, the caller is asked.
func (h *conductorHandlers) translation(utterance string,
	notUnderstood error) func(context.Context) ([]planning.Obligation, error) {
	return func(ctx context.Context) ([]planning.Obligation, error) {
		schema, err := schemas.Bundle(schemas.Obligations) // the endpoint has no way to other files
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, translating)
		defer cancel()
		request, err := h.Model.In(ctx, utterance, string(schema), func(made []byte) error {
			request, err := obligations(made)
			if err == nil {
				err = h.Conductor.Check(request)
			}
			return err
		})
		if fault.Is(err, language.CodeInvalid) {
			return []planning.Obligation{spoken.Question(notUnderstood)}, nil
		}
		return spoken.Confirmed(spoken.Whole(request.Obligations, h.Service.Whole), h.Conductor.Clock()), err
	}
}

// rephrase lets the language model say a draft in other words, which is refused what the draft does not say.
func (h *conductorHandlers) rephrase(ctx context.Context, facts []string, draft string) (string, error) {
	if h.Model == nil {
		return draft, errors.New("the service has no language model")
	}
	return h.Model.Out(ctx, facts, draft)
}

// forms lists what can be said. Days in the examples are those of the clock.
func (h *conductorHandlers) forms(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, spoken.Listing(h.Conductor.Clock()))
}
