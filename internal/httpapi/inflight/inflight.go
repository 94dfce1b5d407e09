// Package inflight bounds the memory and the work that the bodies of requests under way take.
package inflight

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"sync"
	"time"

	"orchestrator/internal/fault"
)

// CodeInFlight is the code of a body that there is no room for, besides those of other requests.
const CodeInFlight fault.Code = "bodies_in_flight"

// How many bytes of request bodies are held at once. Eight test reports of the largest size fit into the whole, two of
// them into the share of a token.
const (
	mostHeld        = 64 << 20 // of all tokens, beyond smallBody of each request
	mostHeldByToken = 16 << 20
	smallBody       = 16 << 10 // is never refused for what other tokens hold, and is worked on at once
	FirstRoom       = 4 << 10  // for a body, however many bytes are promised
	retryHeld       = time.Second
	mostDiscards    = 4 // of bodies that are refused for their size, and read all the same
)

// Bodies counts the bytes of bodies that are in memory, as they arrive, and lets one large body of each token be worked
// on at a time, and of all tokens one less than there are processors, but at least one: no number of bodies becomes as
// many trees.
type Bodies struct {
	mu      sync.Mutex
	shared  int64 // of all tokens, beyond smallBody of each request
	held    int64
	byToken map[string]*ofToken
	slots   chan struct{}

	discards chan struct{} // that are under way
}

// ofToken is what the requests of one token hold. It lasts as long as one of them does.
type ofToken struct {
	requests int
	held     int64
	slot     chan struct{}
}

func New() *Bodies {
	return &Bodies{byToken: map[string]*ofToken{}, discards: make(chan struct{}, mostDiscards),
		slots: make(chan struct{}, max(runtime.GOMAXPROCS(0)-1, 1))}
}

// Total returns how many bytes are held.
func (b *Bodies) Total() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(b.held)
}

// Holding is what one request holds. Its zero value, that of a request without a token, holds nothing. It belongs to
// one goroutine.
type Holding struct {
	of      *Bodies
	token   string
	mine    *ofToken // nil before the first byte
	bytes   int64
	working bool
}

// Reserve makes room for further bytes of the body, or refuses them.
func (h *Holding) Reserve(n int64) error {
	if h.of == nil {
		return nil
	}
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.mine == nil {
		h.mine = h.of.enter(h.token)
	}
	shared := beyondSmall(h.bytes+n) - beyondSmall(h.bytes)
	switch {
	case h.mine.held+n > mostHeldByToken:
		return tooManyHeld("this token's requests under way hold %d MiB of bodies, which is its share",
			mostHeldByToken>>20)
	case h.of.shared+shared > mostHeld:
		return tooManyHeld("the requests under way hold %d MiB of bodies, which is all that the service holds",
			mostHeld>>20)
	}
	h.bytes, h.mine.held, h.of.held, h.of.shared = h.bytes+n, h.mine.held+n, h.of.held+n, h.of.shared+shared
	return nil
}

func beyondSmall(bytes int64) int64 { return max(bytes-smallBody, 0) }

// tooManyHeld returns an error that is no 503: the service is well, and what became of the request is known.
func tooManyHeld(format string, args ...any) *fault.Error {
	return fault.New(fault.RateLimited, CodeInFlight, format, args...).
		WithFix("wait %d s, as Retry-After says, and send fewer large bodies at once; nothing of this one was kept",
			int(retryHeld.Seconds())).
		After(retryHeld)
}

func (b *Bodies) enter(token string) *ofToken {
	t := b.byToken[token]
	if t == nil {
		t = &ofToken{slot: make(chan struct{}, 1)}
		b.byToken[token] = t
	}
	t.requests++
	return t
}

// Work waits until the body may be worked on, if it is a large one.
func (h *Holding) Work(ctx context.Context) error {
	if h.of == nil || h.bytes <= smallBody {
		return nil
	}
	select {
	case h.mine.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case h.of.slots <- struct{}{}:
	case <-ctx.Done():
		<-h.mine.slot
		return ctx.Err()
	}
	h.working = true
	return nil
}

// Rest lets another body be worked on: this one was read, and what it asks for may take its time.
func (h *Holding) Rest() {
	if h.working {
		<-h.of.slots
		<-h.mine.slot
		h.working = false
	}
}

// Release gives everything back, at the end of the request.
func (h *Holding) Release() {
	h.Rest()
	if h.mine == nil {
		return
	}
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.of.held -= h.bytes
	h.of.shared -= beyondSmall(h.bytes)
	h.mine.held -= h.bytes
	if h.mine.requests--; h.mine.requests == 0 {
		delete(h.of.byToken, h.token)
	}
	h.mine, h.bytes = nil, 0
}

// Of returns the holding of a request of a token, which holds nothing yet.
func (b *Bodies) Of(token string) Holding { return Holding{of: b, token: token} }

// Token returns the id of the token whose request it is; "" without one.
func (h *Holding) Token() string { return h.token }

// How much of a body that is refused for its size is read all the same, for how long, and of mostDiscards at once: a
// client that sends all of it before it reads the answer would otherwise see its connection reset, and no answer. Beyond
// that it does.
const (
	mostDiscarded  = 32 << 20
	longestDiscard = 5 * time.Second
)

// Discard sends the answer, and reads what a client still sends. A client that waits to be told to send is told not
// to by the answer.
func (b *Bodies) Discard(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Header.Get("Expect") != "" {
		return
	}
	select {
	case b.discards <- struct{}{}:
		defer func() { <-b.discards }()
	default:
		return
	}
	control := http.NewResponseController(w)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(longestDiscard)) != nil {
		return // the client is gone
	}
	_, _ = io.CopyN(io.Discard, r.Body, mostDiscarded)
}

// Working returns how many large bodies are being worked on.
func (b *Bodies) Working() int { return len(b.slots) }
