package conductor

import (
	"context"
	"fmt"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
)

// earlier is what a run had come to when it ended for the time being, since it waited for answers.
type earlier struct {
	trace     Trace
	questions []state.Question
}

// earlierOf returns what a run had come to; nil if it has not ended yet.
func earlierOf(ctx context.Context, s *state.Store, run string) (*earlier, error) {
	var before earlier
	err := s.View(ctx, func(v state.View) (err error) {
		if before.trace, err = traceIn(v, run); err == nil {
			before.questions, err = v.Questions(run)
		}
		return err
	})
	if err != nil || before.trace.ID == "" {
		return nil, err
	}
	return &before, nil
}

// traceAt returns the trace of a run as it is at a moment, and its bytes; nil if it has none. Questions that have
// expired have failed their obligations, whether or not that is on record.
func traceAt(v state.View, id string, now time.Time) (trace Trace, raw jsontext.Value, err error) {
	if raw, err = v.Trace(id); err != nil || raw == nil {
		return trace, raw, err
	}
	all, err := v.Questions(id)
	if err == nil {
		err = jsonv2.Unmarshal(raw, &trace, strictjson.Exact)
	}
	if err == nil && lapse(&trace, all, now) {
		raw, err = ledger.Encode(trace)
	}
	return trace, raw, err
}

// checkQuestions refuses a CLARIFY whose schema is none.
func checkQuestions(request planning.Request) error {
	for i, o := range request.Obligations {
		schema, _ := o.Payload["schema"].(map[string]any)
		if o.Type != planning.Clarify {
			continue
		}
		if wrong := contract.CheckSchema(schema); len(wrong) > 0 {
			for j := range wrong {
				wrong[j].Pointer = fmt.Sprintf("/obligations/%d/payload/schema%s", i, wrong[j].Pointer)
			}
			return fault.New(fault.Malformed, "invalid_obligations", "the schema of a CLARIFY cannot be used").
				WithFix("write schema as JSON Schema 2020-12, such as {\"type\":\"string\"}, or leave it out").
				WithFields(wrong...)
		}
	}
	return nil
}

// takeUp replaces the obligations of a trace that had ended before by what became of them. Those that waited are
// considered again, with the answers in their payloads; what was run for them is not run again.
func (e *earlier) takeUp(trace *Trace) {
	if e == nil {
		return
	}
	trace.Missing = e.trace.Missing
	for i := range trace.Obligations {
		t, before := &trace.Obligations[i], e.trace.Obligations[i]
		given := questions.GivenTo(e.questions, t.ID)
		switch {
		case before.Outcome != planning.OutClarify || before.Status != planning.Active:
			*t = before
			t.settled, t.answered = true, before.lastResult()
		case t.Obligation.Type == planning.Clarify && len(given) > 0:
			t.Given, t.settled = given, true
			t.answered = map[string]any{"value": given[0].Value}
			t.end(planning.Resolved, planning.OutResolved, "")
		default:
			t.Obligation, t.Given = questions.Effective(t.Obligation, given), given
			t.Runs, t.Emitted, t.earlier = before.Runs, before.Emitted, before.Candidates
			t.markGiven()
		}
	}
}

// answer gives the answer to an obligation as it was given before, and reports whether it was certain.
func (e *earlier) answer(trace *Trace, obligation string) bool {
	for _, a := range e.trace.Answers {
		if a.Obligation == obligation {
			trace.Answers = append(trace.Answers, a)
			return !a.Uncertain
		}
	}
	return false
}

// lastResult returns the result of the tool that resolved the obligation; nil if none did.
func (t *ObligationTrace) lastResult() map[string]any {
	switch {
	case !t.Status.Resolved():
		return nil
	case len(t.Runs) > 0:
		return t.Runs[len(t.Runs)-1].Result
	case len(t.Given) > 0:
		return map[string]any{"value": t.Given[0].Value}
	}
	return nil
}

// markGiven resolves the CLARIFYs that were answered.
func (t *ObligationTrace) markGiven() {
	for i := range t.Emitted {
		e := &t.Emitted[i]
		if slices.ContainsFunc(t.Given, func(g questions.Given) bool { return g.Question == e.ID }) {
			e.Status = planning.Resolved
		}
	}
}

// asks returns the CLARIFYs that the obligation waits with.
func (t *ObligationTrace) asks() (all []Emitted) {
	if t.Status != planning.Active || t.Outcome != planning.OutClarify {
		return nil
	}
	if t.Obligation.Type == planning.Clarify {
		return []Emitted{{ID: t.ID, Obligation: t.Obligation}}
	}
	return slices.DeleteFunc(slices.Clone(t.Emitted), func(e Emitted) bool { return !e.open() })
}

// open reports whether this is a CLARIFY that has no answer.
func (e Emitted) open() bool {
	return e.Obligation.Type == planning.Clarify && e.Status == planning.Escalated
}

// closeQuestions ends the CLARIFYs that an obligation does not wait for any more, since it ended without them.
func (t *ObligationTrace) closeQuestions() {
	if t.Status == planning.Active || t.Outcome == planning.OutClarify {
		return
	}
	for i := range t.Emitted {
		if t.Emitted[i].open() {
			t.Emitted[i].Status = planning.Failed
			if t.Status.Resolved() {
				t.Emitted[i].Status = planning.Resolved
			}
		}
	}
}

// putQuestions writes what the obligations ask, and withdraws what they asked before and do not wait for any more.
func putQuestions(w *state.Writer, trace Trace, wait time.Duration) error {
	for _, t := range trace.Obligations {
		for _, e := range t.Emitted {
			if e.Obligation.Type != planning.Clarify || e.open() {
				continue
			}
			if err := w.Withdraw(e.ID); err != nil {
				return err
			}
		}
		for _, e := range t.asks() {
			q, err := state.QuestionIn(e.ID, t.ID, e.Obligation)
			if err == nil {
				err = w.Ask(q, wait)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lapse fails the obligations of a trace whose questions have expired, and those that wait for one of them. It reports
// whether there is one.
func lapse(trace *Trace, all []state.Question, now time.Time) bool {
	why, waits := questions.Overdue(all, now)
	if len(why) == 0 {
		return false
	}
	each := []planning.Outcome{}
	lapsed := false
	for i := range trace.Obligations {
		t := &trace.Obligations[i]
		if t.Status == planning.Active {
			if reason := questions.Fails(why, waits, t.ID); reason != "" {
				t.end(planning.Failed, planning.OutFailed, reason)
				t.closeQuestions()
				lapsed = true
			}
		}
		each = append(each, t.Outcome)
	}
	trace.Status = planning.OutcomeOf(each)
	trace.Outcome = trace.Status
	return lapsed
}

// unanswerable hands what would wait for an answer back to the caller, since nobody can answer it. how says why, and
// what to send instead.
func unanswerable(trace *Trace, how string) {
	for i := range trace.Obligations {
		if t := &trace.Obligations[i]; t.Status == planning.Active && t.Outcome == planning.OutClarify {
			t.end(planning.Escalated, planning.OutClarify, t.Why+"; "+how)
		}
	}
}

// What is said of questions that nobody can answer.
const (
	viewersQuestion = "a viewer's run is not kept, so this cannot be answered: " +
		"send the obligations again, with what is missing"
	spokenQuestion = "this cannot be answered by itself: say the whole again in other words"
)
