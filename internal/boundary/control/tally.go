package control

import (
	"maps"
	"sync"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// Tally counts what went into the ledger since the start.
type Tally struct {
	Decisions map[boundary.Decision]int64
	Bypassed  int64 // decisions that a bypass changed
	Errors    int64 // runs of the hook that failed
	Said      int64 // by persons: switches of the mode, reviews
}

type tally struct {
	mu   sync.Mutex
	sum  Tally
	once folder.Once
}

// add counts lines that were recorded.
func (t *tally) add(lines []folder.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sum.Decisions == nil {
		t.sum.Decisions = map[boundary.Decision]int64{}
	}
	for _, l := range lines {
		switch {
		case l.Kind == folder.KindError:
			t.sum.Errors++
		case l.Kind == folder.KindMode || l.Kind == folder.KindReview:
			t.sum.Said++
		case l.Verdict != nil && !t.once.Again(l):
			t.sum.Decisions[l.Verdict.Decision]++
			if l.Verdict.Bypass != "" {
				t.sum.Bypassed++
			}
		}
	}
}

// read returns a copy of the sums.
func (t *tally) read() Tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	copied := t.sum
	copied.Decisions = maps.Clone(t.sum.Decisions)
	return copied
}
