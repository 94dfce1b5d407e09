// Package contract loads the contracts of tools, and checks inputs, results and conditions against them.
//
// A contract is a YAML or JSON file of the directory .orchestrator/tools, in the form of schemas/tool.schema.json, or
// built in. Whatever can be wrong is found when the contracts are loaded: their form, the schemas of inputs and
// results, the types of conditions, names that do not exist. One invalid contract refuses all of them, so that a
// project never works with fewer tools than it thinks it has. The order in which contracts are found changes nothing.
//
// Conditions are CEL: no clock, no I/O, no randomness, and a bound on the cost of an evaluation.
package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/schemas"
)

// Registry holds every tool of a project. It never changes, and is safe for concurrent use.
type Registry struct {
	tools     []*Tool // by name
	byName    map[string]*Tool
	relations map[string]planning.Relation // by predicate
	digest    string
}

func newRegistry(tools []*Tool) (*Registry, error) {
	r := &Registry{tools: tools, byName: make(map[string]*Tool, len(tools)), relations: map[string]planning.Relation{}}
	slices.SortFunc(r.tools, func(a, b *Tool) int { return strings.Compare(a.contract.Name, b.contract.Name) })
	contracts := make([]planning.Contract, 0, len(tools))
	for _, t := range r.tools {
		r.byName[t.contract.Name] = t
		contracts = append(contracts, t.contract)
		maps.Copy(r.relations, t.contract.Relations) // none disagrees with another
	}
	canonical, err := json.Marshal(contracts) // members in the order of the type, those of schemas sorted
	if err != nil {
		return nil, fault.New(fault.Internal, "tools_digest", "the contracts cannot be written as JSON").Because(err)
	}
	sum := sha256.Sum256(canonical)
	r.digest = "sha256:" + hex.EncodeToString(sum[:])
	return r, nil
}

// Tools returns all tools, by name.
func (r *Registry) Tools() []*Tool { return slices.Clone(r.tools) }

// Tool returns the tool with a name.
func (r *Registry) Tool(name string) (*Tool, bool) {
	t, known := r.byName[name]
	return t, known
}

// Functional reports whether a contract declares that a subject has at most one object of a predicate.
func (r *Registry) Functional(predicate string) bool {
	return r.relations[predicate] == planning.Functional
}

// Relations returns how many objects predicates have, as contracts declare it. It must not be changed.
func (r *Registry) Relations() map[string]planning.Relation { return r.relations }

// Outside reports whether a tool is none of the box.
func (r *Registry) Outside(tool string) bool {
	of, known := r.Tool(tool)
	return !known || of.contract.Implementation.Means != planning.Builtin
}

// Digest returns the SHA-256 of all contracts, as sha256:hexadecimal: equal for equal contracts, in whatever files they
// stand.
func (r *Registry) Digest() string { return r.digest }

// Contracts returns the contracts of all tools, by name.
func (r *Registry) Contracts() []planning.Contract {
	all := make([]planning.Contract, 0, len(r.Tools()))
	for _, t := range r.Tools() {
		all = append(all, t.contract)
	}
	return all
}

// Tool is a valid contract, compiled.
type Tool struct {
	contract      planning.Contract
	inputs        map[string]*schemas.Schema
	result        *schemas.Schema
	before, after []*Condition
}

// Contract returns what the tool promises, its inputs sorted by name. Its maps and lists are shared: they must not be
// changed.
func (t *Tool) Contract() planning.Contract { return t.contract }

// CheckInput checks a value, of any type that can be written as JSON, against the schema of an input. Its error is a
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

// CheckResult checks a result, of any type that can be written as JSON, against the schema of what the tool produces.
// Its error is a *fault.Error of kind Invalid, with pointers into the result.
func (t *Tool) CheckResult(value any) error {
	found := t.result.Violations(value)
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "result_invalid", "the tool %s returned an invalid result",
		t.contract.Name).
		WithFields(found...).WithFix("correct the tool, or produces in its contract")
}

// Preconditions evaluates all preconditions, in the order of the contract.
func (t *Tool) Preconditions(facts Facts) []Verdict { return verdicts(t.before, facts.variables()) }

// Postconditions evaluates all postconditions, in the order of the contract. The result is of any type that can be
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
