package planning

import (
	"cmp"
	"slices"
	"strings"
)

// Choice selects the tools for obligations from a set of contracts. It does not change, and is safe for concurrent use.
type Choice struct {
	byPattern map[string][]*Contract // each list in the order of compare
}

// NewChoice returns a choice of contracts, whatever their order. They must not be changed afterwards.
func NewChoice(contracts []Contract) *Choice {
	ordered := make([]*Contract, len(contracts))
	for i := range contracts {
		ordered[i] = &contracts[i]
	}
	slices.SortFunc(ordered, compare)
	c := &Choice{byPattern: map[string][]*Contract{}}
	for _, contract := range ordered {
		for i, pattern := range contract.Satisfies {
			if !slices.Contains(contract.Satisfies[:i], pattern) {
				c.byPattern[pattern] = append(c.byPattern[pattern], contract)
			}
		}
	}
	return c
}

// Candidates returns the contracts that satisfy an obligation, in the order in which they are to be tried.
//
// Implements: ORC-070
func (c *Choice) Candidates(o Obligation) []*Contract {
	exact, wide := c.byPattern[string(o.Type)+"("+o.Kind()+")"], c.byPattern[string(o.Type)]
	if len(wide) == 0 {
		return exact
	}
	if len(exact) == 0 {
		return wide
	}
	all := make([]*Contract, 0, len(exact)+len(wide))
	for len(exact) > 0 && len(wide) > 0 {
		switch order := compare(exact[0], wide[0]); {
		case order < 0:
			all, exact = append(all, exact[0]), exact[1:]
		case order > 0:
			all, wide = append(all, wide[0]), wide[1:]
		default: // the same tool, by both patterns
			all, exact, wide = append(all, exact[0]), exact[1:], wide[1:]
		}
	}
	return append(append(all, exact...), wide...)
}

// compare orders tools: the surest, the cheapest, the fastest as their contracts say, and then by name, which no two
// share. What runs took is never looked at: it would change the choice in silence.
func compare(a, b *Contract) int {
	return cmp.Or(
		cmp.Compare(rankOf(reliabilities, a.Reliability), rankOf(reliabilities, b.Reliability)),
		cmp.Compare(rankOf(costs, a.Cost), rankOf(costs, b.Cost)),
		cmp.Compare(a.LatencyMS, b.LatencyMS),
		strings.Compare(a.Name, b.Name),
	)
}

var (
	reliabilities = []Reliability{High, Medium, Low}
	costs         = []Cost{CostTiny, CostLow, CostMedium, CostHigh}
)

// rankOf puts what is not known last.
func rankOf[T comparable](order []T, value T) int {
	if i := slices.Index(order, value); i >= 0 {
		return i
	}
	return len(order)
}

// Inputs are the values that a tool is given, by the names of its inputs.
type Inputs map[string]any

// Fill resolves the inputs of a tool: from the obligation's payload, or else from what is known. It returns the
// required ones that neither has, in the order of their names.
func Fill(c *Contract, o Obligation, known func(slot string) (any, bool)) (values Inputs, missing []string) {
	values = Inputs{}
	for _, input := range c.Consumes {
		if value, given := o.Payload[input.Name]; given {
			values[input.Name] = value
		} else if value, is := known(input.Name); is {
			values[input.Name] = value
		} else if input.Required {
			missing = append(missing, input.Name)
		}
	}
	slices.Sort(missing)
	return values, missing
}

// Guardrails splits the obligations of a request: MAINTAIN and AVOID are looked at before any tool runs for the others.
func Guardrails(all []Obligation) (guardrails, rest []int) {
	for i, o := range all {
		if o.Type == Maintain || o.Type == Avoid {
			guardrails = append(guardrails, i)
		} else {
			rest = append(rest, i)
		}
	}
	return guardrails, rest
}

// OutcomeOf returns how a run ended whose obligations ended each in its own way.
func OutcomeOf(each []Outcome) Outcome {
	for _, worst := range []Outcome{OutGuardrail, OutClarify, OutTruncated, OutFailed} {
		if slices.Contains(each, worst) {
			return worst
		}
	}
	return OutResolved
}
