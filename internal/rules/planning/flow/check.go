package flow

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// CodeInvalid is the code of a request whose references cannot be resolved.
const CodeInvalid fault.Code = "invalid_references"

// The codes of what is wrong with one reference.
const (
	codeSyntax  fault.Code = "reference_syntax"
	codeName    fault.Code = "obligation_name"
	codeUnknown fault.Code = "unknown_obligation"
	codeCycle   fault.Code = "cycle"
	codePath    fault.Code = "no_such_value"
	codeType    fault.Code = "value_type"
	codeStep    fault.Code = "step"
)

// Candidates returns the contracts that satisfy an obligation.
type Candidates func(o planning.Obligation) []*planning.Contract

// Check refuses obligations that refer to what they cannot be given: to names that there are not, to one another in a
// circle, to values that no tool results in, or that are of no type that is taken. Its error is a *fault.Error of kind
// Malformed with a pointer to each.
//
// Implements: ORC-251
func Check(list []planning.Obligation, candidates Candidates) error {
	c := checker{candidates: candidates}
	c.list("/obligations", list, nil)
	return c.err()
}

// CheckSteps returns what is wrong with the steps of a contract, which may refer to one another and to inputs, with
// pointers that begin with at.
func CheckSteps(at string, steps []planning.Obligation, inputs []planning.Input, candidates Candidates) []fault.Field {
	c := checker{candidates: candidates, inputs: inputs, ofContract: true}
	c.list(at, steps, nil)
	return c.wrong
}

// checker gathers what is wrong.
type checker struct {
	candidates Candidates
	inputs     []planning.Input // of the contract whose steps are checked
	ofContract bool
	wrong      []fault.Field
}

func (c *checker) err() error {
	if len(c.wrong) == 0 {
		return nil
	}
	return fault.New(fault.Malformed, CodeInvalid, "the obligations refer to what they cannot be given").
		WithFields(c.wrong...).
		WithFix("correct the references that errors lists; docs/conductor-plans.md shows how values flow")
}

func (c *checker) refuse(at string, code fault.Code, fix, format string, args ...any) {
	c.wrong = append(c.wrong, fault.Field{Pointer: at, Code: code, Detail: fmt.Sprintf(format, args...), Fix: fix})
}

// list checks a list and the steps below it. enclosing is the list that its plan stands in.
func (c *checker) list(at string, list []planning.Obligation, enclosing *enclosed) {
	if !slices.ContainsFunc(list, concerns) {
		return
	}
	within := &enclosed{list, places(list), enclosing}
	c.names(at, list)
	sound := len(c.wrong)
	for i, o := range list {
		c.obligation(at+"/"+strconv.Itoa(i), i, o, within)
	}
	if len(c.wrong) == sound {
		c.cycle(at, list)
	}
	for i, o := range list {
		if steps := Steps(o); len(steps) > 0 {
			c.list(at+"/"+strconv.Itoa(i)+"/payload/"+stepsMember, steps, within)
		}
	}
}

// concerns reports whether there is anything to check of an obligation.
func concerns(o planning.Obligation) bool {
	return o.Name != "" || isPlan(o) || VerifiesAnswers(o) || refers(o.Payload)
}

// enclosed is a list of obligations, with those that it stands in.
type enclosed struct {
	list   []planning.Obligation
	names  map[string]int
	beyond *enclosed
}

var placeName = regexp.MustCompile(`^o[0-9]+$`)

func (c *checker) names(at string, list []planning.Obligation) {
	taken := map[string]bool{Input: true}
	for i, o := range list {
		if o.Name != "" && (taken[o.Name] || placeName.MatchString(o.Name)) {
			c.refuse(at+"/"+strconv.Itoa(i)+"/name", codeName, "give the obligation another name",
				"the name %s is taken: o1, o2 and so on are places of obligations, and input is what a plan is given",
				o.Name)
		}
		taken[o.Name] = true
	}
}

// obligation checks the references of one obligation itself.
func (c *checker) obligation(at string, place int, o planning.Obligation, within *enclosed) {
	var f found
	f.inPayload(o)
	at += "/payload"
	if VerifiesAnswers(o) && (within.beyond != nil || c.ofContract) {
		c.refuse(at, codeStep, "put it beside the plan: it verifies the answers of the steps as well",
			"a VERIFY of answers verifies those of the whole request, and is no step")
	}
	if o.Type == planning.Maintain || o.Type == planning.Avoid {
		for _, ref := range f.refs {
			c.refuse(at+ref.At, codeSyntax, "write the value itself",
				"a guardrail is checked before anything runs, and cannot refer to %s", ref)
		}
		return
	}
	for _, w := range f.wrong {
		w.Pointer = at + w.Pointer
		c.wrong = append(c.wrong, w)
	}
	for _, ref := range f.refs {
		c.reference(at+ref.At, place, ref, within)
	}
}

// reference checks one reference. place is that of the obligation that has it.
func (c *checker) reference(at string, place int, ref Ref, within *enclosed) {
	if c.ofContract && ref.Name == Input {
		c.input(at, ref)
		return
	}
	for scope := within; scope != nil; scope = scope.beyond {
		i, known := scope.names[ref.Name]
		switch {
		case !known:
			continue
		case scope == within && i == place:
			c.refuse(at, codeCycle, "refer to another obligation", "%s refers to itself", ref.Name)
		default:
			c.value(at, ref, scope.list[i])
		}
		return
	}
	c.refuse(at, codeUnknown, "name an obligation beside it by its place, such as o1, or by its name",
		"there is no obligation %s", fault.Clip(ref.Name, 64))
}

// input checks a reference to an input of the contract.
func (c *checker) input(at string, ref Ref) {
	i := -1
	if len(ref.Path) > 0 {
		i = slices.IndexFunc(c.inputs, func(in planning.Input) bool { return in.Name == ref.Path[0] })
	}
	if i < 0 || !c.inputs[i].Required {
		c.refuse(at, codeUnknown, "name a required input of consumes, such as {{input.person}}",
			"%s is no required input of the contract", ref)
		return
	}
	c.types(at, ref, typesAt(c.inputs[i].Schema, ref.Path[1:]), "the input "+ref.Path[0])
}

// value checks that an obligation can result in a value.
func (c *checker) value(at string, ref Ref, source planning.Obligation) {
	switch {
	case source.Type == planning.Maintain || source.Type == planning.Avoid:
		c.refuse(at, codePath, "refer to a REPORT or an ACHIEVE", "%s is a guardrail, and has no result", ref.Name)
	case VerifiesAnswers(source):
		c.refuse(at, codePath, "refer to a REPORT or an ACHIEVE",
			"%s verifies all answers when they are there, and has no result", ref.Name)
	default:
		c.types(at, ref, c.results(source, ref.Path), source.String())
	}
}

// types checks that a value of some types can be taken.
func (c *checker) types(at string, ref Ref, given types, source string) {
	taken := scalar
	if !ref.inText {
		taken = c.taken(ref)
	}
	switch {
	case given == nothing:
		c.refuse(at, codePath, "GET /tools has what each tool produces", "no result of %s has %s", source,
			fault.Clip(strings.Join(ref.Path, "."), 100))
	case given&taken == nothing && ref.inText:
		c.refuse(at, codeType, "refer to a part of it, or give the whole as {\"from\": …}",
			"%s is of the type %s, and a text takes texts, numbers and booleans", ref, given)
	case given&taken == nothing:
		c.refuse(at, codeType, "refer to a value of that type", "%s is of the type %s, and %s takes %s", ref, given,
			ref.member, taken)
	}
}

// taken returns the types that tools for an obligation take where a reference stands.
func (c *checker) taken(ref Ref) types {
	found := nothing
	for _, contract := range c.candidates(ref.by) {
		i := slices.IndexFunc(contract.Consumes, func(in planning.Input) bool { return in.Name == ref.member })
		if i < 0 {
			return all
		}
		found |= typesAt(contract.Consumes[i].Schema, ref.within())
	}
	if found == nothing {
		return all // there is no tool, which is said in another way
	}
	return found
}

// results returns the types that the result of an obligation may have at a path.
func (c *checker) results(source planning.Obligation, path []string) types {
	if isPlan(source) {
		return c.planned(Steps(source), path)
	}
	candidates := c.candidates(source)
	if len(candidates) == 0 {
		return all
	}
	found := nothing
	for _, contract := range candidates {
		found |= typesAt(contract.Produces, path)
	}
	return found
}

// planned returns those of a plan, whose result has that of each step by its name.
func (c *checker) planned(steps []planning.Obligation, path []string) types {
	if len(path) == 0 {
		return object
	}
	for i, step := range steps {
		if NameOf(step, i) == path[0] {
			return c.results(step, path[1:])
		}
	}
	return nothing
}

// cycle names a circle of obligations that wait for one another, if there is one.
func (c *checker) cycle(at string, list []planning.Obligation) {
	order, sources := ordered(list)
	if len(order) == len(list) {
		return
	}
	now := 0
	for slices.Contains(order, now) {
		now++
	}
	var path []int
	for !slices.Contains(path, now) {
		path = append(path, now)
		now = sources[now][slices.IndexFunc(sources[now], func(i int) bool { return !slices.Contains(order, i) })]
	}
	circle := append(path[slices.Index(path, now):], now)
	names := make([]string, len(circle))
	for i, place := range circle {
		names[i] = NameOf(list[place], place)
	}
	c.refuse(at+"/"+strconv.Itoa(circle[0])+"/payload", codeCycle, "let one of them go without the others",
		"these obligations wait for one another: %s", strings.Join(names, " → "))
}

// VerifiesAnswers reports whether an obligation is to verify the answers of its own request.
func VerifiesAnswers(o planning.Obligation) bool {
	return o.Type == planning.Verify && (o.Kind() == "" || o.Kind() == "answers")
}
