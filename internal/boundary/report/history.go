// Package report reads the boundary's journal and says what it shows: figures, violations, whether the boundary is
// ready to be enforced, and how another policy would have judged the past. It reads the files of the journal or, beside
// a service, the lines that the ledger has of them.
package report

import (
	"cmp"
	"slices"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// History is a journal as it was read, in order.
type History struct {
	Decisions []Decision
	Errors    []folder.Line
	Modes     []folder.Line
	Bypasses  []folder.Line // grants
	Drills    []folder.Line
	Imported  []folder.Line // out of an older journal
	Malformed int           // lines that cannot be read
	Orphans   []time.Time   // when tools ran although the hook left no decision on them; in no order
	Repeated  []time.Time   // when the hook ran a second time for a call; the first decision counts
	First     time.Time     // of the first line
	Clients   map[string]Seen

	// what persons said: what they vouch for, what led to a rollback, and which reviews they held
	Attestations, Accounts, Reviewed []folder.Line

	root string // of the project
}

// Decision is a judged call, what a person said of it, and what became of it.
type Decision struct {
	folder.Line
	Label   *folder.Line // the latest; nil where nobody said anything
	Outcome string       // folder.OutcomeDone, OutcomeFailed, or "" where nothing is known
}

// Read reads the whole journal of a project.
func Read(dir folder.Dir) (*History, error) { return ReadLines(dir.Root, dir.Read) }

// FromFiles reads the whole journal of a project when it is asked to.
func FromFiles(dir folder.Dir) func() (*History, error) {
	return func() (*History, error) { return Read(dir) }
}

// ReadFile reads any one file of a journal.
func ReadFile(path string) (*History, error) {
	h, err := ReadLines("", func(visit func(folder.Line, error) error) error {
		return folder.ReadFile(path, visit)
	})
	if err != nil {
		return nil, fault.New(fault.NotFound, "journal_missing", "the journal %s cannot be read", path).
			WithFix("name a file of .orchestrator/boundary/journal").Because(err)
	}
	return h, nil
}

// ReadLines reads a history from lines of a journal, in the order in which lines gives them. The agents of its sessions
// are looked for in the project at root; where that is "" only those count that come with the clients.
func ReadLines(root string, lines func(func(folder.Line, error) error) error) (*History, error) {
	r := reader{h: &History{Clients: map[string]Seen{}, root: root}, byID: map[string]int{}, seen: map[string]bool{},
		byUse: map[folder.Use]int{}, outcomes: map[folder.Use]folder.Line{}}
	err := lines(func(l folder.Line, err error) error {
		if err != nil {
			r.h.Malformed++
			return nil //nolint:nilerr // it is counted, and never fatal
		}
		r.add(l)
		return nil
	})
	for use, outcome := range r.outcomes {
		if i, known := r.byUse[use]; known {
			r.h.Decisions[i].Outcome = outcome.What
		} else {
			r.h.Orphans = append(r.h.Orphans, outcome.At)
		}
	}
	return r.h, err
}

// reader is a history that is being read.
type reader struct {
	h        *History
	byID     map[string]int     // decisions
	byUse    map[folder.Use]int // decisions
	outcomes map[folder.Use]folder.Line
	seen     map[string]bool // ids
}

func (r *reader) add(l folder.Line) {
	if r.seen[l.ID] {
		return // a copy: the first one counts
	}
	r.seen[l.ID] = true
	if r.h.First.IsZero() || l.At.Before(r.h.First) {
		r.h.First = l.At
	}
	if l.Client != "" {
		r.h.Clients[l.Client] = r.h.Clients[l.Client].with(l)
	}
	switch l.Kind {
	case folder.KindDecision:
		r.decide(l)
	case folder.KindOutcome:
		if l.ToolUseID != "" {
			r.outcomes[folder.UseOf(l)] = l
		}
	case folder.KindLabel:
		if i, known := r.byID[l.Of]; known {
			r.h.Decisions[i].Label = &l
		}
	default:
		r.h.keep(l)
	}
}

// decide adds a decision, unless it repeats the last one on the same use of a tool.
func (r *reader) decide(l folder.Line) {
	if l.Verdict == nil {
		r.h.Malformed++
		return
	}
	if first, known := r.byUse[folder.UseOf(l)]; known && l.Repeats(r.h.Decisions[first].Line) {
		r.byID[l.ID] = first
		r.h.Repeated = append(r.h.Repeated, l.At)
		return
	}
	r.byID[l.ID] = len(r.h.Decisions)
	if l.ToolUseID != "" {
		r.byUse[folder.UseOf(l)] = len(r.h.Decisions)
	}
	r.h.Decisions = append(r.h.Decisions, Decision{Line: l})
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

func (h *History) keep(l folder.Line) {
	switch l.Kind {
	case folder.KindError:
		h.Errors = append(h.Errors, l)
	case folder.KindMode:
		h.Modes = append(h.Modes, l)
	case folder.KindGrant:
		h.Bypasses = append(h.Bypasses, l)
	case folder.KindDrill:
		h.Drills = append(h.Drills, l)
	case folder.KindImported:
		h.Imported = append(h.Imported, l)
	case folder.KindAttestation:
		h.Attestations = append(h.Attestations, l)
	case folder.KindRecovery:
		h.Accounts = append(h.Accounts, l)
	case folder.KindReview:
		h.Reviewed = append(h.Reviewed, l)
	}
}

// runs returns how many runs of the hook failed, and how many there were.
func (h *History) runs() (failed, all int) {
	failed = len(h.Errors) + len(h.Orphans) + h.Malformed
	return failed, len(h.Decisions) + len(h.Repeated) + failed
}

// since returns the history without the decisions and failures before a moment. A line that cannot be read has no time,
// and stays.
func (h *History) since(at time.Time) *History {
	before := func(t time.Time) bool { return t.Before(at) }
	rest := *h
	rest.Decisions = leavingOut(h.Decisions, func(d Decision) bool { return before(d.At) })
	rest.Errors = leavingOut(h.Errors, func(l folder.Line) bool { return before(l.At) })
	rest.Orphans, rest.Repeated = leavingOut(h.Orphans, before), leavingOut(h.Repeated, before)
	return &rest
}

// leavingOut leaves out some elements. Where there are none it is the same list: a whole history is large.
func leavingOut[T any](all []T, out func(T) bool) []T {
	if !slices.ContainsFunc(all, out) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), out)
}

// Find returns a decision by its id, or by a beginning of it that no other has.
func (h *History) Find(id string) (found Decision, n int) {
	for _, d := range h.Decisions {
		if d.ID == id {
			return d, 1
		}
		if len(id) >= 4 && len(d.ID) > len(id) && d.ID[:len(id)] == id {
			found = d
			n++
		}
	}
	return found, n
}

// validateFor returns how long the project worked in validate or in confirm, where everything is judged and a person
// decides as well: of every time in these modes, from its first decision to its last. Idle days at the ends count as
// little as a line that claims a time long ago.
func (h *History) validateFor() (total time.Duration) {
	watched := watched(h.Decisions)
	for i, m := range h.Modes {
		if !watches(m.Mode) {
			continue
		}
		first, _ := slices.BinarySearchFunc(watched, m.At, time.Time.Compare)
		end := len(watched)
		if i+1 < len(h.Modes) {
			until := h.Modes[i+1].At
			end, _ = slices.BinarySearchFunc(watched, until, func(at, until time.Time) int {
				if at.After(until) {
					return 1
				}
				return -1
			})
		}
		if first < end {
			total += watched[end-1].Sub(watched[first])
		}
	}
	return total
}

// watched returns when calls were judged in validate or in confirm, in order.
func watched(decisions []Decision) (times []time.Time) {
	for _, d := range decisions {
		if watches(d.Mode) {
			times = append(times, d.At)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

func watches(m boundary.Mode) bool { return m == boundary.Validate || m == boundary.Confirm }

// files returns what a call writes, by name; one that cannot be told has none.
func (d Decision) files() []string {
	var names []string
	for _, t := range d.targets() {
		if t.Path != "" {
			names = append(names, t.Path)
		}
	}
	return names
}

func (d Decision) targets() []boundary.Target {
	return append(boundary.Written(d.Named, d.Parts), d.Reads...)
}
