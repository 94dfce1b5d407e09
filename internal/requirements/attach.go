package requirements

import (
	"context"
	"time"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

// maxCited is how many tests of an attached report become evidence of the test record.
const maxCited = 100

// Attachment answers an attached report: the requirement with its new test record, and what the report holds.
type Attachment struct {
	Answer
	Report string            // how evidence names it: sha256:…
	Format string            // junit, go, tap or ctrf
	Counts lifecycle.Results // of the whole report
	Named  []string          // requirements that its test names name, in document order
	Cited  int               // tests that became evidence
	Covers bool              // test names name this requirement; else its tests are cited as they come
}

// Attach takes a test report as the test record of a requirement: results and evidence are read from it. The plan and
// notes of the record are kept. It is decided as the same PATCH by the same actor would be.
func (s *Service) Attach(ctx context.Context, who lifecycle.Actor, p Proposal) (Attachment, error) {
	if who.Role != lifecycle.Tester {
		return Attachment{}, s.Refuse(ctx, who, p.Refused(), fault.New(fault.Forbidden, "role_forbidden",
			"attaching a test report is for role tester, not for role %s", who.Role).WithFix("ask a tester to send it"))
	}
	report, err := s.readReport(p)
	if err != nil {
		return Attachment{}, s.Refuse(ctx, who, p.Refused(), err)
	}
	a := s.attachedNow(p.Body, report)
	kept, err := s.attachedReport(ctx, a.SHA256)
	if err != nil {
		return Attachment{}, err
	}
	if kept != nil {
		// The same bytes are the same run of the tests.
		a.Found.Modified, a.Found.Record = kept.Found.Modified, kept.Found.Record
	}
	out := Attachment{Report: lifecycle.AttachedPrefix + a.SHA256, Format: report.Format, Counts: *a.Found.Counts}
	named := s.namedBy(report)
	for e := range s.current.Load().All() {
		if _, found := named[e.Summary.ID]; found {
			out.Named = append(out.Named, e.Summary.ID)
		}
	}
	cases, covers := named[p.ID]
	if out.Covers = covers; !covers {
		cases = report.Cases
	}
	cited := citedTests(report, cases, out.Report)
	if out.Cited = len(cited); out.Cited == 0 {
		return Attachment{}, s.Refuse(ctx, who, p.Refused(),
			withoutTests("no test that ran in the report can be cited for "+p.ID))
	}
	p.parsed()
	out.Answer, err = s.commit(ctx, who, p, func() (lifecycle.Change, record.Proposed, error) {
		e, err := s.entry(p.ID)
		if err != nil {
			return lifecycle.Change{}, record.Proposed{}, err
		}
		change, body, err := attachedChange(e.Requirement(), cited, a.Found)
		return change, record.Proposed{Change: body, Report: &a}, err
	})
	return out, err
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

// attachedNow returns a report as it is kept.
func (s *Service) attachedNow(body []byte, report testreport.Report) record.Report {
	n := report.Counts()
	return record.Report{SHA256: ledger.Digest(body), Cases: append([]testreport.Case{}, report.Cases...),
		Found: lifecycle.Found{
			In: lifecycle.InAttached, SHA256: ledger.Digest(body), Bytes: int64(len(body)), Modified: s.clock().UTC().
				Truncate(time.Microsecond),
			Format: report.Format, Counts: &lifecycle.Results{Run: n.Run, Passed: n.Passed, Failed: n.Failed,
				Skipped: n.Skipped},
		}}
}

// namedBy sorts the tests of a report by the requirements that their names name.
func (s *Service) namedBy(report testreport.Report) map[string][]testreport.Case {
	ids := idmatch.New(s.current.Load().Project.IDs)
	named := map[string][]testreport.Case{}
	for _, c := range report.Cases {
		for _, id := range ids.In(c.Name) {
			named[id] = append(named[id], c)
		}
	}
	return named
}

// longestName is the most characters of a test's name that evidence can have.
const longestName = 1000

// citedTests makes evidence of tests: those that failed first, skipped ones and names beyond longestName not at all.
func citedTests(report testreport.Report, cases []testreport.Case, name string) []lifecycle.Evidence {
	var cited []lifecycle.Evidence
	for _, result := range []string{lifecycle.ResultFail, lifecycle.ResultPass} {
		for _, c := range cases {
			exact := c.Name
			if c.Result != result || len(cited) == maxCited {
				continue
			}
			if found, err := report.Find(exact); err != nil || found != c.Result {
				exact = report.FullName(c)
			}
			if utf8.RuneCountInString(exact) <= longestName {
				cited = append(cited, lifecycle.Evidence{Kind: lifecycle.EvidenceTest, Name: exact, Result: c.Result,
					Report: name})
			}
		}
	}
	return cited
}

// attachedChange returns the change that an attached report amounts to, and the request that would make it.
func attachedChange(req lifecycle.Requirement, cited []lifecycle.Evidence,
	found lifecycle.Found) (lifecycle.Change, []byte, error) {
	test := lifecycle.TestRecord{Evidence: cited}
	if req.Test != nil {
		test.Plan, test.Notes = req.Test.Plan, req.Test.Notes
	}
	body, err := ledger.Encode(map[string]any{lifecycle.FieldTest: test})
	if err != nil {
		return lifecycle.Change{}, nil, err
	}
	change, err := decision.Read(body, lifecycle.Tester)
	change.Size, change.MadeFrom = len(body), req.Revision
	change.Looked = &lifecycle.Looked{}
	for _, claim := range change.Claims() {
		change.Looked.Findings = append(change.Looked.Findings,
			lifecycle.Finding{Pointer: claim.Pointer, Found: &found})
	}
	return change, body, err
}
