package httpapi

import (
	"net/http"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

type actor = lifecycle.Actor

// actorOf returns the actor of the call; authenticate has set it.
func actorOf(w http.ResponseWriter) actor { return callOf(w).who }

// call is what is known of one request.
type call struct {
	id    string
	start time.Time
	who   actor
	only  string     // the id of the requirement that its token is bound to; "" where it is not
	code  fault.Code // of the problem it was answered with
	cause error      // what is logged and never shown
	held  holding
}

// callOf returns the call that w answers. It travels with the answer, not in the context, where it would cost a copy
// of every request.
func callOf(w http.ResponseWriter) *call {
	if r, ok := w.(*recorder); ok {
		return &r.call
	}
	return &call{} // outside of observe, in no real request
}

// recorder is an answer that remembers what was written, and what call it is for.
type recorder struct {
	http.ResponseWriter
	call   call
	status int // 0 until the header is written
	bytes  int
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.call.held.rest() // a client that does not read its answer keeps no turn
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
		w.call.held.rest()
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap serves http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
