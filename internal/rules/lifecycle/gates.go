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
	Since    Rules `json:"since,omitzero"` // the first version of the rules that has it; 0 is all
}

// The names of the gates that are met by something other than a part of its own.
const (
	GateApproval            = "approval"
	GateIndependence        = "independent_approval"
	GateDeviations          = "deviations_resolved"
	GateAcceptance          = "not_suspect"
	GateImplementationHolds = "implementation_holds"
	GateTestHolds           = "test_evidence_holds"
)

// candidate is a requirement as it would be after a move, with who moves it and the rules that judge it.
type candidate struct {
	Requirement
	mover Actor
	rules Rules
}

// gates are listed by the status they guard, in the order of the lifecycle.
var gates = []Gate{
	{DesignReady, "design_spec", "a design_spec", Architect, lacksDesign, 0},
	{Implemented, "implementation", "an implementation", Coder, lacksImplementation, 0},
	{Implemented, GateImplementationHolds,
		"files and commits of the implementation that the branch has", Coder, lacksHoldingImplementation, Rules3},
	{TestedPass, "test_of_this_phase",
		"a test record written since the present test phase began, on reports newer than the implementation", Tester,
		lacksPhaseTest, 0},
	{TestedPass, "tests_passed", "a test record with at least 1 passed and 0 failed", Tester, lacksPass, 0},
	{TestedPass, "test_evidence",
		"evidence of kind test, at least one with result pass and none with fail", Tester, lacksTestEvidence, 0},
	{TestedPass, GateTestHolds,
		"evidence of the test record that is as it was when it was given, of a run on the code of the branch",
		Tester, lacksHoldingTest, 0},
	{TestedPass, "separation_of_duties",
		"a test record by someone else than the last writer of the implementation", Tester, lacksOtherTester, 0},
	{TestedFail, "test_of_this_phase",
		"a test record written since the present test phase began, on reports newer than the implementation", Tester,
		lacksPhaseTest, 0},
	{TestedFail, "tests_failed", "a test record with at least 1 failed", Tester, lacksFail, 0},
	{Done, "design_there", "a design_spec", Architect, lacksDesign, Rules3},
	{Done, "implementation", "an implementation", Coder, lacksImplementation, 0},
	{Done, "implementation_after_design",
		"an implementation written after the last change of the design", Coder, lacksNewerImplementation, Rules3},
	{Done, "tests_passed", "a test record with at least 1 passed and 0 failed", Tester, lacksPass, 0},
	{Done, "test_evidence",
		"evidence of kind test, at least one with result pass and none with fail", Tester, lacksTestEvidence, 0},
	{Done, GateTestHolds,
		"evidence of the test record that is as it was when it was given, of a run on the code of the branch",
		Tester, lacksHoldingTest, 0},
	{Done, GateImplementationHolds,
		"files and commits of the implementation that the branch has as they were when it was written",
		Coder, lacksHoldingImplementation, 0},
	{Done, "test_after_implementation",
		"a test record and reports newer than the last change of the implementation", Tester, lacksNewerTest, 0},
	{Done, "test_on_current_text", "a test record taken on the current text", Tester, lacksTestOnText, 0},
	{Done, "separation_of_duties",
		"a test record by someone else than the last writer of the implementation", Tester, lacksOtherTester, 0},
	{Done, GateApproval, "an approval by PM on the current text, not older than the test record", PM, lacksApproval, 0},
	{Done, GateIndependence,
		"an approval and a move by someone who neither implemented nor tested", PM, lacksIndependentApproval, 0},
	{Done, GateDeviations, "no open deviation", PM, lacksResolution, 0},
	{Done, GateAcceptance, "a text that PM has accepted since it changed", PM, lacksAcceptance, 0},
}

// StaleGates names the gates of done that evidence which went stale does not meet.
func StaleGates() []string { return []string{GateTestHolds, GateImplementationHolds} }

// Gates lists every gate of the latest rules in the order of the lifecycle.
func Gates() []Gate { return GatesBy(LatestRules) }

// GatesBy lists every gate that a version of the rules has, in the order of the lifecycle.
func GatesBy(rules Rules) []Gate {
	return slices.DeleteFunc(slices.Clone(gates), func(g Gate) bool { return g.Since > rules })
}

// Lack is one unmet gate of one move.
type Lack struct {
	Gate   string `json:"gate"`
	Detail string `json:"detail"`
	By     Role   `json:"by"`
}

// Unmet lists what the requirement lacks by the latest rules, as it is now, to stand in a status into which mover has
// moved it. A mover without a name stands for anyone who took no part.
func (r Requirement) Unmet(to Status, mover Actor) []Lack { return r.UnmetBy(LatestRules, to, mover) }

// UnmetBy lists what Unmet does, by a version of the rules.
func (r Requirement) UnmetBy(rules Rules, to Status, mover Actor) []Lack {
	return candidate{r, mover, rules}.unmet(to)
}

func (r candidate) unmet(to Status) []Lack {
	var lacks []Lack
	for _, g := range gates {
		if g.To != to || g.Since > r.rules {
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
	return fault.New(fault.Conflict, CodeGateUnmet, "%s cannot become %s yet", next.ID, next.Status).
		WithFields(fields...).
		WithFix("have these supplied by %s, then send the change again; GET /requirements/{id}/next shows what is left", join(suppliers))
}

// checkSeen refuses to let a requirement pass on tests, or since Rules3 on an implementation, that were taken on the
// sender's word before the service looked.
func checkSeen(next Requirement, c Change) error {
	if c.Looked == nil {
		return nil
	}
	if err := checkImplementationSeen(next, c); err != nil {
		return err
	}
	if c.Status != TestedPass && c.Status != Done || next.Test == nil {
		return nil
	}
	var unseen []fault.Field
	for i, e := range next.Test.Evidence {
		pointer := PointerTo(FieldTest+"/evidence", i)
		wrong := slices.ContainsFunc(c.Looked.Findings,
			func(f Finding) bool { return f.Pointer == pointer && f.Wrong != nil })
		if e.Found == nil && !(c.Test.Sent && wrong) {
			unseen = append(unseen, fault.Field{Pointer: "/status", Code: GateTestHolds,
				Detail: pointer + ": it was never looked up"})
		}
	}
	if unseen == nil {
		return nil
	}
	return fault.New(fault.Conflict, CodeGateUnmet,
		"%s cannot become %s yet: its test record was taken on the tester's word", next.ID, next.Status).
		WithFields(unseen...).WithFix("have the tester send the test record again, or attach the report")
}

func checkImplementationSeen(next Requirement, c Change) error {
	if c.Rules < Rules3 || c.Status != Implemented && c.Status != Done || len(next.ImplementationEvidence) > 0 {
		return nil
	}
	return fault.New(fault.Conflict, CodeGateUnmet,
		"%s cannot become %s yet: its implementation was taken on the coder's word", next.ID, next.Status).
		WithFields(fault.Field{Pointer: "/status", Code: GateImplementationHolds, Detail: "it was never looked up"}).
		WithFix("have the coder send the implementation again, naming its files or commits")
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

const noTests = "there is no test record"

// lacksPhaseTest compares revisions: the phase began with the last move to test_in_progress.
func lacksPhaseTest(r candidate) string {
	for _, h := range slices.Backward(r.History) {
		if h.To == TestInProgress {
			if r.Test == nil {
				return noTests
			}
			if r.Stamps.Test.Revision <= h.Revision {
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
	case r.Test == nil:
		return noTests
	case r.Test.Results == nil:
		return "there are no test results"
	case r.Test.Results.Failed > 0:
		return fmt.Sprintf("%d tests failed", r.Test.Results.Failed)
	case r.Test.Results.Passed < 1:
		return "no test passed; 0 tests that ran are not a pass"
	}
	return ""
}

func lacksFail(r candidate) string {
	if r.Test == nil {
		return noTests
	}
	if r.Test.Results == nil || r.Test.Results.Failed < 1 {
		return "no failed test is on record"
	}
	return ""
}

func lacksTestEvidence(r candidate) string {
	switch {
	case r.Test == nil:
		return noTests
	case !r.Test.shows(ResultPass):
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

func lacksHoldingImplementation(r candidate) string { return r.staleEvidence(FieldImplementation) }

func lacksNewerImplementation(r candidate) string {
	design, implementation := r.Stamps.DesignSpec.Revision, r.Stamps.Implementation.Revision
	if r.Implementation == nil || implementation >= design {
		return ""
	}
	return fmt.Sprintf("the design was changed at revision %d, after the implementation of revision %d", design,
		implementation)
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
		return "the text or its priority changed after work began, and PM has not accepted it (accept_fingerprint)"
	}
	return ""
}
