package planning

import (
	"cmp"
	"slices"
	"strings"
)

// Choice selects the tools for obligations from a set of contracts. It does not change, and is safe for concurrent use.
type Choice struct {
	byPattern map[string]ordered
}

// ordered has contracts in the order of compare, and the place of each among all contracts.
type ordered struct {
	contracts []*Contract
	places    []int
}

// NewChoice returns a choice of contracts, whatever their order. They must not be changed afterwards.
func NewChoice(contracts []Contract) *Choice {
	all := make([]*Contract, len(contracts))
	for i := range contracts {
		all[i] = &contracts[i]
	}
	slices.SortFunc(all, compare)
	c := &Choice{byPattern: map[string]ordered{}}
	for place, contract := range all {
		for i, pattern := range contract.Satisfies {
			if !slices.Contains(contract.Satisfies[:i], pattern) {
				of := c.byPattern[pattern]
				c.byPattern[pattern] = ordered{append(of.contracts, contract), append(of.places, place)}
			}
		}
	}
	return c
}

// Candidates returns the contracts that satisfy an obligation, in the order in which they are to be tried.
//
// Implements: ORC-070
func (c *Choice) Candidates(o Obligation) []*Contract {
	named, every := o.patterns()
	exact, wide := c.byPattern[named], c.byPattern[every]
	if len(wide.places) == 0 {
		return exact.contracts
	}
	if len(exact.places) == 0 {
		return wide.contracts
	}
	return merge(exact, wide)
}

// merge returns the contracts of two lists in their order, one that is in both once.
func merge(a, b ordered) []*Contract {
	all := make([]*Contract, 0, len(a.places)+len(b.places))
	i, j := 0, 0
	for i < len(a.places) && j < len(b.places) {
		switch at, bt := a.places[i], b.places[j]; {
		case at <= bt:
			all = append(all, a.contracts[i])
			i++
			if at == bt { // the same tool, by both patterns
				j++
			}
		default:
			all = append(all, b.contracts[j])
			j++
		}
	}
	return append(append(all, a.contracts[i:]...), b.contracts[j:]...)
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
