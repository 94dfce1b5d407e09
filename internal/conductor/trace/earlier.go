package trace

import (
	"slices"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// Earlier is what a run had come to when it ended for the time being, since it waited for answers. A nil one is that of
// a new run.
type Earlier struct {
	Trace     Trace
	Questions []state.Question
}

// TakeUp replaces the trace of an obligation that had ended before by what became of it. One that waited is considered
// again, with the answers to its questions; what was run for it is not run again. stepsOf returns how many steps the
// plan of a tool has. It reports whether there is anything on record of the obligation.
func (e *Earlier) TakeUp(t *Obligation, stepsOf func(tool string) int) bool {
	before := e.of(t.ID)
	if before == nil {
		return false
	}
	given := questions.GivenTo(e.Questions, t.ID)
	switch {
	case !before.waits():
		*t = *before
		e.settle(t)
	case t.Obligation.Type == planning.Clarify && len(given) > 0:
		t.Given, t.Settled = given, true
		t.End(planning.Resolved, planning.OutResolved, "")
	default:
		t.Given, t.Runs, t.Emitted, t.Failed = given, before.Runs, before.Emitted, before.failed()
		kept := 0
		for _, c := range t.Failed {
			kept += stepsOf(c.Tool)
		}
		t.Steps = before.Steps[:kept:kept]
		for i := range t.Steps {
			e.settle(&t.Steps[i])
		}
		t.markGiven()
	}
	return true
}

// of returns what became of an obligation; nil if nothing is on record.
func (e *Earlier) of(id string) *Obligation {
	if e == nil {
		return nil
	}
	for t := range e.Trace.Each() {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// settle marks an obligation, and the steps of its plans, as ended before. What was answered is what they result in.
func (e *Earlier) settle(t *Obligation) {
	t.Settled = true
	for _, a := range e.Trace.Answers {
		if a.Obligation == t.ID && !a.Uncertain {
			t.SetResult(a.Result)
		}
	}
	for i := range t.Steps {
		e.settle(&t.Steps[i])
	}
}

// failed returns the tools that were run and failed. The last one that was taken waits if one of its steps does.
func (t *Obligation) failed() (tools []Candidate) {
	tools = slices.DeleteFunc(slices.Clone(t.Candidates), func(c Candidate) bool { return !c.Taken })
	waits := slices.ContainsFunc(t.Steps, func(step Obligation) bool { return step.Status == planning.Active })
	if n := len(tools); n > 0 && waits {
		return tools[:n-1]
	}
	return tools
}

// Answer gives the answer to an obligation as it was given before, and reports whether it was certain.
func (e *Earlier) Answer(to *Trace, obligation string) bool {
	for _, a := range e.Trace.Answers {
		if a.Obligation == obligation {
			to.Answers = append(to.Answers, a)
			return !a.Uncertain
		}
	}
	return false
}

// markGiven resolves the CLARIFYs that were answered.
func (t *Obligation) markGiven() {
	for i := range t.Emitted {
		e := &t.Emitted[i]
		if slices.ContainsFunc(t.Given, func(g questions.Given) bool { return g.Question == e.ID }) {
			e.Status = planning.Resolved
		}
	}
}
