package httpapi

import "slices"

// CheckStatus says how bad the outcome of a check is.
type CheckStatus string

// The statuses of a check, from best to worst.
const (
	CheckOK       CheckStatus = "ok"
	CheckWarning  CheckStatus = "warning"  // an operator should look at it; requests are answered
	CheckStarting CheckStatus = "starting" // it is not known yet whether all is well; not ready
	CheckFailing  CheckStatus = "failing"  // not ready
)

// Check is one thing that /readyz looks at.
type Check struct {
	Name   string      `json:"name"`
	Status CheckStatus `json:"status"`
	Detail string      `json:"detail,omitempty"` // why it is not ok; anybody may read it
}

// worst returns the status of the whole.
func worst(checks []Check) CheckStatus {
	order := []CheckStatus{CheckOK, CheckWarning, CheckStarting, CheckFailing}
	worst := 0
	for _, c := range checks {
		worst = max(worst, slices.Index(order, c.Status))
	}
	return order[worst]
}

func failingIf(name string, err error) Check {
	if err != nil {
		return Check{name, CheckFailing, err.Error()}
	}
	return Check{Name: name, Status: CheckOK}
}

func warningIf(name, problem string) Check {
	if problem != "" {
		return Check{name, CheckWarning, problem}
	}
	return Check{Name: name, Status: CheckOK}
}
