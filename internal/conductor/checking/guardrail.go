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
	why := g.Condition.Holds(facts).Against(g.Traced.Obligation.Type == planning.Maintain)
	if why != "" {
		why = fmt.Sprintf("%s %s", g.Traced.Obligation.Type, why)
		g.Traced.End(planning.Failed, planning.OutGuardrail, why)
	}
	return why
}
