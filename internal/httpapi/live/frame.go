package live

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/ledger/feed"
)

// greeting begins a stream, so that its client sees at once that it is open: it says when to connect again.
const greeting = "retry: 2000\n\n"

// appendEvent appends a record as an event. Its bytes are one line: JSON that the ledger encoded.
func appendEvent(to []byte, r feed.Record) []byte {
	to = append(to, "id: "...)
	to = strconv.AppendUint(to, r.Number, 10)
	to = append(to, "\nevent: "...)
	to = append(to, r.Kind...)
	to = append(to, "\ndata: "...)
	to = append(to, r.Bytes...)
	return append(to, "\n\n"...)
}

// pulse returns what shows that a stream is alive. An id without data is no event, and the client keeps it: it does not
// ask again for what was passed over.
func pulse(told, next uint64) []byte {
	frame := []byte(":\n")
	if next > told {
		frame = append(frame, "id: "...)
		frame = append(strconv.AppendUint(frame, next-1, 10), '\n')
	}
	return append(frame, '\n')
}

// ending is the data of the last event of a stream that the service ends.
type ending struct {
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
	Fix    string     `json:"fix"`
	Next   uint64     `json:"next"` // the since to go on with

	Retryable bool `json:"retryable"` // the same client may go on later
}

// endOf returns the last event of a stream, which says why it is the last.
func endOf(why error, next uint64) []byte {
	if errors.Is(why, feed.ErrStopped) {
		why = stopping()
	}
	p := problem.Of(why, "")
	data, err := json.Marshal(ending{p.Code, p.Detail, p.Fix, next, p.Retryable}, json.Deterministic(true))
	if err != nil { // only a text that is not UTF-8 can do this
		data = []byte(`{}`)
	}
	return append(append([]byte("event: end\ndata: "), data...), "\n\n"...)
}
