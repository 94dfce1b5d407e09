// Package checking refuses, before anything runs, the requests whose faults their schema cannot express.
package checking

import (
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/schedule"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// Request refuses conditions, and schemas of questions, that do not compile, steps that do not fit their schema,
// references, and the same in what is to be brought about later.
func Request(request planning.Request, candidates flow.Candidates) error {
	if len(request.Obligations) == 0 {
		return fault.New(fault.Malformed, "no_obligations", "the request has no obligations").
			WithFix("send at least one, as in schemas/obligations.schema.json")
	}
	guardrails, _ := planning.Guardrails(request.Obligations)
	for _, i := range guardrails {
		if _, err := Condition(request.Obligations[i]); err != nil {
			return err
		}
	}
	if err := contract.CheckQuestions(request); err != nil {
		return err
	}
	if slices.ContainsFunc(request.Obligations, func(o planning.Obligation) bool { return flow.Steps(o) != nil }) {
		if found := contract.FitObligations("/obligations", request.Obligations); len(found) > 0 {
			return fault.New(fault.Malformed, contract.ObligationsInvalid,
				"the steps of a plan do not fit their schema").
				WithFix("GET /schemas/obligations.schema.json; each step is {type, payload}, as an obligation is").
				WithFields(found...)
		}
	}
	if err := flow.Check(request.Obligations, candidates); err != nil {
		return err
	}
	return schedules("/obligations", request.Obligations, candidates)
}

// Condition compiles the condition of a guardrail.
func Condition(o planning.Obligation) (*contract.Condition, error) {
	text, _ := o.Payload["condition"].(string)
	return contract.CompileCondition(text)
}

// schedules checks what is scheduled in a list, and in the steps of its plans, as a request is checked.
func schedules(at string, list []planning.Obligation, candidates flow.Candidates) error {
	for i, o := range list {
		in := at + "/" + strconv.Itoa(i) + "/payload"
		if err := schedules(in+"/steps", flow.Steps(o), candidates); err != nil {
			return err
		}
		if o.Type != planning.Schedule {
			continue
		}
		later := flow.Scheduled(o)
		if slices.ContainsFunc(flow.All(later),
			func(o planning.Obligation) bool { return o.Type == planning.Schedule }) {
			return fault.New(fault.Malformed, contract.ObligationsInvalid, "a SCHEDULE schedules another SCHEDULE").
				WithFix("schedule what is to be done itself").WithFields(fault.Field{Pointer: in + "/obligations",
				Code: contract.ObligationsInvalid, Detail: "none of these may be, or have, a SCHEDULE"})
		}
		if err := Request(planning.Request{Obligations: later}, candidates); err != nil {
			return below(in, err)
		}
		if err := schedule.CheckText(planning.Inputs(o.Payload)); err != nil {
			return below(in, err)
		}
	}
	return nil
}

// below moves the pointers of an error into the payload that has what it is about.
func below(at string, err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	moved := *f
	moved.Fields = slices.Clone(f.Fields)
	for i := range moved.Fields {
		if p := &moved.Fields[i].Pointer; strings.HasPrefix(*p, "/") || *p == "" {
			*p = at + *p
		}
	}
	return &moved
}
