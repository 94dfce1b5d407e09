package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/conductor"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/changing"
	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/httpapi/replica"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
)

// problemBody is a problem with what is said of a run in which no tool was there for an obligation, or whose one change
// was refused.
type problemBody struct {
	problem.Problem
	Run     string              `json:"run,omitempty"`
	Missing []string            `json:"missing_capabilities,omitempty"`
	Emitted []conductor.Emitted `json:"emitted,omitempty"`
	Answers []conductor.Answer  `json:"answers,omitempty"` // to the others
}

// handle answers with what a handler did. No other place makes an answer of an error.
func (a *API) handle(fn handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := fn(w, r); err != nil {
			a.writeProblem(w, r, err)
		}
	}
}

// writeProblem answers with an error, and keeps what the log is to say of it.
func (a *API) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	c := wire.CallOf(w)
	if a.Replica != nil {
		err = replica.Told(r.Context(), err)
	}
	shown, gone := err, errors.Is(err, context.Canceled) && r.Context().Err() != nil
	if gone {
		shown = hungUp(err)
	}
	if recorded, is := errors.AsType[requirements.OnRecord](err); is {
		changing.SetReceipt(w, recorded.Receipt)
	}
	p := problem.Of(shown, c.ID)
	if p.Status >= http.StatusInternalServerError && !gone {
		c.Cause = err
	}
	c.Code = p.Code
	a.metrics.problems.WithLabelValues(string(c.Code)).Inc()
	body, failed := encodeProblem(p, err)
	if failed != nil {
		p.Status, c.Cause = http.StatusInternalServerError, failed
	}
	setProblemHeaders(w.Header(), p, len(body))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // the client may be gone; nothing is left to do for it
	if p.Status == http.StatusRequestEntityTooLarge || p.Code == inflight.CodeInFlight {
		a.bodies.Discard(w, r)
	}
}

// hungUp returns the error of a request whose client is gone: it is for the log, which nothing is hidden from, and
// nobody reads the answer.
func hungUp(err error) error {
	f := fault.As(err)
	if f == nil {
		return fault.New(fault.Unavailable, "client_gone", "the client hung up before its answer").ForClients()
	}
	shown := *f
	return shown.ForClients()
}

// encodeProblem returns the body of an answer. With an error, it is one that says no more than that.
func encodeProblem(p problem.Problem, err error) ([]byte, error) {
	full := problemBody{Problem: p}
	if missing, is := errors.AsType[*missingCapabilities](err); is {
		full.Run, full.Missing, full.Emitted = missing.trace.ID, missing.trace.Missing, missing.emitted()
		full.Answers = missing.trace.Answers
	}
	if refused, is := errors.AsType[*refusedRun](err); is {
		full.Run = refused.trace.ID
	}
	body, err := jsonv2.Marshal(full, jsonv2.Deterministic(true))
	if err != nil { // only a text that is not UTF-8 can do this
		body = []byte(
			`{"type":"/problems/internal","title":"Internal Server Error","status":500,` +
				`"detail":"the problem could not be written","instance":"` + p.Instance + `","code":"internal","retryable":false}`)
	}
	return append(body, '\n'), err
}

func setProblemHeaders(h http.Header, p problem.Problem, length int) {
	h.Del("ETag")
	if p.Status != http.StatusNotAcceptable {
		h.Del("Vary") // of the answer that it stands for
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(length))
	h.Set("Cache-Control", "no-store")
	if retry := p.RetrySeconds(); retry != "" {
		h.Set("Retry-After", retry)
	}
	if p.Status == http.StatusRequestTimeout || p.Status == http.StatusRequestEntityTooLarge {
		h.Set("Connection", "close")
	}
}
