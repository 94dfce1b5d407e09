package live

import (
	"context"
	"errors"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/feed"
)

// stream is one client that is sent events.
type stream struct {
	*Handlers
	w       http.ResponseWriter
	control *http.ResponseController
	reader  feed.Reader
	wants   feed.Filter

	next    uint64    // number of the record that comes next
	told    uint64    // the next that the client knows of
	checked time.Time // when its token was looked at
	wrote   time.Time
}

// Events sends the records of the log as server-sent events, from the number that the client names on.
//
// Implements: ORC-301
func (h *Handlers) Events(w http.ResponseWriter, r *http.Request) error {
	s := &stream{Handlers: h, w: w, control: http.NewResponseController(w), checked: time.Now()}
	if err := s.ask(r); err != nil {
		return err
	}
	if err := h.stopping(); err != nil {
		return err
	}
	leave, err := h.places.take(wire.CallOf(w).Held.Token())
	if err != nil {
		return err
	}
	defer leave()
	s.head()
	if r.Method == http.MethodHead {
		return nil
	}
	s.reader = h.feed.Open()
	defer s.reader.Close()
	if err := s.run(r); errors.Is(err, os.ErrDeadlineExceeded) {
		h.dropped.Add(1)
	}
	return nil // what went wrong was said in the stream, or nobody reads it
}

// ask reads what the client wants to follow, and from where on.
func (s *stream) ask(r *http.Request) error {
	if wire.Qualities(r)(mediaType) == 0 {
		return fault.New(fault.NotAcceptable, "not_acceptable", "events are given as %s", mediaType).
			WithFix("send Accept: %s, or no Accept; GET /audit answers a page of the log as JSON", mediaType)
	}
	values, err := wire.Query(r, "since", "kind...", "role...", "requirement...")
	if err != nil {
		return err
	}
	if s.wants, err = filter.Follow(values, s.Kinds, s.Log.Threads); err != nil {
		return err
	}
	size := s.Ledger.Head().Size
	if s.next, err = wire.NumberParameter(values, "since", size, 0, math.MaxInt64); err != nil {
		return err
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, err := strconv.ParseUint(last, 10, 63)
		if err != nil {
			return wire.Parameter("Last-Event-ID", "%q is not the id of an event", wire.Clip(last)).
				WithFix("send the id of the last event that you have, or leave the header out")
		}
		s.next = n + 1
	}
	if s.told = s.next; s.next > size {
		return fault.New(fault.NotFound, "beyond_log", "the log has %d records, and none with the number %d",
			size, s.next-1).
			WithFix("read the state anew, and follow with since=%d", size)
	}
	return nil
}

const mediaType = "text/event-stream"

var (
	typeEvents = []string{mediaType}
	noStore    = []string{"no-store"}
	unbuffered = []string{"no"}
)

// head begins the answer.
func (s *stream) head() {
	h := s.w.Header()
	h["Content-Type"], h["Cache-Control"], h["X-Accel-Buffering"] = typeEvents, noStore, unbuffered
	s.w.WriteHeader(http.StatusOK)
}

// run sends what there is until the client is gone or may not have more.
func (s *stream) run(r *http.Request) error {
	_ = s.control.SetReadDeadline(time.Time{}) // the server's own is for the request, which was read
	if err := s.write([]byte(greeting)); err != nil {
		return err
	}
	for {
		records, err := s.await(r.Context())
		if now := time.Now(); err == nil && now.Sub(s.checked) >= recheck {
			s.checked, err = now, s.Allowed(s.w, r)
		}
		switch {
		case r.Context().Err() != nil:
			return nil //nolint:nilerr // the client has gone
		case err != nil:
			return s.write(endOf(err, s.next))
		}
		if err := s.send(records); err != nil {
			return err
		}
	}
}

// await returns the records that come next; none where the token or the pulse is due first.
func (s *stream) await(ctx context.Context) ([]feed.Record, error) {
	due := s.checked.Add(recheck)
	if pulse := s.wrote.Add(s.Pulse); pulse.Before(due) {
		due = pulse
	}
	timed, cancel := context.WithDeadline(ctx, due)
	defer cancel()
	records, err := s.reader.Next(timed, s.next)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, nil
	}
	return records, err
}

// send writes those records that are followed, or else a pulse when it is due. Records in a row are written together.
func (s *stream) send(records []feed.Record) error {
	var sent uint64
	for i := 0; i < len(records); i++ {
		first := i
		for i < len(records) && s.wants.Passes(records[i]) {
			i++
		}
		if i == first {
			continue
		}
		if err := s.append(feed.Together(records[first:i])); err != nil {
			return err
		}
		sent += uint64(i - first)
		s.told = records[i-1].Number + 1
	}
	if len(records) > 0 {
		s.next = records[len(records)-1].Number + 1
	}
	switch {
	case sent > 0:
		s.sent.Add(sent)
		return s.control.Flush()
	case time.Since(s.wrote) >= s.Pulse:
		frame := pulse(s.told, s.next)
		s.told = s.next
		return s.write(frame)
	}
	return nil
}

// write sends what is written to the client.
func (s *stream) write(frame []byte) error {
	if err := s.append(frame); err != nil {
		return err
	}
	return s.control.Flush()
}

// append writes to the client, which has its time to take it.
//
// Implements: ORC-302
func (s *stream) append(frames []byte) error {
	s.wrote = time.Now()
	_ = s.control.SetWriteDeadline(s.wrote.Add(s.Patience))
	_, err := s.w.Write(frames)
	return err
}
