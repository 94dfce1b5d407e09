package checking

import (
	"fmt"

	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/rules/planning"
)

// Guardrail is a condition that is checked before every run of a tool.
type Guardrail struct {
	Traced    *trace.Obligation
	Condition *contract.Condition
}

// Violation returns why the guardrail does not hold, or "". One that cannot be evaluated does not hold.
func (g Guardrail) Violation(facts contract.Facts) string {
	verdict := g.Condition.Holds(facts)
	if verdict.Decided() && verdict.Holds == (g.Traced.Obligation.Type == planning.Maintain) {
		return ""
	}
	why := fmt.Sprintf("%s %s: ", g.Traced.Obligation.Type, verdict.Condition)
	switch {
	case !verdict.Decided():
		why += "it cannot be evaluated: " + verdict.Why
	case verdict.Holds:
		why += "it holds"
	default:
		why += "it does not hold"
	}
	g.Traced.End(planning.Failed, planning.OutGuardrail, why)
	return why
}
