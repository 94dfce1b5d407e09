package guidance

import (
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Outcome is what the answer to a change says besides the requirement.
type Outcome struct {
	WaitingFor []lifecycle.Party `json:"waiting_for"`
	Next       []Lead            `json:"next"`
	Warnings   []Objection       `json:"warnings,omitempty"` // what stands against done
	Unchanged  bool              `json:"unchanged,omitzero"` // it was so already
}

// After returns what a change has led to.
func (a Around) After(req lifecycle.Requirement) Outcome {
	return Outcome{WaitingFor: a.Workflow.WaitingFor(req), Next: a.Leads(req), Warnings: a.Against(req)}
}

// Explained returns a refusal with an example beside what it lacks: for each unmet gate what would meet it, for each
// member that breaks the schema one that keeps it, and for a missing justification the move with one. The records of the
// log do not have them.
func (a Around) Explained(req lifecycle.Requirement, who lifecycle.Actor, refusal fault.Error) fault.Error {
	p := place{req, a}
	var example func(f fault.Field) *Body
	switch refusal.Code {
	case lifecycle.CodeGateUnmet:
		example = func(f fault.Field) *Body { return p.ofGate(string(f.Code)) }
	case lifecycle.CodeSchemaViolation:
		example = func(f fault.Field) *Body { return p.ofMember(f.Pointer, who) }
	case lifecycle.CodeUnjustified:
		example = func(fault.Field) *Body { return &Body{Justification: p.justification("")} }
	default:
		return refusal
	}
	refusal.Fields = slices.Clone(refusal.Fields)
	shown := ""
	for i, f := range refusal.Fields {
		raw, err := jsonv2.Marshal(example(f)) // of our own types
		if text := string(raw); err == nil && text != "null" && (refusal.Code == lifecycle.CodeGateUnmet || text != shown) {
			refusal.Fields[i].Example, shown = fault.JSON(raw), text
		}
	}
	return refusal
}

// ofGate returns an example that meets a gate.
func (p place) ofGate(name string) *Body {
	all := lifecycle.Gates()
	i := slices.IndexFunc(all, func(g lifecycle.Gate) bool { return g.Name == name })
	if i < 0 {
		return nil
	}
	return p.ofLack(lifecycle.Lack{Gate: name, By: all[i].Supplier})
}

// ofMember returns an example for the member of a change request that a pointer leads into.
func (p place) ofMember(pointer string, who lifecycle.Actor) *Body {
	member, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	switch member {
	case lifecycle.FieldJustification:
		return &Body{Justification: p.justification("")}
	case lifecycle.FieldStatus:
		for _, m := range p.Workflow.Next(p.Requirement, who).Moves {
			return p.ofMove(m.To, who.Role, m.Lacks)
		}
	}
	return p.ofField(member)
}
