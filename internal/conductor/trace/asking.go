package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor/language/reasons"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
)

// AwaitAnswer ends a CLARIFY, which only the caller can answer.
func (t *Obligation) AwaitAnswer() {
	question, _ := t.Obligation.Payload["question"].(string)
	if strings.TrimSpace(question) == "" {
		question = fmt.Sprintf("it needs %v", t.Obligation.Payload["slot"])
	}
	t.End(planning.Active, planning.OutClarify, question)
}

// Clarify asks for what is missing, unless that was asked before; the obligation waits for it. schemaOf returns the
// schema of an input, or nil.
func (t *Obligation) Clarify(missing []string, schemaOf func(slot string) map[string]any) {
	for _, slot := range missing {
		asks := func(e Emitted) bool { return e.open() && e.Obligation.Payload["slot"] == slot }
		if slices.ContainsFunc(t.Emitted, asks) {
			continue
		}
		asked := map[string]any{"slot": slot, "question": questionAbout(slot) + "?", "for": t.Obligation.String()}
		if schema := schemaOf(slot); schema != nil {
			asked["schema"] = schema
			if means, _ := schema["description"].(string); means != "" {
				asked["question"] = questionAbout(slot) + " (" + means + ")?"
			}
		}
		t.emit(planning.Clarify, asked)
	}
	t.End(planning.Active, planning.OutClarify, "it needs "+strings.Join(missing, ", "))
}

// questionAbout asks for an input by its name.
func questionAbout(slot string) string {
	if said := reasons.Question(slot); said != "" {
		return said
	}
	verb := "is"
	if strings.HasSuffix(slot, "s") && !strings.HasSuffix(slot, "ss") && !strings.HasSuffix(slot, "us") {
		verb = "are"
	}
	return "what " + verb + " the " + strings.ReplaceAll(slot, "_", " ")
}

// waits reports whether the obligation ended for the time being, since it waits for an answer.
func (t *Obligation) waits() bool {
	return t.Status == planning.Active && t.Outcome == planning.OutClarify
}

// Asks returns the CLARIFYs that the obligation itself waits with.
func (t *Obligation) Asks() (all []Emitted) {
	if !t.waits() {
		return nil
	}
	if t.Obligation.Type == planning.Clarify {
		return []Emitted{{ID: t.ID, Obligation: t.Obligation}}
	}
	return t.open()
}

// open returns the CLARIFYs that the obligation gave rise to, and that have no answer.
func (t *Obligation) open() []Emitted {
	return slices.DeleteFunc(slices.Clone(t.Emitted), func(e Emitted) bool { return !e.open() })
}

// Reply returns the answer to a CLARIFY.
func (t *Obligation) Reply() (value any, answered bool) {
	if t.Obligation.Type != planning.Clarify || len(t.Given) == 0 {
		return nil, false
	}
	return t.Given[0].Value, true
}

// AsksInVain returns the CLARIFYs of an obligation that ended with questions which nobody can answer.
func (t *Obligation) AsksInVain() (all []Emitted) {
	if t.Outcome != planning.OutClarify || t.waits() {
		return nil
	}
	return t.open()
}

// open reports whether this is a CLARIFY that has no answer.
func (e Emitted) open() bool {
	return e.Obligation.Type == planning.Clarify && e.Status == planning.Escalated
}

// CloseQuestions ends the CLARIFYs that an obligation does not wait for any more, since it ended without them.
func (t *Obligation) CloseQuestions() {
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

// PutQuestions writes what the obligations ask, and withdraws what they asked before and do not wait for any more.
func (t *Trace) PutQuestions(w *state.Writer, wait time.Duration) error {
	for one := range t.Each() {
		for _, e := range one.Emitted {
			if e.Obligation.Type != planning.Clarify || e.open() {
				continue
			}
			if err := w.Withdraw(e.ID); err != nil {
				return err
			}
		}
		for _, e := range one.Asks() {
			q, err := state.QuestionIn(e.ID, one.ID, e.Obligation)
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

// Lapse fails the obligations whose questions have expired, and those that wait for one of them. It reports whether
// there is one.
func (t *Trace) Lapse(all []state.Question, now time.Time) (lapsed bool) {
	why, waits := questions.Overdue(all, now)
	for one := range t.Each() {
		reason := questions.Fails(why, waits, one.ID)
		if one.Status != planning.Active || reason == "" {
			continue
		}
		one.End(planning.Failed, planning.OutFailed, reason)
		one.CloseQuestions()
		lapsed = true
	}
	if lapsed {
		t.Conclude()
	}
	return lapsed
}

// Conclude sets the outcome of the whole by those of its obligations.
func (t *Trace) Conclude() {
	each := []planning.Outcome{}
	for i := range t.Obligations {
		each = append(each, t.Obligations[i].Outcome)
	}
	t.Status = planning.OutcomeOf(each)
	t.Outcome = t.Status
}

// Unanswerable hands what would wait for an answer back to the caller, since nobody can answer it. how says why, and
// what to send instead.
func (t *Trace) Unanswerable(how string) {
	for one := range t.Each() {
		if one.waits() {
			one.End(planning.Escalated, planning.OutClarify, one.Why+"; "+how)
		}
	}
}
