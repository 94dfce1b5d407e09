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
}

// After returns what a change has led to.
func (a Around) After(req lifecycle.Requirement) Outcome {
	waiting := a.Workflow.WaitingFor(req)
	return Outcome{WaitingFor: waiting, Next: a.leads(req, waiting), Warnings: a.Against(req)}
}

// Explained returns a refusal with an example beside what it lacks: for each unmet gate what would meet it, for each
// member that breaks the schema one that keeps it, and for a missing justification the move with one. The records of
// the log do not have them.
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

// ofMember returns an example for the member of a change request that a pointer leads into; for the request itself, one
// of what the role may send.
func (p place) ofMember(pointer string, who lifecycle.Actor) *Body {
	member, inside, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	switch member {
	case "":
		return p.ofRole(who)
	case lifecycle.FieldJustification:
		return &Body{Justification: p.justification("")}
	case lifecycle.FieldStatus:
		for _, m := range p.Workflow.Next(p.Requirement, who).Moves {
			return p.ofMove(m.To, who.Role, m.Lacks)
		}
	}
	b := p.ofField(member)
	if inside != "" && b != nil {
		b.show(member, inside)
	}
	return b
}

// ofRole returns an example of what a role may send: what leads on, or else a move or a field of its own; nil for none.
func (p place) ofRole(who lifecycle.Actor) *Body {
	v := p.Of(p.Requirement, who)
	for _, f := range v.Fields {
		if f.Due {
			return f.Example
		}
	}
	for _, m := range v.Moves {
		return m.Example
	}
	for _, f := range v.Fields {
		return f.Example
	}
	return nil
}

// show adds to an example the member of a part that a pointer leads into.
func (b *Body) show(part, inside string) {
	member, deeper, _ := strings.Cut(inside, "/")
	text := []string{"<a sentence>"}
	switch part + "/" + member {
	case "design_spec/components":
		b.DesignSpec.Components = []Component{{"<its name>", "<what it does>"}}
	case "design_spec/interfaces":
		b.DesignSpec.Interfaces = text
	case "design_spec/decisions":
		b.DesignSpec.Decisions = text
	case "design_spec/risks":
		b.DesignSpec.Risks = text
	case "design_spec/files":
		b.DesignSpec.Files = []File{{Path: aPath}}
	case "implementation/files":
		if strings.HasSuffix(deeper, "/lines") {
			b.Implementation.Files[0].Lines = "3-9"
		}
	case "implementation/commits":
		b.Implementation.Commits = []string{strings.Repeat("0", 40)}
	case "implementation/notes":
		b.Implementation.Notes = text[0]
	case "test/results":
		b.Test.Results = &lifecycle.Results{Passed: 1}
	case "test/notes":
		b.Test.Notes = text[0]
	}
}
