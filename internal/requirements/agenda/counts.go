package agenda

import (
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// Counts says how many requirements there are, and how many of them are in which status. It is the summary of the
// export.
type Counts struct {
	projection.FileSummary
}

// InStatus is how many requirements are in a status.
type InStatus struct {
	Status lifecycle.Status
	Count  int
}

// countsOf returns the counts of a snapshot.
func countsOf(snap *projection.Snapshot) Counts {
	c, by := snap.Counts, map[lifecycle.Status]int{}
	total := 0
	for status, n := range c.ByStatus {
		if n > 0 {
			by[status] = n
			total += n
		}
	}
	return Counts{projection.FileSummary{Total: total, ByStatus: by, Done: by[lifecycle.Done], Stale: c.Stale,
		Suspect: c.Suspect, Retired: c.Retired}}
}

// InOrder returns how many requirements are in each status that has some, in the order of the life of a requirement.
func (c Counts) InOrder() (all []InStatus) {
	for _, status := range lifecycle.Statuses() {
		if n := c.ByStatus[status]; n > 0 {
			all = append(all, InStatus{status, n})
		}
	}
	return all
}
