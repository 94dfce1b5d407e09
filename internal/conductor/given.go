package conductor

import (
	"slices"

	"orchestrator/internal/conductor/budget"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/rules/planning"
)

// ask asks for what an obligation, or a step of its plans, lacks.
func ask(r *run, t *ObligationTrace, missing []string) {
	t.Clarify(missing, func(slot string) map[string]any {
		return r.Tools.SchemaOf(t.Obligation, slot, budget.Depth(r.request.Request.Budgets), r.choice.Candidates)
	})
}

// takeAnswers gives a step the answers to the questions of the plans that it stands in, where it lacks what was asked
// for. What is known does not count: it may have come to be known by the step itself, before a crash.
func (s *scope) takeAnswers(t *ObligationTrace, o planning.Obligation) {
	for ; s != nil; s = s.beyond {
		for _, g := range s.given {
			if !questions.Gives(t.Given, g.Slot) && lacksAlone(s.Conductor, o, g.Slot) {
				t.Given = append(t.Given, g)
			}
		}
	}
}

// lacksAlone reports whether a tool cannot satisfy an obligation by its payload alone, without a slot.
func lacksAlone(c *Conductor, o planning.Obligation, slot string) bool {
	return slices.ContainsFunc(c.choice.Candidates(o), func(of *planning.Contract) bool {
		_, missing := planning.Fill(of, o, func(string) (any, bool) { return nil, false })
		known := c.stateTools[of.Implementation.Name]
		if of.Implementation.Means == planning.Builtin && known.Missing != nil {
			missing = append(missing, known.Missing(o)...)
		}
		return slices.Contains(missing, slot)
	})
}

// unanswered returns those of the inputs that the steps of an obligation lack which nobody was asked for, and answered.
func (s *scope) unanswered(t *ObligationTrace, missing []string) []string {
	answered := slices.Clone(t.Given)
	for ; s != nil; s = s.beyond {
		answered = append(answered, s.given...)
	}
	return slices.DeleteFunc(missing, func(slot string) bool { return questions.Gives(answered, slot) })
}
