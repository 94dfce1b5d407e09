package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// in is a requirement in a status that it entered from another, at revision 10, with a design and an implementation from revision 5.
func in(status, from lifecycle.Status, change ...func(*lifecycle.Requirement)) lifecycle.Requirement {
	req := lifecycle.Requirement{
		Definition: lifecycle.Definition{ID: "REQ-1", Fingerprint: "sha256:1", Source: lifecycle.Source{Path: "REQUIREMENTS.md", Line: 3, EndLine: 5}},
		Status:     status, Revision: 10, DesignSpec: []byte(`{"summary":"d"}`), Implementation: []byte(`{"summary":"i"}`),
		ImplementationEvidence: []lifecycle.Evidence{{Kind: "file", Path: "a.go", Found: &lifecycle.Found{In: "head"}}},
		Stamps:                 lifecycle.Stamps{DesignSpec: lifecycle.Stamp{Revision: 5}, Implementation: lifecycle.Stamp{Revision: 5, By: "cy"}},
		History:                []lifecycle.HistoryEntry{{Stamp: lifecycle.Stamp{Revision: 10}, From: from, To: status, Justification: lifecycle.Justification{Reason: "why not"}}},
	}
	for _, c := range change {
		c(&req)
	}
	return req
}

// tested adds a test record of revision 11.
func tested(passed, failed int) func(*lifecycle.Requirement) {
	return func(r *lifecycle.Requirement) {
		result := map[bool]string{true: lifecycle.ResultPass, false: lifecycle.ResultFail}[failed == 0]
		r.Test = &lifecycle.TestRecord{Results: &lifecycle.Results{Run: passed + failed, Passed: passed, Failed: failed}, Notes: "the form is empty", Evidence: []lifecycle.Evidence{{Kind: "test", Name: "TestA", Result: result}}}
		r.Stamps.Test = lifecycle.Stamp{Revision: 11, By: "tim", Fingerprint: "sha256:1"}
		r.Revision = 11
	}
}

func approved(r *lifecycle.Requirement) {
	r.Approvals = []lifecycle.Approval{{Stamp: lifecycle.Stamp{Revision: 12, By: "ann", Fingerprint: "sha256:1"}, Decision: lifecycle.Approved}}
	r.Revision = 12
}

func bare(r *lifecycle.Requirement) { r.DesignSpec, r.Implementation = nil, nil }

func TestWhatIsDue(t *testing.T) {
	const text, code, test = "file REQUIREMENTS.md:3-5", "file a.go", "test TestA"
	for name, c := range map[string]struct {
		req  lifecycle.Requirement
		in   lifecycle.Workflow
		want []string
	}{
		"not started":          {in(lifecycle.NotStarted, "", bare), lifecycle.V1, []string{"pm moves it to planned by " + text}},
		"planned":              {in(lifecycle.Planned, lifecycle.NotStarted, bare), lifecycle.V1, []string{"pm moves it to design_in_progress by " + text}},
		"design to be written": {in(lifecycle.DesignInProgress, lifecycle.Planned, bare), lifecycle.V1, []string{"architect requirement.design_spec: a design_spec"}},
		"design is there":      {in(lifecycle.DesignInProgress, lifecycle.Planned), lifecycle.V1, []string{"pm moves it to design_ready by " + text}},
		"sent back to design": {in(lifecycle.DesignInProgress, lifecycle.NeedsChanges), lifecycle.Rework,
			[]string{"architect requirement.design_spec: a design_spec that answers why it was sent back"}},
		"design ready": {in(lifecycle.DesignReady, lifecycle.DesignInProgress, bare), lifecycle.V1, []string{"pm moves it to implementation_in_progress by " + text}},
		"to be built":  {in(lifecycle.ImplementationInProgress, lifecycle.DesignReady, bare), lifecycle.V1, []string{"coder requirement.implementation: an implementation"}},
		"built":        {in(lifecycle.ImplementationInProgress, lifecycle.DesignReady), lifecycle.V1, []string{"pm moves it to implemented by " + code}},
		"sent back to be built": {in(lifecycle.ImplementationInProgress, lifecycle.TestedFail), lifecycle.Rework,
			[]string{"coder requirement.implementation: an implementation that answers why it was sent back"}},
		"built again": {in(lifecycle.ImplementationInProgress, lifecycle.TestedFail, func(r *lifecycle.Requirement) { r.Stamps.Implementation.Revision = 11 }), lifecycle.Rework,
			[]string{"pm moves it to implemented by " + code}},
		"implemented": {in(lifecycle.Implemented, lifecycle.ImplementationInProgress), lifecycle.V1, []string{"pm moves it to test_in_progress by " + code}},
		"to be tested": {in(lifecycle.TestInProgress, lifecycle.Implemented), lifecycle.V1,
			[]string{"tester requirement.test: a test record written since the present test phase began, on reports newer than the implementation; a test record with at least 1 passed and 0 failed; evidence of kind test, at least one with result pass and none with fail"}},
		"tested, and not moved":         {in(lifecycle.TestInProgress, lifecycle.Implemented, tested(1, 0)), lifecycle.V1, []string{"tester requirement.test: the move to tested_pass"}},
		"tests fail, and are not moved": {in(lifecycle.TestInProgress, lifecycle.Implemented, tested(1, 1)), lifecycle.V1, []string{"tester requirement.test: the move to tested_fail"}},
		"to be approved":                {in(lifecycle.TestedPass, lifecycle.TestInProgress, tested(1, 0)), lifecycle.V1, []string{"pm requirement.signoff: an approval by PM on the current text, not older than the test record"}},
		"approved":                      {in(lifecycle.TestedPass, lifecycle.TestInProgress, tested(1, 0), approved), lifecycle.V1, []string{"pm moves it to done by " + test}},
		"built after the tests": {in(lifecycle.TestedPass, lifecycle.TestInProgress, tested(1, 0), approved, func(r *lifecycle.Requirement) { r.Stamps.Implementation.Revision = 13 }), lifecycle.V1,
			[]string{"tester requirement.test: a test record and reports newer than the last change of the implementation"}},
		"everything went stale": {in(lifecycle.TestedPass, lifecycle.TestInProgress, tested(1, 0), func(r *lifecycle.Requirement) {
			r.Stale = []lifecycle.Stale{{Part: "implementation", Pointer: "/implementation_evidence/0", Reason: lifecycle.FileGone, Detail: "gone"}, {Part: "test", Pointer: "/test/evidence/0", Reason: lifecycle.ReportGone, Detail: "gone"}}
		}), lifecycle.V1, []string{
			"coder requirement.implementation: files and commits of the implementation that the branch has as they were when it was written",
			"tester requirement.test: evidence of the test record that is as it was when it was given, of a run on the code of the branch",
			"pm requirement.signoff: an approval by PM on the current text, not older than the test record",
		}},
		"the text changed": {in(lifecycle.TestInProgress, lifecycle.Implemented, tested(1, 0), func(r *lifecycle.Requirement) { r.Suspect = true }), lifecycle.V1,
			[]string{"pm requirement.signoff: a decision on the text or priority, which changed after work began", "tester requirement.test: the move to tested_pass"}},
		"tests failed":                {in(lifecycle.TestedFail, lifecycle.TestInProgress, tested(1, 1)), lifecycle.Rework, []string{"pm moves it to implementation_in_progress by " + test}},
		"tests failed in a dead end":  {in(lifecycle.TestedFail, lifecycle.TestInProgress, tested(1, 1)), lifecycle.V1, nil},
		"done":                        {in(lifecycle.Done, lifecycle.TestedPass, tested(1, 0), approved), lifecycle.V1, nil},
		"done, and stale":             {in(lifecycle.Done, lifecycle.TestedPass), lifecycle.V1, nil},
		"blocked":                     {in(lifecycle.Blocked, lifecycle.Planned, func(r *lifecycle.Requirement) { r.HeldFrom = lifecycle.Planned }), lifecycle.Rework, nil},
		"deferred":                    {in(lifecycle.Deferred, lifecycle.Planned, func(r *lifecycle.Requirement) { r.HeldFrom = lifecycle.Planned }), lifecycle.Rework, nil},
		"sent back, and nobody chose": {in(lifecycle.NeedsChanges, lifecycle.Implemented), lifecycle.Rework, nil},
		"retired":                     {in(lifecycle.Planned, lifecycle.NotStarted, func(r *lifecycle.Requirement) { r.Retired = true }), lifecycle.V1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Project{options: Options{Cited: func(path string) string { return path }}}
			due := p.workOn(c.req, c.in.Tasks(c.req))
			var got []string
			for _, d := range due {
				require.Equal(t, "REQ-1", d.Obligation.Payload["id"])
				words := d.Role + " " + d.Obligation.Kind() + ": " + strings.Join(d.Needs, "; ")
				if d.Obligation.Kind() == planning.KindStatus {
					require.Empty(t, d.Needs)
					require.EqualValues(t, c.req.Revision, d.Obligation.Payload["revision"], "it is moved as it stands now, or not at all")
					words = fmt.Sprintf("%s moves it to %v by %s", d.Role, d.Obligation.Payload["status"], cited(t, d.Obligation.Payload))
				}
				got = append(got, words)
			}
			require.Equal(t, c.want, got)
		})
	}
}

// cited is the evidence of a move, which is as a change has it.
func cited(t *testing.T, payload map[string]any) string {
	t.Helper()
	justification, _ := payload["justification"].(map[string]any)
	require.NotEmpty(t, justification["reason"])
	var all []string
	for _, e := range justification["evidence"].([]any) {
		e := e.(map[string]any)
		require.NotContains(t, e, "found")
		words := fmt.Sprint(e["kind"], " ", e["path"], e["name"])
		if e["lines"] != nil {
			words += fmt.Sprint(":", e["lines"])
		}
		all = append(all, strings.ReplaceAll(words, "<nil>", ""))
	}
	return strings.Join(all, ", ")
}

// Every status that is on the way to done has somebody whose turn it is, in both workflows.
func TestSomethingIsDueInEveryStatusThatLeadsOn(t *testing.T) {
	p := &Project{options: Options{Cited: func(path string) string { return path }}}
	for _, w := range []lifecycle.Workflow{lifecycle.V1, lifecycle.Rework} {
		for _, status := range lifecycle.Statuses() {
			req := in(status, lifecycle.NotStarted, bare)
			due := p.workOn(req, w.Tasks(req))
			stuck := status == lifecycle.TestedFail && w.Name == lifecycle.V1.Name
			require.Equal(t, rests(status) || stuck, len(due) == 0, "%s in %s", status, w.Name)
		}
	}
}

// The reason of a move says what it rests on; a tester's notes stand in it, clipped.
func TestReasonsOfMoves(t *testing.T) {
	failed := in(lifecycle.TestedFail, lifecycle.TestInProgress, tested(3, 2))
	require.Equal(t, "2 of its tests failed: the form is empty", reasonFor(failed, lifecycle.ImplementationInProgress))
	failed.Test.Notes = ""
	require.Equal(t, "2 of its tests failed: the test record has them", reasonFor(failed, lifecycle.ImplementationInProgress))
	failed.Test.Notes = strings.Repeat("x", 20_000)
	require.Less(t, len(reasonFor(failed, lifecycle.ImplementationInProgress)), 2100)
	require.Equal(t, "its tests failed", reasonFor(in(lifecycle.TestedFail, lifecycle.TestInProgress), lifecycle.ImplementationInProgress))
	require.Equal(t, "REQ-1 has all that planned needs", reasonFor(in(lifecycle.NotStarted, "", bare), lifecycle.Planned))
}
