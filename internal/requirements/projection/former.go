package projection

import (
	"cmp"
	"maps"
	"slices"

	"orchestrator/internal/ledger/thread"
)

// former has the ids that requirements had, each with those that lost it, in the order of the log. An id can be lost
// more than once, since documents can define it anew.
type former map[string][]lost

// lost says which requirement lost an id, by the record with a number.
type lost struct {
	record uint64
	now    string
}

func (f former) add(e *Entry) {
	for _, had := range e.Former {
		f[had.ID] = append(f[had.ID], lost{had.Record, e.Summary.ID})
	}
}

func (f former) sort() {
	for _, all := range f {
		slices.SortFunc(all, func(a, b lost) int { return cmp.Compare(a.record, b.record) })
	}
}

// RenamedTo returns the present id of the requirement that had an id last; false for an id that a requirement has, or
// none ever had.
func (s *Snapshot) RenamedTo(id string) (now string, was bool) {
	all := s.former[id]
	if _, known := s.Find(id); known || len(all) == 0 {
		return "", false
	}
	return all[len(all)-1].now, true
}

// WasRenamed returns the present id of the requirement that had an id before, and the record that took the id from it,
// whether or not another requirement has that id now.
func (s *Snapshot) WasRenamed(id string) (now string, record uint64) {
	all := s.former[id]
	if len(all) == 0 {
		return "", 0
	}
	return all[len(all)-1].now, all[len(all)-1].record
}

// Former returns the ids that each requirement had, and that none has any more.
func (s *Snapshot) Former() map[string][]string {
	had := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(s.former)) {
		if _, was := s.RenamedTo(id); !was {
			continue
		}
		for _, l := range s.former[id] {
			had[l.now] = append(had[l.now], id)
		}
	}
	return had
}

// Threads returns which records are about a requirement: those about its id since it has it, and those about each id
// that it had, as long as it did. What was recorded of an id after that counts as well, unless another requirement has
// had it since.
func (s *Snapshot) Threads(id string) []thread.Thread {
	e, known := s.Find(id)
	if !known {
		return nil
	}
	_, since := s.WasRenamed(id)
	threads := []thread.Thread{{Subject: id, From: since}}
	for _, had := range e.Former {
		t := thread.Thread{Subject: had.ID}
		for _, other := range s.former[had.ID] {
			if other.record < had.Record {
				t.From = other.record
			} else if other.record > had.Record {
				t.Until = had.Record
			}
		}
		if _, again := s.Find(had.ID); again {
			t.Until = had.Record
		}
		threads = append(threads, t)
	}
	return threads
}
