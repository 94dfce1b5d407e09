package trace

import (
	"slices"
	"strings"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// Words returns the tools whose word the values are that an obligation took from others: each said something that
// nothing has confirmed. What the box worked out of such a value is still the word of the tool that gave the value, and
// so is what it found on record as that word. outside reports whether a tool is none of the box.
func (t *Trace) Words(of *Obligation, outside func(tool string) bool) []string {
	w := t.words(outside)
	w.taken(of)
	return w.sorted()
}

// Said returns the tools whose word may stand in what the trace tells of an obligation: its result, why it ended, and
// why runs for it failed.
func (t *Trace) Said(of *Obligation, outside func(tool string) bool) []string {
	w := t.words(outside)
	w.said(of)
	for _, run := range of.Runs {
		if run.Status != state.RunDone && outside(run.Tool) {
			w.tools = append(w.tools, run.Tool)
		}
	}
	return w.sorted()
}

func (t *Trace) words(outside func(tool string) bool) *words {
	w := &words{all: map[string]*Obligation{}, outside: outside, seen: map[string]bool{}}
	for one := range t.Each() {
		w.all[one.ID] = one
	}
	return w
}

func (w *words) sorted() []string {
	slices.Sort(w.tools)
	return slices.Compact(w.tools)
}

// words gathers the tools whose word something is.
type words struct {
	all     map[string]*Obligation // by their ids
	outside func(tool string) bool
	seen    map[string]bool
	tools   []string
}

// taken adds those of what an obligation took, and of what the plans took that it stands in.
func (w *words) taken(by *Obligation) {
	for id := by.ID; id != ""; id = id[:max(0, strings.LastIndexByte(id, '.'))] {
		t := w.all[id]
		if t == nil || w.seen[id] {
			continue
		}
		w.seen[id] = true
		for _, source := range t.Sources() {
			w.said(w.all[source])
		}
	}
}

// said adds those of a result.
func (w *words) said(by *Obligation) {
	for i := range by.Steps {
		w.said(&by.Steps[i])
	}
	confirmed := by.Verified != nil && by.Verified.Verified
	if confirmed && by.Verified.By == ByFacts {
		return // whatever it was made of, sources state it
	}
	if n := len(by.Runs); n > 0 && !confirmed {
		if tool := by.Runs[n-1].Tool; by.Obligation.Type == planning.Report || w.outside(tool) {
			w.tools = append(w.tools, tool)
		}
	}
	w.tools = append(w.tools, builtin.Words(by.Result())...)
	w.taken(by)
}
