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
			Detail: check.Name + ": " + check.Value + ", wanted " + check.Threshold, Fix: check.Fix})
	}
	for _, flag := range raised {
		fields = append(fields, fault.Field{Code: "red_flag",
			Detail: flag.Name + ": " + flag.Value + ", which is " + flag.Limit, Fix: flag.Advice})
	}
	if len(fields) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "boundary_not_ready",
		"the boundary is not ready to be enforced: %d of its checks and red flags speak against it", len(fields)).
		WithFix("pass them, or give an override with its reason (--override REASON, or as override in a request), " +
			"which is recorded").
		WithFields(fields...)
}
