package listing

import (
	"slices"
	"sync"

	"orchestrator/internal/conductor/state"
)

// Settled remembers which runs ask nothing any more, by their numbers, so that a list of those that ask need not look
// at them again. The zero value remembers none. It is safe for concurrent use.
type Settled struct {
	mu   sync.Mutex
	bits []uint64
}

// has reports whether the run of a number is remembered.
func (s *Settled) has(n uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return n/64 < uint64(len(s.bits)) && s.bits[n/64]&(1<<(n%64)) != 0
}

// note remembers a run that has ended and waits for no answer: only an answer has it go on. A question that nobody
// answered in time counts as one that waits, since it is the clock that says so.
func (s *Settled) note(r state.Head, asked []state.Question) {
	waits := func(q state.Question) bool { return q.Status == state.QuestionWaits }
	if !r.Ended || slices.ContainsFunc(asked, waits) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := r.Number / 64
	if uint64(len(s.bits)) <= at {
		s.bits = append(s.bits, make([]uint64, at+1-uint64(len(s.bits)))...)
	}
	s.bits[at] |= 1 << (r.Number % 64)
}
