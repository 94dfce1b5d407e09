package conductor

import (
	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/trace"
	"orchestrator/internal/rules/planning/flow"
	"orchestrator/internal/strictjson"
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

func traceIn(v state.View, id string) (t Trace, err error) {
	raw, err := v.Trace(id)
	if err != nil || raw == nil {
		return t, err
	}
	return t, jsonv2.Unmarshal(raw, &t, strictjson.Exact)
}
