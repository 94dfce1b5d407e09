// Package live answers requests that last: a stream of the records of the log as they come, and a wait for another
// version of what a client has.
//
// A stream holds the number of the record that comes next, and a piece of the log while it is written; a client that
// does not read loses its connection, and goes on later with the number that it has. Nobody who writes waits for one
// that reads.
package live

import (
	"net/http"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/feed"
	"orchestrator/internal/requirements"
)

// Config is what the handlers are wired to.
type Config struct {
	Ledger   *ledger.Ledger
	Log      *requirements.Log
	Kinds    []string                                           // of records that there are
	Stopping <-chan struct{}                                    // closed when the service is about to end
	Allowed  func(w http.ResponseWriter, r *http.Request) error // says why a token works no more
	Patience time.Duration                                      // how long a write may take; 0 is ten seconds
	Pulse    time.Duration                                      // how long a stream may be silent; 0 is 15 seconds
	Most     int                                                // streams and waits of all tokens; 0 is 2,048
}

const (
	defaultPatience = 10 * time.Second
	defaultPulse    = 15 * time.Second
	recheck         = time.Second // how often a stream looks whether its token works
)

// Handlers are safe for concurrent use.
type Handlers struct {
	Config
	feed   *feed.Feed
	places places

	sent, dropped atomic.Uint64
}

// New returns the handlers of a service.
func New(c Config) *Handlers {
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	if c.Pulse == 0 {
		c.Pulse = defaultPulse
	}
	if c.Most == 0 {
		c.Most = mostOpen
	}
	return &Handlers{Config: c, feed: feed.Encoding(c.Ledger, c.Stopping, appendEvent),
		places: places{most: c.Most, byToken: map[string]int{}}}
}

// Figures are what is counted since the start, and how many streams and waits there are now.
type Figures struct {
	Open          int
	Sent, Dropped uint64
}

// Figures returns what was counted.
func (h *Handlers) Figures() Figures {
	return Figures{h.places.taken(), h.sent.Load(), h.dropped.Load()}
}

// stopping returns why nothing new is followed, if the service is about to end or its ledger has failed.
func (h *Handlers) stopping() error {
	select {
	case <-h.Stopping:
		return stopping()
	default:
		return h.Ledger.Err()
	}
}

func stopping() *fault.Error {
	return fault.New(fault.Unavailable, "service_stopping", "the service is stopping").
		WithFix("connect again in a moment, and go on where you were").After(retryFull).ForClients()
}
