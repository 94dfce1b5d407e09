// Package contract loads what tools promise and holds them to it.
//
// A contract is a YAML or JSON file of the directory .orchestrator/tools, in the shape of schemas/tool.schema.json, or
// one of the box. Everything that can be known to be wrong is found when the contracts are loaded: the shape, the
// schemas of inputs and results, the types of conditions, names that do not exist. One bad contract refuses all of
// them, so that a project never works with fewer tools than it thinks it has. The order in which contracts are found
// changes nothing.
//
// Conditions are CEL: no clock, no I/O, no randomness, and an end to what an evaluation may cost.
package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/schemas"
)

// Registry is every tool of a project. It never changes, and is safe for concurrent use.
type Registry struct {
	tools  []*Tool // by name
	byName map[string]*Tool
	digest string
}

func newRegistry(tools []*Tool) (*Registry, error) {
	r := &Registry{tools: tools, byName: make(map[string]*Tool, len(tools))}
	slices.SortFunc(r.tools, func(a, b *Tool) int { return strings.Compare(a.contract.Name, b.contract.Name) })
	contracts := make([]planning.Contract, 0, len(tools))
	for _, t := range r.tools {
		r.byName[t.contract.Name] = t
		contracts = append(contracts, t.contract)
	}
	canonical, err := json.Marshal(contracts) // members in the order of the type, those of schemas sorted
	if err != nil {
		return nil, fault.New(fault.Internal, "tools_digest", "the contracts cannot be written as JSON").Because(err)
	}
	sum := sha256.Sum256(canonical)
	r.digest = "sha256:" + hex.EncodeToString(sum[:])
	return r, nil
}

// Tools are all tools, by name.
func (r *Registry) Tools() []*Tool { return slices.Clone(r.tools) }

// Tool is the one with a name.
func (r *Registry) Tool(name string) (*Tool, bool) {
	t, known := r.byName[name]
	return t, known
}

// Digest is the SHA-256 of all contracts, as sha256:hexadecimal: equal for equal contracts, in whatever files they
// stand.
func (r *Registry) Digest() string { return r.digest }

// Contracts are those of all tools, by name.
func (r *Registry) Contracts() []planning.Contract {
	all := make([]planning.Contract, 0, len(r.Tools()))
	for _, t := range r.Tools() {
		all = append(all, t.contract)
	}
	return all
}

// Tool is a contract that was found in order.
type Tool struct {
	contract      planning.Contract
	inputs        map[string]*schemas.Schema
	result        *schemas.Schema
	before, after []*Condition
}

// Contract is what the tool promises, its inputs sorted by name. Its maps and lists are shared: they are not to be
// changed.
func (t *Tool) Contract() planning.Contract { return t.contract }

// CheckInput holds a value, of any type that can be written as JSON, against the schema of a slot. What is wrong is a
// *fault.Error of kind Invalid, with pointers into the value.
func (t *Tool) CheckInput(name string, value any) error {
	schema, known := t.inputs[name]
	if !known {
		return fault.New(fault.Invalid, "unknown_input", "the tool %s has no input %s", t.contract.Name,
			fault.Clip(name, 64)).
			WithFix("its inputs are: %s", strings.Join(t.slots(), ", "))
	}
	found := schema.Violations(value)
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "input_invalid", "the input %s of the tool %s does not match its schema",
		name, t.contract.Name).
		WithFields(found...).WithFix("give a value that fits consumes.%s.schema of the contract", name)
}

// CheckResult holds a result, of any type that can be written as JSON, against what the contract says that the tool
// produces. What is wrong is a *fault.Error of kind Invalid, with pointers into the result.
func (t *Tool) CheckResult(value any) error {
	found := t.result.Violations(value)
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "result_invalid", "the tool %s returned an invalid result",
		t.contract.Name).
		WithFields(found...).WithFix("correct the tool, or produces in its contract")
}

// Preconditions are the verdicts on all of them, in the order of the contract.
func (t *Tool) Preconditions(facts Facts) []Verdict { return verdicts(t.before, facts.variables()) }

// Postconditions are the verdicts on all of them, in the order of the contract. The result is of any type that can be
// written as JSON.
func (t *Tool) Postconditions(facts Facts, result any) []Verdict {
	return verdicts(t.after, facts.variables().with(varResult, result))
}

func verdicts(conditions []*Condition, on *variables) []Verdict {
	all := make([]Verdict, 0, len(conditions))
	for _, c := range conditions {
		all = append(all, c.holds(on))
	}
	return all
}

func (t *Tool) slots() []string {
	names := make([]string, 0, len(t.contract.Consumes))
	for _, in := range t.contract.Consumes {
		names = append(names, in.Name)
	}
	return names
}
