package adoption

import (
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/testruns"
	"orchestrator/internal/rules/lifecycle"
)

// Rules put changes to the rules that the service decides by, one after the other, as if all that they cite were found.
type Rules struct {
	Workflow lifecycle.Workflow // in force
	At       time.Time          // when the first change is sent, at the earliest
}

// firstRecord is the number of the first record that changes which are not yet sent will have.
const firstRecord = 1 << 40

// Decide returns the requirement as a change makes it. The error says why the rules refuse it.
func (r Rules) Decide(req lifecycle.Requirement, role lifecycle.Role, body []byte) (lifecycle.Requirement, error) {
	change, err := decision.Read(body, role)
	if err != nil {
		return req, err
	}
	if r.Workflow.Looks() && change.NeedsLook() {
		change.Looked = r.found(req, change)
	}
	change.Size = len(body)
	return r.apply(req, role, change)
}

// Attach returns the requirement as a report makes it, with the tests that are cited of it.
func (r Rules) Attach(req lifecycle.Requirement, report Report,
	cited []lifecycle.Evidence) (lifecycle.Requirement, error) {
	change, _, err := testruns.ChangeOf(req, cited, report.read, r.seen(req, report))
	if err != nil {
		return req, err
	}
	return r.apply(req, lifecycle.Tester, change)
}

// seen returns what the service will have found of a report.
func (r Rules) seen(req lifecycle.Requirement, report Report) lifecycle.Found {
	found := report.kept.Found
	found.Record = firstRecord + req.Revision
	return found
}

func (r Rules) apply(req lifecycle.Requirement, role lifecycle.Role,
	change lifecycle.Change) (lifecycle.Requirement, error) {
	change.Record, change.Rules = firstRecord+req.Revision, lifecycle.LatestRules
	next, refusal, err := decision.Decide(
		func(string) (lifecycle.Requirement, int, error) { return req, 1, nil }, r.Workflow,
		decision.Request{Actor: lifecycle.Actor{Name: string(role), Role: role}, ID: req.ID, Change: change, At: r.At})
	if refusal != nil {
		return req, refusal
	}
	return next, err
}

// found returns what looking up the evidence of a change comes to where all of it is there. A test is found as the
// test record has it.
func (r Rules) found(req lifecycle.Requirement, change lifecycle.Change) *lifecycle.Looked {
	looked := &lifecycle.Looked{}
	for _, c := range change.Claims() {
		found := &lifecycle.Found{In: lifecycle.InBranch}
		if c.Kind == lifecycle.EvidenceTest {
			found = foundTest(req, c.Evidence)
		}
		looked.Findings = append(looked.Findings, lifecycle.Finding{Pointer: c.Pointer, Found: found})
	}
	if lifecycle.LatestRules.LookAgain(change.Status) {
		looked.Recheck = &lifecycle.Recheck{Revision: req.Revision, Rechecks: req.Rechecks}
		for _, s := range req.Stale {
			if s.Pointer != "/"+s.Part {
				looked.Recheck.Stale = append(looked.Recheck.Stale, s)
			}
		}
	}
	return looked
}

// foundTest returns what was found of a test that the test record cites, too; of another, that it had the result that
// is claimed.
func foundTest(req lifecycle.Requirement, e lifecycle.Evidence) *lifecycle.Found {
	if req.Test != nil {
		same := func(other lifecycle.Evidence) bool {
			return other.Found != nil && other.Kind == e.Kind && other.Name == e.Name && other.Report == e.Report
		}
		if i := slices.IndexFunc(req.Test.Evidence, same); i >= 0 {
			found := *req.Test.Evidence[i].Found
			return &found
		}
	}
	counts := &lifecycle.Results{Run: 1, Passed: 1}
	if e.Result == lifecycle.ResultFail {
		counts = &lifecycle.Results{Run: 1, Failed: 1}
	}
	return &lifecycle.Found{In: lifecycle.InWorktree, SHA256: e.Report, Counts: counts}
}

// Rehearse decides the lines of one requirement one after the other, from the state that it has. It returns what the
// last accepted one makes of it, how many were accepted, and why the next is refused. A report is read by whoever asks.
func (r Rules) Rehearse(req lifecycle.Requirement, lines []Line, read func(ReportFile) (Report, error),
	tests Finder) (lifecycle.Requirement, int, error) {
	for n, l := range lines {
		if l.Revision != 0 && l.Revision != req.Revision {
			return req, n, fault.New(fault.Stale, "stale_revision",
				"%s would be at revision %d, and the line was written for revision %d",
				req.ID, req.Revision, l.Revision).
				WithFix("write the plan anew with orchestrator adopt")
		}
		next, err := r.rehearse(req, l, read, tests)
		if err != nil {
			return req, n, err
		}
		req = next
	}
	return req, len(lines), nil
}

func (r Rules) rehearse(req lifecycle.Requirement, l Line, read func(ReportFile) (Report, error),
	tests Finder) (lifecycle.Requirement, error) {
	if l.Report == nil {
		return r.Decide(req, l.Role, l.Request)
	}
	if l.Role != lifecycle.Tester {
		return req, fault.New(fault.Forbidden, "role_forbidden",
			"attaching a test report is for role tester, not for role %s", l.Role).WithFix("name the tester in role")
	}
	report, err := read(*l.Report)
	if err != nil {
		return req, err
	}
	cited, err := report.asked(req.ID, l.Report.Tests, tests)
	if err != nil {
		return req, err
	}
	return r.Attach(req, report, cited)
}

// asked returns the tests of a report that the service would cite.
func (r Report) asked(id, pattern string, tests Finder) ([]lifecycle.Evidence, error) {
	c := r.choose(id, tests, nil)
	if pattern == "" && len(c.cited) > 0 {
		return c.cited, nil
	}
	cases := r.read.Cases
	if pattern != "" {
		var err error
		if cases, err = r.read.Select(pattern); err != nil {
			return nil, err
		}
	}
	cited := testruns.Cited(r.read, cases, func(lifecycle.Evidence) bool { return true }, maxTests)
	for i := range cited {
		cited[i].Report, cited[i].ReportCommit = lifecycle.AttachedPrefix+r.kept.SHA256, r.commit
	}
	if len(cited) == 0 {
		return nil, fault.New(fault.Invalid, "report_without_tests",
			"no test that ran in %s can be cited for %s", r.path, id).
			WithFix("run the tests, and give the report of the run")
	}
	return cited, nil
}
