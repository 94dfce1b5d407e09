package builtin

import (
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// Results have the types that JSON is read into, so that schemas and conditions see the same before and after they were stored.
func TestResultsHaveTheTypesOfJSON(t *testing.T) {
	whole := Requirement{ID: "REQ-1", Status: lifecycle.Planned, Title: "Log in", Kind: "requirement", Why: "in scope", WaitingFor: []lifecycle.Party{"pm"},
		Suspect: true, Stale: true, Retired: true, Revision: 7, Parts: []string{"test"}}
	for want, r := range map[string]result{
		`{"for":"viewer","steps":[],"waiting":[{"count":2,"first":["REQ-1"],"for":"pm"}]}`:                                NextSteps{For: "viewer", Waiting: []Waited{{"pm", 2, []string{"REQ-1"}}}},
		`{"id":"REQ-1","missing":[{"by":"pm","what":"an approval","with":"approvals"}],"moves":1,"status":"tested_pass"}`: Missing{"REQ-1", "tested_pass", 1, []Lacking{{"an approval", "pm", "approvals"}}},
		`{"counts":{"planned":2},"total":2}`:                                               ProjectStatus{Counts: map[lifecycle.Status]int{lifecycle.Planned: 2}, Total: 2},
		`{"id":"REQ-1","revision":0,"status":"planned","title":"Log in","waiting_for":[]}`: Requirement{ID: "REQ-1", Status: lifecycle.Planned, Title: "Log in"},
		`{"id":"REQ-1","kind":"requirement","parts":["test"],"retired":true,"revision":7,"stale":true,"status":"planned","suspect":true,"title":"Log in","waiting_for":["pm"],"why":"in scope"}`: whole,
		`{"requirements":[],"total":0}`: RequirementList{},
		`{"next":"REQ-1","requirements":[{"id":"REQ-1","revision":0,"status":"","title":"","waiting_for":[]}],"total":3}`: RequirementList{Requirements: []Requirement{{ID: "REQ-1"}}, Total: 3, Next: "REQ-1"},
		`{"steps":[]}`: NextSteps{},
		`{"next":"REQ-1","steps":[{"do":"move it","id":"REQ-1","lacks":["a test"],"role":"pm"}]}`: NextSteps{Steps: []NextStep{{ID: "REQ-1", By: "pm", Do: "move it", Lacks: []string{"a test"}}}, Next: "REQ-1"},
		`{"cited":2,"ok":true,"problems":[]}`:                                                     EvidenceCheck{Cited: 2},
		`{"cited":2,"ok":false,"problems":["gone"]}`:                                              EvidenceCheck{Cited: 2, Problems: []string{"gone"}},
		`{"ok":true,"problems":[],"records":9,"root":"r"}`:                                        LogCheck{Records: 9, Root: "r"},
		`{"ok":false,"problems":["bad"]}`:                                                         LogCheck{Problems: []string{"bad"}, Records: 9, Root: "r"},
	} {
		raw, err := ledger.Encode(r.values())
		require.NoError(t, err)
		require.Equal(t, want, string(raw))
		var read map[string]any
		require.NoError(t, jsonv2.Unmarshal(raw, &read))
		require.Equal(t, read, r.values())
	}
}
