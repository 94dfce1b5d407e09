package review

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var people = map[lifecycle.Role]string{
	lifecycle.PM: "paula", lifecycle.Architect: "arno", lifecycle.Coder: "cora", lifecycle.Tester: "tess",
}

// defined is a requirement as it was imported.
func defined(n int) lifecycle.Requirement {
	req, _ := lifecycle.Define(nil, lifecycle.Definition{
		ID: fmt.Sprintf("REQ-%d", n), Title: fmt.Sprintf("Title %d", n), Text: fmt.Sprintf("Text %d.", n), Kind: "requirement",
		Source: lifecycle.Source{Path: "REQUIREMENTS.md", Line: 10 + n, EndLine: 10 + n, Family: "markdown"}, Fingerprint: fmt.Sprintf("fp-%d", n),
	}, noon)
	return req
}

// steps lead from not_started to done; each is made by its role.
var steps = []struct {
	role   lifecycle.Role
	change lifecycle.Change
}{
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.Planned}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.DesignInProgress}},
	{lifecycle.Architect, lifecycle.Change{Fields: []string{lifecycle.FieldDesignSpec}, DesignSpec: []byte(`{"notes":"a | b"}`)}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.DesignReady}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.ImplementationInProgress}},
	{lifecycle.Coder, lifecycle.Change{Fields: []string{lifecycle.FieldImplementation}, Implementation: []byte(`{"files":["a.go"]}`)}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.Implemented}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.TestInProgress}},
	{lifecycle.Tester, lifecycle.Change{Fields: []string{lifecycle.FieldTest}, Test: lifecycle.Optional{Sent: true, Record: &lifecycle.TestRecord{
		Plan: "run it", Results: &lifecycle.Results{Passed: 3},
		Evidence: []lifecycle.Evidence{{Kind: lifecycle.EvidenceTest, Name: "TestIt", Result: lifecycle.ResultPass, Report: "report.xml"}},
	}}}},
	{lifecycle.Tester, lifecycle.Change{Status: lifecycle.TestedPass}},
	{lifecycle.PM, lifecycle.Change{Fields: []string{lifecycle.FieldApprovals}, Approvals: []lifecycle.NewApproval{{Decision: lifecycle.Approved, Text: "good"}}}},
	{lifecycle.PM, lifecycle.Change{Status: lifecycle.Done}},
}

// apply makes a change through the rules.
func apply(t require.TestingT, req lifecycle.Requirement, role lifecycle.Role, c lifecycle.Change) lifecycle.Requirement {
	if c.Status != "" {
		c.Fields = append(slices.Clone(c.Fields), lifecycle.FieldStatus)
		if c.Justification == nil {
			c.Justification = &lifecycle.Justification{Reason: "it is time", Evidence: []lifecycle.Evidence{{Kind: lifecycle.EvidenceFile, Path: "docs/why.md", Lines: "1-3"}}}
		}
	}
	at := noon.Add(time.Duration(req.Revision) * time.Hour)
	next, err := lifecycle.Rework.Apply(req, lifecycle.Actor{Name: people[role], Role: role}, c, at)
	require.NoError(t, err)
	return next
}

// brought leads a requirement through the first n steps.
func brought(t require.TestingT, req lifecycle.Requirement, n int) lifecycle.Requirement {
	for _, s := range steps[:n] {
		req = apply(t, req, s.role, s.change)
	}
	return req
}

// at leads a requirement to the first moment it has the status.
func at(t require.TestingT, n int, to lifecycle.Status) lifecycle.Requirement {
	req := defined(n)
	for _, s := range steps {
		if req.Status == to {
			return req
		}
		req = apply(t, req, s.role, s.change)
	}
	if req.Status != to {
		req = apply(t, req, lifecycle.PM, lifecycle.Change{Status: to})
	}
	return req
}

// inputOf is a project in order, with these requirements.
func inputOf(all ...lifecycle.Requirement) Input {
	return Input{
		Project: "Shop", Workflow: lifecycle.Rework, Evidence: "verify", Log: Log{Size: 12, Root: "abc=", VerifiedUpTo: 12},
		Import: Import{OK: true}, Requirements: slices.Values(all),
	}
}

func TestTheStepsLeadToDone(t *testing.T) {
	require.Equal(t, lifecycle.Done, brought(t, defined(1), len(steps)).Status)
}

// everything is a project with every finding.
func everything(t require.TestingT) Input {
	suspect, deviating, stale := at(t, 4, lifecycle.Implemented), at(t, 5, lifecycle.TestedPass), at(t, 6, lifecycle.Done)
	suspect.Suspect, suspect.TextSince = true, noon.Add(48*time.Hour)
	deviating = apply(t, deviating, lifecycle.PM, lifecycle.Change{
		Fields: []string{lifecycle.FieldDeviations}, Deviations: []lifecycle.DeviationChange{{ID: "D-1", Text: "slower than asked"}},
	})
	stale.Stale = []lifecycle.Stale{{
		Part: "test", Pointer: "/test/evidence/0", Reason: lifecycle.ReportChanged, Detail: "report.xml is another one now", Since: noon.Add(72 * time.Hour),
	}}
	stale.Moved = []lifecycle.Relocated{{Pointer: "/history/0/justification/evidence/0", To: "docs/reasons.md:4-6", Since: noon.Add(72 * time.Hour)}}
	retired, _ := lifecycle.Retire(at(t, 7, lifecycle.DesignReady))
	gone, _ := lifecycle.Retire(defined(8))
	in := inputOf(defined(1), at(t, 2, lifecycle.Done), at(t, 3, lifecycle.Blocked), suspect, deviating, stale, at(t, 9, lifecycle.Deferred), retired, gone)
	in.Workflow = lifecycle.V1
	in.Log.VerifiedUpTo = 10
	when := noon
	in.Import = Import{At: &when, Problem: &ImportProblem{
		Code: "requirements_invalid", Detail: "the document cannot be read", Fix: "mend it",
		Errors: []ImportError{{Path: "REQUIREMENTS.md", Line: 40, Detail: "REQ-1 stands twice", Fix: "give one of them another id"}},
	}}
	in.Drift = []Drift{{"REQUIREMENTS.md", "it was changed after the last import"}}
	in.Actors = []ActorCount{{"cora", lifecycle.Coder, 4, 2}, {"paula", lifecycle.PM, 40, 0}}
	in.Unchecked = []string{UncheckedEvidence}
	return in
}
