package state

import (
	"slices"
	"time"
)

// kindSought is the kind of the rows that count what no tool satisfied.
const kindSought = "sought"

// Sought says how often something was asked for that no tool satisfied.
type Sought struct {
	Capability string    `json:"capability"`
	Count      int       `json:"count"`
	By         []string  `json:"by"` // who asked: the first maxSeekers, in the order in which they first did
	Last       time.Time `json:"last"`
	Run        string    `json:"run"` // that asked last
}

// maxSeekers bounds the names that are kept for each.
const maxSeekers = 20

// Sought counts that the run found no tool for something. obligation is the id of the DISCOVER_OP, which is counted
// once, however often it is written.
func (w *Writer) Sought(capability, obligation string) error {
	before, err := w.get(kindObligation, w.Run, obligation)
	if err != nil || before != nil {
		return err
	}
	s, _, err := read[Sought](w.get, kindSought, capability)
	if err != nil {
		return err
	}
	r, _, err := read[Request](w.get, kindRequest, w.Run)
	if err != nil {
		return err
	}
	if name := r.Caller.Name; name != "" && len(s.By) < maxSeekers && !slices.Contains(s.By, name) {
		s.By = append(s.By, name)
	}
	s.Capability, s.Count, s.Last, s.Run = capability, s.Count+1, w.At, w.Run
	return w.put(s, kindSought, capability)
}

// Sought returns how often something was asked for that no tool satisfied.
func (v View) Sought(capability string) (Sought, bool, error) {
	return read[Sought](v.get, kindSought, capability)
}
