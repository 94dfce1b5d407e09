package contract

import (
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// maxLookedAt bounds how many steps of plans are looked at for a schema.
const maxLookedAt = 10_000

// SchemaOf returns the schema of an input that an obligation, or a step of its plans, is not given; nil if no tool has
// such an input. candidates returns the tools that satisfy an obligation, depth is how deep plans are looked into.
func (r *Registry) SchemaOf(o planning.Obligation, slot string, depth int,
	candidates func(planning.Obligation) []*planning.Contract) map[string]any {
	s := schemaSearch{r, slot, candidates, maxLookedAt}
	return s.in(o, depth)
}

type schemaSearch struct {
	*Registry
	slot       string
	candidates func(planning.Obligation) []*planning.Contract
	left       int
}

func (s *schemaSearch) in(o planning.Obligation, depth int) map[string]any {
	if s.left--; s.left < 0 || depth < 0 {
		return nil
	}
	if _, given := o.Payload[s.slot]; given {
		return nil
	}
	candidates := s.candidates(o)
	if schema := s.SlotSchema(candidates, s.slot); schema != nil {
		return schema
	}
	steps := flow.Steps(o)
	for _, c := range candidates {
		steps = append(steps, c.Implementation.Steps...)
	}
	for _, step := range steps {
		if schema := s.in(step, depth-1); schema != nil {
			return schema
		}
	}
	return nil
}
