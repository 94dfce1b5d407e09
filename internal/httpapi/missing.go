package httpapi

import (
	"fmt"
	"strconv"

	"orchestrator/internal/conductor"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// missingCapabilities is a run in which no tool was there for an obligation.
type missingCapabilities struct{ trace conductor.Trace }

func (m *missingCapabilities) Error() string { return "no tool satisfies an obligation" }

// Unwrap returns the fault that is answered. It tells of every obligation that was not met, since the trace is not
// answered: of one that failed or waits for something the code is how it ended.
func (m *missingCapabilities) Unwrap() error {
	var fields []fault.Field
	lacking := 0
	for i, t := range m.trace.Obligations {
		field := fault.Field{Pointer: "/obligations/" + strconv.Itoa(i), Code: "missing_capability", Detail: t.Why}
		switch {
		case len(toDiscover(t)) > 0:
			lacking++
		case t.Status.Resolved():
			continue
		default:
			field.Code, field.Fix = fault.Code(t.Outcome), remedy(m.trace.ID, t)
		}
		fields = append(fields, field)
	}
	return fault.New(fault.Invalid, "missing_capability", "there is no tool for %d of %d obligations", lacking,
		len(m.trace.Obligations)).
		WithFix("GET /tools lists what there is; add a contract to .orchestrator/tools, or ask for something else").
		WithFields(fields...)
}

// remedy returns what can be done about an obligation that was not met; "" if nothing is known.
func remedy(run string, t conductor.ObligationTrace) string {
	for _, e := range t.Asks() {
		question, _ := e.Obligation.Payload["question"].(string)
		return fmt.Sprintf(`%s Answer with POST /obligations/%s/answers {"obligation":"%s"}`, question, run, e.ID)
	}
	return t.Remedy()
}

// refusedRun is a run of one obligation, whose change was refused. The refusal is on record.
type refusedRun struct{ trace conductor.Trace }

func (r *refusedRun) Error() string { return "the change was refused" }

// Unwrap returns the refusal, which is answered as if the change had been proposed by PATCH.
func (r *refusedRun) Unwrap() error { return r.trace.Obligations[0].Refusal }

// emitted returns the obligations to find what is missing.
func (m *missingCapabilities) emitted() (all []conductor.Emitted) {
	for _, t := range m.trace.Obligations {
		all = append(all, toDiscover(t)...)
	}
	return all
}

// toDiscover returns what an obligation gave rise to where no tool satisfies it, or a step of it; none where it ended
// otherwise.
func toDiscover(t conductor.ObligationTrace) (all []conductor.Emitted) {
	for _, e := range t.Emitted {
		if e.Obligation.Type == planning.DiscoverOp {
			all = append(all, e)
		}
	}
	for _, step := range t.Steps {
		all = append(all, toDiscover(step)...)
	}
	return all
}
