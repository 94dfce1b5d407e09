package lifecycle

import (
	"fmt"
	"slices"

	"orchestrator/internal/fault"
)

// Gate is a condition beside the transition table: it must hold for the requirement as it would be after
// the change, before the requirement may enter the status.
type Gate struct {
	To       Status `json:"to"`
	Name     string `json:"name"`
	Needs    string `json:"needs"`
	Supplier Role   `json:"supplier"` // whose work meets it
	lacks    func(candidate) string
}

// candidate is a requirement as it would be after a move, with who moves it and the rules that judge it.
type candidate struct {
	Requirement
	mover Actor
	rules Rules
}

// gates are listed by the status they guard, in the order of the lifecycle.
var gates = []Gate{
	{DesignReady, "design_spec", "a design_spec", Architect, lacksDesign},
	{Implemented, "implementation", "an implementation", Coder, lacksImplementation},
	{TestedPass, "test_of_this_phase",
		"a test record written since the present test phase began, on reports newer than the implementation", Tester,
		lacksPhaseTest},
	{TestedPass, "tests_passed", "a test record with at least 1 passed and 0 failed", Tester, lacksPass},
	{TestedPass, "test_evidence", "evidence of kind test, at least one with result pass and none with fail", Tester, lacksTestEvidence},
	{TestedPass, "test_evidence_holds", "evidence of the test record that is as it was when it was given", Tester, lacksHoldingTest},
	{TestedPass, "separation_of_duties", "a test record by someone else than the last writer of the implementation", Tester, lacksOtherTester},
	{TestedFail, "test_of_this_phase",
		"a test record written since the present test phase began, on reports newer than the implementation", Tester,
		lacksPhaseTest},
	{TestedFail, "tests_failed", "a test record with at least 1 failed", Tester, lacksFail},
	{Done, "implementation", "an implementation", Coder, lacksImplementation},
	{Done, "tests_passed", "a test record with at least 1 passed and 0 failed", Tester, lacksPass},
	{Done, "test_evidence", "evidence of kind test, at least one with result pass and none with fail", Tester, lacksTestEvidence},
	{Done, "test_evidence_holds", "evidence of the test record that is as it was when it was given", Tester, lacksHoldingTest},
	{Done, "implementation_holds", "files and commits of the implementation that are as they were when it was written", Coder, lacksHoldingImplementation},
	{Done, "test_after_implementation", "a test record and reports newer than the last change of the implementation", Tester, lacksNewerTest},
	{Done, "test_on_current_text", "a test record taken on the current text", Tester, lacksTestOnText},
	{Done, "separation_of_duties", "a test record by someone else than the last writer of the implementation", Tester, lacksOtherTester},
	{Done, "approval", "an approval by PM on the current text, not older than the test record", PM, lacksApproval},
	{Done, "independent_approval", "an approval and a move by someone who neither implemented nor tested", PM, lacksIndependentApproval},
	{Done, "deviations_resolved", "no open deviation", PM, lacksResolution},
	{Done, "not_suspect", "a text that PM has accepted since it changed", PM, lacksAcceptance},
}

// StaleGates names the gates of done that evidence which went stale does not meet.
func StaleGates() []string { return []string{"test_evidence_holds", "implementation_holds"} }

// Gates lists every gate in the order of the lifecycle.
func Gates() []Gate { return slices.Clone(gates) }

// Lack is one unmet gate of one move.
type Lack struct {
	Gate   string `json:"gate"`
	Detail string `json:"detail"`
	By     Role   `json:"by"`
}

// Unmet lists what the requirement lacks, as it is now, to stand in a status into which mover has moved it. A mover
// without a name stands for anyone who took no part.
func (r Requirement) Unmet(to Status, mover Actor) []Lack {
	return candidate{r, mover, LatestRules}.unmet(to)
}

func (r candidate) unmet(to Status) []Lack {
	var lacks []Lack
	for _, g := range gates {
		if g.To != to {
			continue
		}
		if detail := g.lacks(r); detail != "" {
			lacks = append(lacks, Lack{g.Name, detail, g.Supplier})
		}
	}
	return lacks
}

// checkGates reports every unmet gate at once.
func checkGates(next candidate) error {
	lacks := next.unmet(next.Status)
	if lacks == nil {
		return nil
	}
	var fields []fault.Field
	var suppliers []Role
	for _, l := range lacks {
		fields = append(fields, fault.Field{Pointer: "/status", Code: fault.Code(l.Gate), Detail: l.Detail})
		if !slices.Contains(suppliers, l.By) {
			suppliers = append(suppliers, l.By)
		}
	}
	return fault.New(fault.Conflict, "gate_unmet", "%s cannot become %s yet", next.ID, next.Status).
		WithFields(fields...).
		WithFix("have these supplied by %s, then send the change again; GET /requirements/{id}/next shows what is left", join(suppliers))
}

// checkSeen refuses to let a requirement pass on tests that were taken on the tester's word, before the service looked.
func checkSeen(next Requirement, c Change) error {
	if c.Looked == nil || c.Status != TestedPass && c.Status != Done || next.Test == nil {
		return nil
	}
	var unseen []fault.Field
	for i, e := range next.Test.Evidence {
		pointer := PointerTo(FieldTest+"/evidence", i)
		wrong := slices.ContainsFunc(c.Looked.Findings,
			func(f Finding) bool { return f.Pointer == pointer && f.Wrong != nil })
		if e.Found == nil && !(c.Test.Sent && wrong) {
			unseen = append(unseen, fault.Field{Pointer: "/status", Code: "test_evidence_holds",
				Detail: pointer + ": it was never looked up"})
		}
	}
	if unseen == nil {
		return nil
	}
	return fault.New(fault.Conflict, "gate_unmet",
		"%s cannot become %s yet: its test record was taken on the tester's word", next.ID, next.Status).
		WithFields(unseen...).WithFix("have the tester send the test record again, or attach the report")
}

func lacksDesign(r candidate) string {
	if r.DesignSpec == nil {
		return "there is no design_spec"
	}
	return ""
}

func lacksImplementation(r candidate) string {
	if r.Implementation == nil {
		return "there is no implementation"
	}
	return ""
}

// lacksPhaseTest compares revisions: the phase began with the last move to test_in_progress.
func lacksPhaseTest(r candidate) string {
	for _, h := range slices.Backward(r.History) {
		if h.To == TestInProgress {
			if r.Test == nil || r.Stamps.Test.Revision <= h.Revision {
				return fmt.Sprintf("the test record is from before this test phase, which began at revision %d",
					h.Revision)
			}
			return olderReport(r)
		}
	}
	return "no test phase has begun"
}

// lacksPass returns why the tests are no pass, or "". It never takes "0 tests ran" for a pass.
func lacksPass(r candidate) string {
	switch {
	case r.Test == nil || r.Test.Results == nil:
		return "there are no test results"
	case r.Test.Results.Failed > 0:
		return fmt.Sprintf("%d tests failed", r.Test.Results.Failed)
	case r.Test.Results.Passed < 1:
		return "no test passed; 0 tests that ran are not a pass"
	}
	return ""
}

func lacksFail(r candidate) string {
	if r.Test == nil || r.Test.Results == nil || r.Test.Results.Failed < 1 {
		return "no failed test is on record"
	}
	return ""
}

func lacksTestEvidence(r candidate) string {
	switch {
	case r.Test == nil || !r.Test.shows(ResultPass):
		return "the test record has no evidence of kind test with result pass"
	case r.Test.shows(ResultFail):
		return "the test record has evidence of a test that failed"
	}
	return ""
}

// shows reports whether the evidence has a test with that result.
func (t *TestRecord) shows(result string) bool {
	return slices.ContainsFunc(t.Evidence, func(e Evidence) bool {
		return e.Kind == EvidenceTest &&
			e.Result == result
	})
}

func lacksHoldingTest(r candidate) string { return r.staleEvidence(FieldTest) }

func lacksHoldingImplementation(r candidate) string {
	return r.staleEvidence(FieldImplementation)
}

func lacksOtherTester(r candidate) string {
	tester, implementer := r.Stamps.Test.By, r.Stamps.Implementation.By
	switch {
	case r.Test == nil || !r.rules.samePerson(tester, implementer):
		return ""
	case tester != implementer:
		return fmt.Sprintf("%q, who wrote the test record, counts as %q, who wrote the implementation", tester,
			implementer)
	}
	return fmt.Sprintf("%q wrote both the implementation and the test record", tester)
}

func lacksNewerTest(r candidate) string {
	if test, impl := r.Stamps.Test.Revision, r.Stamps.Implementation.Revision; test < impl {
		return fmt.Sprintf("the implementation was changed at revision %d, after the tests of revision %d", impl, test)
	}
	return olderReport(r)
}

func lacksTestOnText(r candidate) string {
	if r.Test != nil && r.Stamps.Test.Fingerprint != r.Fingerprint {
		return "the text has changed since the tests; they must be run again"
	}
	return ""
}

// Standing lists the approvals that count for done: after the last rejection, on the current text, not older than
// the test record.
func (r Requirement) Standing() []Approval {
	var standing []Approval
	for _, a := range r.Approvals {
		switch {
		case a.Decision != Approved:
			standing = nil
		case a.Fingerprint == r.Fingerprint && a.Revision >= r.Stamps.Test.Revision:
			standing = append(standing, a)
		}
	}
	return standing
}

func lacksApproval(r candidate) string {
	if len(r.Standing()) > 0 {
		return ""
	}
	if len(r.Approvals) == 0 {
		return "there is no approval"
	}
	if r.Approvals[len(r.Approvals)-1].Decision != Approved {
		return "the last word on it is a rejection"
	}
	return "every approval is older than the test record, or on another text"
}

// lacksIndependentApproval separates duties by person, since one person may hold tokens of several roles.
func lacksIndependentApproval(r candidate) string {
	involved := func(name string) bool {
		return name != "" && (r.rules.samePerson(name, r.Stamps.Implementation.By) ||
			r.rules.samePerson(name, r.Stamps.Test.By))
	}
	if involved(r.mover.Name) {
		return fmt.Sprintf("%q implemented or tested it, and cannot sign it off", r.mover.Name)
	}
	standing := r.Standing()
	if len(standing) > 0 && !slices.ContainsFunc(standing, func(a Approval) bool { return !involved(a.By) }) {
		return fmt.Sprintf("%q implemented or tested it, and cannot approve it", standing[0].By)
	}
	return ""
}

func lacksResolution(r candidate) string {
	if id := r.OpenDeviation(); id != "" {
		return fmt.Sprintf("deviation %s is open", id)
	}
	return ""
}

func lacksAcceptance(r candidate) string {
	if r.Suspect {
		return "the text changed after work began and PM has not accepted it (accept_fingerprint)"
	}
	return ""
}
