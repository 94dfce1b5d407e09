package contract

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// ObligationsInvalid is the code of obligations that do not fit their schema.
const ObligationsInvalid fault.Code = "invalid_obligations"

// FitObligations holds a list of obligations, of any type that can be written as JSON, against their schema, and the
// steps of the plans among them. It returns what is wrong, with pointers that begin with at.
func FitObligations(at string, list any) []fault.Field {
	value, err := plainList(list)
	if err != nil {
		return []fault.Field{{Pointer: at, Code: "json", Detail: err.Error()}}
	}
	found := schemas.Violations(schemas.Obligations, map[string]any{"obligations": value})
	for i := range found {
		found[i].Pointer = at + strings.TrimPrefix(found[i].Pointer, "/obligations")
	}
	if len(found) > 0 {
		return found
	}
	return FitSteps(at, value)
}

// FitSteps holds the steps of the plans in a list of obligations against their schema, as FitObligations does.
func FitSteps(at string, list []any) (wrong []fault.Field) {
	for i, item := range list {
		if steps, is := flow.StepsIn(item); is {
			wrong = append(wrong, FitObligations(at+"/"+strconv.Itoa(i)+"/payload/steps", steps)...)
		}
	}
	return wrong
}

// plainList returns a list as strictjson reads it.
func plainList(list any) ([]any, error) {
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	value, err := strictjson.ParseUncounted(raw)
	read, _ := value.([]any)
	return read, err
}

// plan checks what the schema cannot express about a contract whose implementation is a plan.
func plan(s source, c planning.Contract) (wrong []fault.Field) {
	if c.Implementation.Means != planning.Steps {
		return nil
	}
	for i, pattern := range c.Satisfies {
		if !strings.HasPrefix(pattern, string(planning.Achieve)) || pattern == "ACHIEVE(plan)" {
			wrong = append(wrong, s.wrong("/satisfies/"+strconv.Itoa(i), "satisfies",
				"a plan brings about an ACHIEVE of a kind of its own"))
		}
	}
	if c.Role != "" {
		wrong = append(wrong, s.wrong("/role", "role", "a plan is no agent: its steps may be"))
	}
	const at = "/implementation/steps"
	found := append(FitObligations(at, stepsOf(s)), questionsIn(at, c.Implementation.Steps)...)
	if len(found) == 0 {
		found = flow.CheckSteps(at, c.Implementation.Steps, c.Consumes, unknownTools)
	}
	return append(wrong, placed(s, "", found)...)
}

// stepsOf returns the steps of a contract as they were read.
func stepsOf(s source) any {
	object, _ := s.value.(map[string]any)
	implementation, _ := object["implementation"].(map[string]any)
	return implementation["steps"]
}

// unknownTools makes a check leave out what depends on other contracts.
func unknownTools(planning.Obligation) []*planning.Contract { return nil }

// planned checks the steps of valid contracts against what the tools for them produce and take.
func planned(sources []source, tools []*Tool) (wrong []fault.Field) {
	if !slices.ContainsFunc(tools, func(t *Tool) bool { return t.contract.Implementation.Means == planning.Steps }) {
		return nil
	}
	contracts := make([]planning.Contract, len(tools))
	for i, t := range tools {
		contracts[i] = t.contract
	}
	choice := planning.NewChoice(contracts)
	for i, t := range tools {
		found := flow.CheckSteps("/implementation/steps", t.contract.Implementation.Steps, t.contract.Consumes,
			choice.Candidates)
		wrong = append(wrong, placed(sources[i], "", found)...)
	}
	return wrong
}

// exactSteps gives the payloads of steps the numbers that payloads of requests have.
func exactSteps(steps []planning.Obligation, raw any) ([]planning.Obligation, error) {
	if len(steps) == 0 {
		return steps, nil
	}
	written, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	var read []planning.Obligation
	return read, jsonv2.Unmarshal(written, &read, strictjson.Exact())
}

// CheckResolved holds an obligation against its schema, now that it has its values.
func CheckResolved(o planning.Obligation) error {
	o.Name = ""
	found := FitObligations("", []planning.Obligation{o})
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "value_unfit",
		"with the values that it takes, the obligation does not fit its schema: %s: %s",
		strings.TrimPrefix(found[0].Pointer, "/0/payload"), found[0].Detail).WithFix("take another value")
}
