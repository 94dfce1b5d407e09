package live

import (
	"net/http"
	"net/url"
	"time"

	"orchestrator/internal/httpapi/wire"
)

const (
	mostWait   = time.Minute
	answerTime = time.Minute // to send the answer when the wait is over
)

// handler is a request that succeeds or says why not.
type handler = func(http.ResponseWriter, *http.Request) error

// Waiting returns a handler that answers as another one does. Where a client sends wait, and has the version that there
// is, it answers when there is another, or when the time is over.
//
// Implements: ORC-304
func (h *Handlers) Waiting(answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.RawQuery == "" {
			return answer(w, r)
		}
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil || len(values["wait"]) != 1 {
			return answer(w, r) // which refuses what it must
		}
		limit, err := waitOf(values.Get("wait"), r)
		if err != nil {
			return err
		}
		leave, err := h.places.take(wire.CallOf(w).Held.Token())
		if err != nil {
			return err
		}
		defer leave()
		return h.wait(w, r, limit, answer)
	}
}

func waitOf(text string, r *http.Request) (time.Duration, error) {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > mostWait {
		return 0, wire.Parameter("wait", "%q is no duration of at most %d s", wire.Clip(text), int(mostWait.Seconds())).
			WithFix("write a number with its unit, such as wait=30s")
	}
	if len(r.Header["If-None-Match"]) == 0 {
		return 0, wire.Parameter("wait", "there is no If-None-Match, whose version could become another").
			WithFix("send If-None-Match with the ETag of the answer that you have, or leave wait out")
	}
	return limit, nil
}

// wait answers when the client has another version than there is, at the latest when the time is over. The version is
// looked at each time that the log has grown, which all that waits shares a part of a processor for.
func (h *Handlers) wait(w http.ResponseWriter, r *http.Request, limit time.Duration,
	answer handler) error {
	control, c := http.NewResponseController(w), wire.CallOf(w)
	_ = control.SetReadDeadline(time.Time{}) // the server's own is for the request, which was read
	_ = control.SetWriteDeadline(time.Now().Add(limit + answerTime))
	over := time.NewTimer(limit)
	defer over.Stop()
	for goes := true; goes; {
		size, begun := h.Ledger.Head().Size, time.Now()
		delete(w.Header(), "Etag") // of the look before
		c.Hold, c.Current = true, false
		err := answer(w, r)
		c.Hold = false
		if err != nil || !c.Current {
			return err
		}
		rest := time.NewTimer(min(4*time.Since(begun)*time.Duration(h.places.taken()), time.Second))
		goes = until(h, r, over.C, h.Ledger.Grown(size)) && h.Ledger.Err() == nil && until(h, r, over.C, rest.C)
		rest.Stop()
		if err := h.Allowed(w, r); err != nil {
			return err
		}
	}
	return answer(w, r)
}

// until waits, and reports whether it came before the end of the wait.
func until[T any](h *Handlers, r *http.Request, over <-chan time.Time, what <-chan T) bool {
	select {
	case <-what:
		return true
	case <-over:
	case <-h.Stopping:
	case <-r.Context().Done():
	}
	return false
}
