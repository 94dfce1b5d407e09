package main

import (
	"fmt"
	"slices"
	"sync"
)

// outcome is what a client knows of its change.
type outcome int

const (
	unknown  outcome = iota // no answer, or 5xx: it may or may not have been applied
	accepted                // 2xx: durable
	refused                 // 4xx: not applied
)

// change is a note that a client asked for. Its mark is in the text of the note, and in no other note.
type change struct {
	mark        string
	key         string // the Idempotency-Key
	requirement string
	body        string
	outcome     outcome
	revision    uint64 // that the answer named
	survived    bool   // it was found although its outcome was unknown
}

// place is where a note was found.
type place struct {
	requirement string
	revision    uint64
}

// counts are what became of the changes of an account.
type counts struct {
	Changes        int `json:"changes"`        // sent
	Acknowledged   int `json:"acknowledged"`   // answered 2xx
	Lost           int `json:"lost"`           // acknowledged, and not there
	Unacknowledged int `json:"unacknowledged"` // there although the answer did not arrive
	Wrong          int `json:"wrong"`          // refused and there, applied twice, at another place, or asked for by nobody
}

// account has every change that clients asked for, to be compared with what a restarted service has.
type account struct {
	mu      sync.Mutex
	changes []*change
	flawed  map[string]bool // marks that were lost or wrong, and are counted
	counted counts
}

// enter adds a change before it is sent. Until close its outcome is unknown.
func (a *account) enter(c *change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes = append(a.changes, c)
	a.counted.Changes++
}

// close records how a change ended.
func (a *account) close(c *change, o outcome, revision uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if o == accepted {
		a.counted.Acknowledged++
	}
	c.outcome, c.revision = o, revision
}

// unresolved returns the changes whose outcome is unknown.
func (a *account) unresolved() []*change {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.changes), func(c *change) bool { return c.outcome != unknown })
}

// settle compares all changes so far with the notes that were found, by mark. What is lost or wrong is counted once and
// taken off the account. It returns a line for each.
func (a *account) settle(found map[string][]place) (findings []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.flawed == nil {
		a.flawed = map[string]bool{}
	}
	known := map[string]bool{}
	a.changes = slices.DeleteFunc(a.changes, func(c *change) bool {
		known[c.mark] = true
		flaw := a.judge(c, found[c.mark])
		if flaw != "" {
			a.flawed[c.mark] = true
			findings = append(findings, fmt.Sprintf("%s for %s: %s", c.mark, c.requirement, flaw))
		}
		return flaw != ""
	})
	for mark, at := range found {
		if !known[mark] && !a.flawed[mark] {
			a.flawed[mark] = true
			a.counted.Wrong++
			findings = append(findings, fmt.Sprintf("%s: nobody asked for it, and it is at %v", mark, at))
		}
	}
	slices.Sort(findings)
	return findings
}

// judge counts a change and says what is wrong with it, if anything is.
func (a *account) judge(c *change, at []place) string {
	switch {
	case c.outcome == accepted && len(at) == 0:
		a.counted.Lost++
		return fmt.Sprintf("lost; it was acknowledged as revision %d", c.revision)
	case c.outcome == refused && len(at) > 0:
		a.counted.Wrong++
		return fmt.Sprintf("applied; it was refused, and is at %v", at)
	case len(at) > 1:
		a.counted.Wrong++
		return fmt.Sprintf("applied more than once; it is at %v", at)
	case len(at) == 1 && at[0].requirement != c.requirement, c.outcome == accepted && at[0].revision != c.revision:
		a.counted.Wrong++
		return fmt.Sprintf("applied elsewhere; it was acknowledged as revision %d, and is at %v", c.revision, at)
	case c.outcome == unknown && len(at) == 1 && !c.survived:
		c.survived = true
		a.counted.Unacknowledged++
	}
	return ""
}

// forfeit counts every acknowledged change as lost: nothing can be read any more.
func (a *account) forfeit() {
	a.settle(nil)
}

// tally returns what was counted so far.
func (a *account) tally() counts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counted
}

func (c counts) plus(d counts) counts {
	return counts{c.Changes + d.Changes, c.Acknowledged + d.Acknowledged, c.Lost + d.Lost,
		c.Unacknowledged + d.Unacknowledged, c.Wrong + d.Wrong}
}
