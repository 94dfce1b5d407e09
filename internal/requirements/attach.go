package requirements

import (
	"context"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/requirements/testruns"
	"orchestrator/internal/rules/lifecycle"
)

// How many tests of an attached report become evidence of the test record: of those that were asked for, and unasked.
const (
	maxAsked   = 100
	maxUnasked = 20
)

// AttachOptions are the choices of whoever attaches a report.
type AttachOptions struct {
	Commit string // that was tested, in full or in short; "" is the tip of the branch when the run is seen first
	Tests  string // a regular expression for the tests that become evidence; "" prefers those that name the requirement
}

// Attachment answers an attached report: the requirement with its new test record, and what the report holds.
type Attachment struct {
	Answer
	Report  string             // how evidence names it: sha256:…
	Format  string             // junit, go, tap or ctrf
	Counts  lifecycle.Results  // of the whole report
	Named   []string           // requirements that its test names name, in document order
	Cited   int                // tests that became evidence
	Covers  bool               // names of these tests name this requirement
	Commit  string             // that the report counts for, in full; "" where nothing is looked up
	Tip     bool               // nobody named Commit; it was the tip of the branch when the run was seen first
	Branch  string             // that Commit must be in; "" where nothing is looked up
	Against *lifecycle.Against // why the report does not count as things stand; nil where it does
}

// Attach takes a test report as the test record of a requirement: results and evidence are read from it. The plan and
// notes of the record are kept. It is decided as the same PATCH by the same actor would be.
func (s *Service) Attach(ctx context.Context, who lifecycle.Actor, p Proposal, o AttachOptions) (Attachment, error) {
	if o != (AttachOptions{}) {
		p.options = o.Commit + "\x00" + o.Tests
	}
	if who.Role != lifecycle.Tester {
		return Attachment{}, s.Refuse(ctx, who, p.Refused(), fault.New(fault.Forbidden, "role_forbidden",
			"attaching a test report is for role tester, not for role %s", who.Role).WithFix("ask a tester to send it"))
	}
	report, err := s.readReport(p)
	if err != nil {
		return Attachment{}, s.Refuse(ctx, who, p.Refused(), err)
	}
	a, err := s.attachedNow(ctx, p.Body, report, o.Commit)
	if err != nil {
		return Attachment{}, s.Refuse(ctx, who, p.Refused(), err)
	}
	out := Attachment{Report: lifecycle.AttachedPrefix + a.SHA256, Format: report.Format, Counts: *a.Found.Counts,
		Commit: a.Found.Commit, Tip: a.Found.Tip, Named: s.namedIn(report)}
	cited, err := s.cite(report, p.ID, o, &out)
	if err != nil {
		return Attachment{}, s.Refuse(ctx, who, p.Refused(), err)
	}
	p.parsed()
	out.Answer, err = s.commit(ctx, who, p, func() (lifecycle.Change, record.Proposed, error) {
		e, err := s.entry(p.ID)
		if err != nil {
			return lifecycle.Change{}, record.Proposed{}, err
		}
		change, body, err := testruns.ChangeOf(e.Requirement(), cited, report, a.Found)
		if err == nil && s.verifies() {
			out.Branch = s.current.Load().Project.Branch
			err = s.weigh(ctx, p.ID, &change)
			out.Against = testruns.FirstAgainst(change)
		}
		return change, record.Proposed{Change: body, Report: &a}, err
	})
	if err == nil && out.Against == nil {
		out.Against, err = testruns.OlderThanTheCode(p.ID, out.Requirement)
	}
	return out, err
}

// cite makes evidence of the tests of a report that were asked for, or else of those that name the requirement, or else
// of some.
func (s *shared) cite(report testreport.Report, id string, o AttachOptions,
	out *Attachment) ([]lifecycle.Evidence, error) {
	ids := s.current.Load().Finder(&s.ids)
	names := func(e lifecycle.Evidence) bool { return slices.Contains(ids.In(e.Name), id) }
	var cited []lifecycle.Evidence
	if o.Tests != "" {
		cases, err := report.Select(o.Tests)
		if err != nil {
			return nil, err
		}
		cited = testruns.Cited(report, cases, names, maxAsked)
	} else if cited = testruns.Cited(report, s.namedBy(report)[id], names, maxUnasked); len(cited) == 0 {
		if err := testruns.CheckNames(report.Cases, id, ids, s.current.Load().Shorts()); err != nil {
			return nil, err
		}
		cited = testruns.Cited(report, report.Cases, names, maxUnasked)
	}
	for i := range cited {
		cited[i].Report, cited[i].ReportCommit = out.Report, o.Commit
	}
	out.Cited, out.Covers = len(cited), slices.ContainsFunc(cited, names)
	if out.Cited == 0 {
		return nil, withoutTests("no test that ran in the report can be cited for " + id)
	}
	return cited, nil
}

// readReport checks what can be checked without a decision, and parses the report.
func (s *Service) readReport(p Proposal) (testreport.Report, error) {
	if _, err := s.entry(p.ID); err != nil {
		return testreport.Report{}, err
	}
	if err := s.checkConditional(p); err != nil {
		return testreport.Report{}, err
	}
	report, err := testreport.Parse(p.Body)
	if err != nil {
		return report, decision.Unreadable(p.Body, err)
	}
	if err = refuseSecrets(p, decision.SecretsInTests(report.Cases)); err == nil && report.Counts().Run == 0 {
		err = withoutTests("no test ran in the report; 0 tests that ran prove nothing")
	}
	return report, err
}

func withoutTests(detail string) error {
	return fault.New(fault.Invalid, "report_without_tests", "%s", detail).
		WithFix("run the tests, and send the report of the run")
}

// attachedNow returns a report as it is kept. One whose run is known already is kept as it was attached first, however its
// bytes differ; a run counts for the commit that it was tied to when it was seen first.
func (s *Rechecker) attachedNow(ctx context.Context, body []byte, report testreport.Report,
	named string) (record.Report, error) {
	commit, err := s.commitOf(ctx, named)
	if err != nil {
		return record.Report{}, err
	}
	a, err := testruns.Attached(body, report, commit, s.clock().UTC().Truncate(time.Microsecond))
	if err != nil {
		return a, err
	}
	kept, err := s.attachedRun(ctx, a.Found.Run, a.SHA256)
	switch {
	case err != nil:
		return a, err
	case kept != nil:
		a = testruns.Again(*kept, a)
	case s.verifies() && commit == "":
		tip, err := s.options.Repository.Tip(ctx)
		if err != nil {
			return a, testruns.Refusal(&fault.Field{Code: evidence.CodeUnreadable, Detail: fault.As(err).Detail,
				Fix: fault.As(err).Fix})
		}
		a.Found.Commit, a.Found.Tip = tip, tip != ""
	}
	found, wrong := testruns.New(s.ledger).Tie(ctx, lifecycle.Evidence{
		Report: lifecycle.AttachedPrefix + a.SHA256, ReportCommit: commit,
	}, a.Found)
	if wrong != nil {
		return a, testruns.Refusal(wrong)
	}
	a.Found = *found
	return a, nil
}

// commitOf returns the full id of the commit that was named as the one that was tested; "" where none was, or where
// nothing is looked up.
func (s *Rechecker) commitOf(ctx context.Context, named string) (string, error) {
	if named == "" || !s.verifies() {
		return "", nil
	}
	found, wrong := s.options.Repository.Look(ctx, lifecycle.Evidence{Kind: lifecycle.EvidenceCommit, Commit: named})
	if wrong != nil {
		return "", testruns.Refusal(wrong)
	}
	return found.Commit, nil
}

// namedIn returns the requirements that the names of tests name, in document order.
func (s *shared) namedIn(report testreport.Report) (named []string) {
	by := s.namedBy(report)
	for e := range s.current.Load().All() {
		if _, found := by[e.Summary.ID]; found {
			named = append(named, e.Summary.ID)
		}
	}
	return named
}

// namedBy sorts the tests of a report by the requirements that their names name.
func (s *shared) namedBy(report testreport.Report) map[string][]testreport.Case {
	ids := s.current.Load().Finder(&s.ids)
	named := map[string][]testreport.Case{}
	for _, c := range report.Cases {
		for _, id := range ids.In(c.Name) {
			named[id] = append(named[id], c)
		}
	}
	return named
}
