package conductor

import (
	"cmp"
	"slices"

	"orchestrator/internal/conductor/language"
)

// tell adds to the answers what was brought about and checked, in words, so that all answers stand in the order of the
// obligations.
func (t *Trace) tell() {
	confirmed := 0
	for _, a := range t.Answers {
		if !a.Uncertain {
			confirmed++
		}
	}
	order := map[string]int{}
	for i, o := range t.Obligations {
		order[o.ID] = i
		result := o.answered
		switch {
		case !o.Status.Resolved():
			continue
		case verifiesAnswers(o.Obligation) && result == nil:
			result = map[string]any{"confirmed": confirmed}
			o.Obligation.Payload = map[string]any{"kind": kindAnswers}
		}
		if text := language.Told(o.Obligation, result); text != "" {
			t.Answers = append(t.Answers, Answer{Obligation: o.ID, Result: o.answered, Text: text})
		}
	}
	slices.SortStableFunc(t.Answers, func(a, b Answer) int { return cmp.Compare(order[a.Obligation], order[b.Obligation]) })
}

// kindAnswers is what a VERIFY is about that names no kind.
const kindAnswers = "answers"
