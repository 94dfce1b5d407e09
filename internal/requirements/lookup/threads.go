package lookup

import (
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
)

// Threads returns under which ids the log has a requirement that a parameter names.
func Threads(in *projection.Snapshot, id string) ([]thread.Thread, error) {
	if _, known := in.Find(id); !known {
		return nil, fault.New(fault.Malformed, "invalid_parameter",
			"the parameter requirement cannot be used: there is no requirement %q", decision.Quote(id)).
			WithFix("%s", Unknown(in, id).Fix)
	}
	return in.Threads(id), nil
}
