package control

import (
	"strings"
	"time"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// mayBlock refuses a mode that blocks while the boundary is not ready for it, unless somebody overrides that with a
// reason. From enforce to confirm is a step back, and needs nothing.
func mayBlock(to boundary.Mode, history func() (*report.History, error), p *boundary.Policy, override string,
	now time.Time) error {
	if !to.Blocks() || strings.TrimSpace(override) != "" || p.Mode == boundary.Enforce {
		return nil
	}
	h, err := history()
	if err != nil {
		return err
	}
	failed, raised := h.Readiness(p, now).Against(to)
	var fields []fault.Field
	for _, check := range failed {
		fields = append(fields, fault.Field{Code: "not_ready",
			Detail: check.Name + ": " + check.Value + ", required: " + check.Threshold, Fix: check.Fix})
	}
	for _, flag := range raised {
		fields = append(fields, fault.Field{Code: "red_flag",
			Detail: flag.Name + ": " + flag.Value + ", which is " + flag.Limit, Fix: flag.Advice})
	}
	if len(fields) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "boundary_not_ready",
		"the boundary is not ready to be enforced: %s", failing(len(fields))).
		WithFix("pass them, or override them for a reason, which is recorded: --override REASON, " +
			"or override in a request").
		WithFields(fields...)
}

// failing counts the checks and red flags in the way.
func failing(n int) string {
	if n == 1 {
		return "1 check or red flag fails"
	}
	return fault.Count(n, "check") + " or red flags fail"
}
