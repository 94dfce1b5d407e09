package trace

import (
	"cmp"
	"slices"

	"orchestrator/internal/conductor/language"
	"orchestrator/internal/rules/planning/flow"
)

// Tell adds to the answers what was brought about and checked, in words, so that all of them stand in the order of the
// obligations.
func (t *Trace) Tell() {
	confirmed := 0
	for _, a := range t.Answers {
		if !a.Uncertain {
			confirmed++
		}
	}
	order := map[string]int{}
	for o := range t.Each() {
		order[o.ID] = len(order)
		if !o.Status.Resolved() {
			continue
		}
		obligation, result := o.Obligation, o.Result()
		if result == nil && flow.VerifiesAnswers(obligation) {
			obligation.Payload, result = map[string]any{"kind": "answers"}, map[string]any{"confirmed": confirmed}
		}
		if text := language.Told(obligation, result); text != "" {
			t.Answers = append(t.Answers, Answer{Obligation: o.ID, Result: o.Result(), Text: text})
		}
	}
	slices.SortStableFunc(t.Answers, func(a, b Answer) int {
		return cmp.Compare(order[a.Obligation], order[b.Obligation])
	})
}
