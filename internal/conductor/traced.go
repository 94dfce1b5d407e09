package conductor

import (
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/rules/planning/flow"
)

// What is on record of a run.
type (
	Trace           = trace.Trace
	ObligationTrace = trace.Obligation
	Candidate       = trace.Candidate
	Run             = trace.Run
	Verification    = trace.Verification
	Emitted         = trace.Emitted
	Answer          = trace.Answer
	Taken           = trace.Taken
)

var newTrace = trace.New

func obligationID(i int) string { return flow.Place(i) }
