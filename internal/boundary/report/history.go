// Package report reads the boundary's journal and says what it shows: figures, violations, whether the boundary is
// ready to be enforced, and how another policy would have judged the past. It reads the files of the journal or, beside
// a service, the lines that the ledger has of them.
package report

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// History is a journal as it was read, in order.
type History struct {
	Decisions []Decision
	Errors    []ErrorSeen
	Modes     []folder.Line
	Bypasses  []folder.Line // grants
	Drills    []folder.Line
	Imported  []imported  // out of an older journal
	Malformed int         // lines that cannot be read
	Repeated  []time.Time // when the hook ran a second time for a call; the first decision counts
	First     time.Time   // of the first line
	Clients   map[string]Seen

	// what persons said: what they vouch for, what led to a rollback, and which reviews they held
	Attestations, Accounts, Reviewed []folder.Line

	orphans map[use]orphan
	root    string    // of the project
	from    time.Time // decisions and failures before it do not count in what judged and runs return
}

// ErrorSeen is a run of the hook that failed.
type ErrorSeen struct {
	At     time.Time `json:"at"`
	Client string    `json:"client"`
	Reason string    `json:"reason"`
}

// imported is a call out of the older journal, of which the lines of a journal keep no more.
type imported struct {
	id, file, tool string
	at             time.Time
	source         *boundary.ActorKind // nil where the line does not name who wrote which file
}

// use is one use of a tool. Its id is "" where the client does not number them.
type use struct {
	in *session
	id string
}

// orphan is what became of a call that the hook left no decision on.
type orphan struct {
	at   time.Time
	what string
}

// Seen is what a journal knows of a client.
type Seen struct {
	Version           string // the last that was noted when the hook was registered; "" is unknown
	Installed, Called time.Time
}

// with returns what is known after another line about the client.
func (s Seen) with(l folder.Line) Seen {
	switch {
	case l.Kind == folder.KindInstallation:
		s.Version = cmp.Or(l.Version, s.Version)
		if l.What == folder.HookInstalled {
			s.Installed = l.At
		}
	case l.At.After(s.Called):
		s.Called = l.At
	}
	return s
}

// Copy returns a copy that stays as it is while the history is read on.
func (h *History) Copy() *History {
	kept := *h
	kept.Decisions = slices.Clone(h.Decisions) // a label or an outcome changes one; all other lists only grow
	kept.Clients, kept.orphans = maps.Clone(h.Clients), maps.Clone(h.orphans)
	return &kept
}

// runs returns how many runs of the hook failed, and how many there were. A line that cannot be read has no time, and
// counts always.
func (h *History) runs() (failed, all int) {
	failed = h.Malformed
	for _, e := range h.Errors {
		if h.counts(e.At) {
			failed++
		}
	}
	for _, o := range h.orphans {
		if h.counts(o.at) {
			failed++
		}
	}
	all = failed
	for _, at := range h.Repeated {
		if h.counts(at) {
			all++
		}
	}
	for range h.judged() {
		all++
	}
	return failed, all
}

// counts reports whether what happened at a moment counts.
func (h *History) counts(at time.Time) bool { return !at.Before(h.from) }

// judged goes through the decisions that count.
func (h *History) judged() iter.Seq[*Decision] {
	return func(yield func(*Decision) bool) {
		for i := range h.Decisions {
			if d := &h.Decisions[i]; h.counts(d.At) && !yield(d) {
				return
			}
		}
	}
}

// since returns the history in which decisions and failures before a moment do not count.
func (h *History) since(at time.Time) *History {
	rest := *h
	if at.After(h.from) {
		rest.from = at
	}
	return &rest
}

// Find returns a decision by its id, or by a beginning of it that no other has.
func (h *History) Find(id string) (found Decision, n int) {
	for i := range h.Decisions {
		d := &h.Decisions[i]
		if d.ID == id {
			return *d, 1
		}
		if len(id) >= 4 && len(d.ID) > len(id) && d.ID[:len(id)] == id {
			found = *d
			n++
		}
	}
	return found, n
}

// validateFor returns how long the project worked in validate or in confirm, where everything is judged and a person
// decides as well: of every time in these modes, from its first decision to its last. Idle days at the ends count as
// little as a line that claims a time long ago.
func (h *History) validateFor() time.Duration {
	var times []time.Time
	for i := range h.Decisions {
		if d := &h.Decisions[i]; watches(d.Mode) {
			times = append(times, d.At)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return watchedFor(h.Modes, len(times), func(i int) time.Time { return times[i] })
}

// watchedFor adds up the times in modes that watch, when n calls were judged in such a mode: at returns when, in order.
func watchedFor(modes []folder.Line, n int, at func(i int) time.Time) (total time.Duration) {
	for i, m := range modes {
		if !watches(m.Mode) {
			continue
		}
		first, end := sort.Search(n, func(k int) bool { return !at(k).Before(m.At) }), n
		if i+1 < len(modes) {
			until := modes[i+1].At
			end = sort.Search(n, func(k int) bool { return at(k).After(until) })
		}
		if first < end {
			total += at(end - 1).Sub(at(first))
		}
	}
	return total
}

func watches(m boundary.Mode) bool { return m == boundary.Validate || m == boundary.Confirm }
