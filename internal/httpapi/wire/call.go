package wire

import (
	"net/http"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/rules/lifecycle"
)

// ActorOf returns the actor of the call; authenticate has set it.
func ActorOf(w http.ResponseWriter) lifecycle.Actor { return CallOf(w).Who }

// Call is what is known of one request.
type Call struct {
	ID     string
	Start  time.Time
	Who    lifecycle.Actor
	Only   string     // the id of the requirement that its token is bound to; "" where it is not
	Holder string     // who claims: its token, or the run that it is for
	Code   fault.Code // of the problem it was answered with
	Cause  error      // what is logged and never shown
	Held   inflight.Holding
	Read   *http.Request // where it only reads, and its answer has a version

	// Assumed says that the caller was identified by tokens that another process may have changed meanwhile; By has them.
	Assumed bool
	By      []byte

	Hold    bool // nothing is written while the client has the current version
	Current bool // it has; set where Hold is
}

// Unversioned keeps an answer that is of the moment from being compared with a copy.
func Unversioned(w http.ResponseWriter) { CallOf(w).Read = nil }

// CallOf returns the call that w answers. It travels with the answer, not in the context, where it would cost a copy
// of every request.
func CallOf(w http.ResponseWriter) *Call {
	if r, ok := w.(*Recorder); ok {
		return &r.Call
	}
	return &Call{} // outside of observe, in no real request
}

// Recorder is an answer that remembers what was written, and what call it is for.
type Recorder struct {
	http.ResponseWriter
	Call   Call
	Status int // 0 until the header is written
	Bytes  int
}

func (w *Recorder) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
		w.Call.Held.Rest() // a client that does not read its answer keeps no turn
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *Recorder) Write(b []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
		w.Call.Held.Rest()
	}
	n, err := w.ResponseWriter.Write(b)
	w.Bytes += n
	return n, err
}

// Unwrap serves http.ResponseController.
func (w *Recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
