// Package linear records what concurrent clients of several replicas were told, and reports whether one service that
// handles one request at a time could have told them the same: whether their history is linearizable.
//
// A request without an answer may have taken effect at any later time, or never. A read without an answer says nothing.
//
// Porcupine decides (MIT, one package without dependencies, kept up since 2017). No program of the product links it.
package linear

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Recorder records the history of one kind of request. It is safe for concurrent use.
type Recorder[In, Out any] struct {
	mu    sync.Mutex
	begun time.Time
	calls []*Call[In, Out]
}

// Call is one request.
type Call[In, Out any] struct {
	client     int
	in         In
	out        Out
	sent, told time.Duration
	answered   bool
	void       bool // it took no effect, and was told nothing
	history    *Recorder[In, Out]
}

// Begin records that a client sends a request. A client waits for its answer before it sends another one.
func (r *Recorder[In, Out]) Begin(client int, in In) *Call[In, Out] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun.IsZero() {
		r.begun = time.Now()
	}
	c := &Call[In, Out]{client: client, in: in, sent: time.Since(r.begun), history: r}
	r.calls = append(r.calls, c)
	return c
}

// End records the answer. Without it the outcome of the request is unknown.
func (c *Call[In, Out]) End(out Out) {
	c.history.mu.Lock()
	defer c.history.mu.Unlock()
	c.out, c.told, c.answered = out, time.Since(c.history.begun), true
}

// Void records that the request failed in a way that rules out that it took effect.
func (c *Call[In, Out]) Void() {
	c.history.mu.Lock()
	defer c.history.mu.Unlock()
	c.void = true
}

// Len returns how many requests were sent and how many were answered.
func (r *Recorder[In, Out]) Len() (sent, answered int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.calls {
		if c.answered {
			answered++
		}
	}
	return len(r.calls), answered
}

// Model is what a service does that handles one request after the other.
type Model[State comparable, In, Out any] struct {
	Init State
	// Step returns the state after a request, and whether the service can have given the answer; nil means that no
	// answer came.
	Step func(State, In, *Out) (State, bool)
	// Reads reports whether a request changes nothing. Without an answer it is left out of the history.
	Reads func(In) bool
	// Part names the part of the state that a request is about, for parts that are independent. It may be nil.
	Part func(In) string
	// Newer returns the state after a moment at which no request was under way: the later one of a state and of what an
	// answer before that moment says. With it a long history is checked in pieces; it may be nil.
	Newer func(State, In, Out) State
}

// Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	Linearizable Verdict = "linearizable"
	Impossible   Verdict = "not linearizable"
	Undecided    Verdict = "undecided in the time given"
)

// Check reports whether a history is linearizable. If it is not, it returns the requests of the smallest part that is
// not, a line each in the order in which they were sent, without those after the one that makes it impossible.
func Check[S comparable, In, Out any](
	m Model[S, In, Out],
	r *Recorder[In, Out],
	within time.Duration,
) (Verdict, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := m.Init
	parts := map[string][]*Call[In, Out]{}
	for _, c := range r.calls {
		if c.void || !c.answered && m.Reads(c.in) {
			continue
		}
		name := ""
		if m.Part != nil {
			name = m.Part(c.in)
		}
		parts[name] = append(parts[name], c)
	}
	deadline, verdict := time.Now().Add(within), Linearizable
	for _, calls := range parts {
		for piece, rest := m.cut(calls); len(piece) > 0; piece, rest = m.cut(rest) {
			switch v := m.check(piece, time.Until(deadline)); v {
			case Impossible:
				return v, m.explain(piece, deadline)
			case Undecided:
				verdict = v
			}
			m.Init = m.after(piece)
		}
		m.Init = first
	}
	return verdict, ""
}

// leastPiece is how many requests a piece has, but for the last one.
const leastPiece = 200

// cut divides a part at a moment at which no request was under way, the first one after enough requests.
func (m Model[S, In, Out]) cut(calls []*Call[In, Out]) (piece, rest []*Call[In, Out]) {
	slices.SortStableFunc(calls, func(a, b *Call[In, Out]) int { return int(a.sent - b.sent) })
	end := time.Duration(0)
	for i, c := range calls {
		if m.Newer != nil && i >= leastPiece && c.sent > end {
			return calls[:i], calls[i:]
		}
		end = max(end, c.end())
	}
	return calls, nil
}

// after returns the state after a piece of which every request was answered.
func (m Model[S, In, Out]) after(piece []*Call[In, Out]) S {
	state := m.Init
	for _, c := range piece {
		if m.Newer != nil && c.answered {
			state = m.Newer(state, c.in, c.out)
		}
	}
	return state
}

// check decides on one part.
func (m Model[S, In, Out]) check(calls []*Call[In, Out], within time.Duration) Verdict {
	var history []porcupine.Operation
	for _, c := range calls {
		op := porcupine.Operation{ClientId: c.client, Input: c.in, Call: int64(c.sent), Return: math.MaxInt64}
		if c.answered {
			op.Output, op.Return = &c.out, int64(c.told)
		}
		history = append(history, op)
	}
	model := porcupine.Model{
		Init: func() any { return m.Init },
		Step: func(state, in, out any) (bool, any) {
			answer, _ := out.(*Out)
			next, can := m.Step(state.(S), in.(In), answer)
			return can, next
		},
	}
	// A limit of 0 would be none.
	switch porcupine.CheckOperationsTimeout(model, history, max(within, time.Millisecond)) {
	case porcupine.Ok:
		return Linearizable
	case porcupine.Illegal:
		return Impossible
	default:
		return Undecided
	}
}

// explain returns the shortest beginning of a part that is impossible.
func (m Model[S, In, Out]) explain(calls []*Call[In, Out], deadline time.Time) string {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b *Call[In, Out]) int { return int(a.end() - b.end()) })
	// The answers of a beginning are explained by requests whose answers come later: those count as unanswered.
	low, high := 0, len(calls)
	for high-low > 1 && time.Now().Before(deadline) {
		middle := (low + high) / 2
		if m.check(until(calls, middle, m.Reads), time.Until(deadline)) == Impossible {
			high = middle
		} else {
			low = middle
		}
	}
	shown := slices.Clone(calls[max(0, high-12):high])
	slices.SortStableFunc(shown, func(a, b *Call[In, Out]) int { return int(a.sent - b.sent) })
	var b strings.Builder
	for _, c := range shown {
		fmt.Fprintf(&b, "%s\n", c)
	}
	return b.String()
}

// until returns a history as it was known when the first n answers had come.
func until[In, Out any](calls []*Call[In, Out], n int, reads func(In) bool) []*Call[In, Out] {
	known := slices.Clone(calls[:n])
	if n == 0 {
		return known
	}
	now := calls[n-1].end()
	for _, c := range calls[n:] {
		if c.sent <= now && !reads(c.in) {
			known = append(known, &Call[In, Out]{client: c.client, in: c.in, sent: c.sent})
		}
	}
	return known
}

// end returns when the answer came.
func (c *Call[In, Out]) end() time.Duration {
	if !c.answered {
		return math.MaxInt64
	}
	return c.told
}

// String shows a request with its answer.
func (c *Call[In, Out]) String() string {
	if !c.answered {
		return fmt.Sprintf("client %2d  %12v ...            %+v: no answer", c.client, c.sent, c.in)
	}
	return fmt.Sprintf("client %2d  %12v %12v  %+v: %+v", c.client, c.sent, c.told, c.in, c.out)
}
