package testruns

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

// maxAhead is how far the clock of the machine that ran the tests may be ahead of the service's.
const maxAhead = 5 * time.Minute

// Attached returns a report as it is kept that is attached now: its body as it was sent, and the commit that was named
// as the one that was tested, in full, or "".
func Attached(body []byte, report testreport.Report, commit string, now time.Time) (record.Report, error) {
	n, run := report.Counts(), report.RunOn(commit)
	a := record.Report{SHA256: ledger.Digest(body), Cases: append([]testreport.Case{}, report.Cases...), Ran: report.Ran,
		Spans: report.Spans, Found: lifecycle.Found{
			In: lifecycle.InAttached, SHA256: ledger.Digest(body), Bytes: int64(len(body)), Modified: now,
			Format: report.Format, Run: run, Commit: commit,
			Counts: &lifecycle.Results{Run: n.Run, Passed: n.Passed, Failed: n.Failed, Skipped: n.Skipped},
		}}
	if run != report.Run { // the same bytes may be of a run on each commit
		a.SHA256 = ledger.Digest(append(slices.Clip(body), commit...))
	}
	if !report.Ran.After(now.Add(maxAhead)) {
		return a, nil
	}
	return a, fault.New(fault.Invalid, "report_from_future",
		"the report says that its tests ran at %s, which is yet to come", report.Ran.Earliest.Format(time.RFC3339)).
		WithFix("set the clock of the machine that ran the tests, and run them again")
}

// Again returns a report that was attached before, and is attached again now. Where nobody knows which commit it saw,
// the one that is named now is believed.
func Again(kept, now record.Report) record.Report {
	again := kept
	again.Cases, again.Spans = now.Cases, now.Spans
	if kept.Found.Commit == "" && now.Found.Commit != "" {
		again.Found.Run, again.Found.Commit = now.Found.Run, now.Found.Commit
	}
	return again
}

// Refusal returns what is wrong with the commit of a report as the refusal of the report.
func Refusal(wrong *fault.Field) error {
	if wrong.Code == evidence.CodeUnreadable {
		return fault.New(fault.Unavailable, evidence.CodeUnreadable, "%s", wrong.Detail).WithFix("%s", wrong.Fix).ForClients()
	}
	return fault.New(fault.Invalid, lifecycle.CodeEvidenceNotFound,
		"the report cannot count for the commit that is named: %s", wrong.Detail).
		WithFields(*wrong).WithFix("%s", wrong.Fix)
}

// LongestName is the most characters of a test's name that evidence can have.
const LongestName = 1000

// Cited makes evidence of at most so many tests: those that failed first, then those whose names name the requirement.
// Skipped ones, blank names and names beyond LongestName become none.
func Cited(report testreport.Report, cases []testreport.Case, names func(lifecycle.Evidence) bool,
	most int) (cited []lifecycle.Evidence) {
	byRank := [4][]lifecycle.Evidence{}
	for _, c := range cases {
		e := lifecycle.Evidence{Kind: lifecycle.EvidenceTest, Name: exactName(report, c), Result: c.Result}
		if c.Result == testreport.Skip || strings.TrimSpace(e.Name) == "" || utf8.RuneCountInString(e.Name) > LongestName {
			continue
		}
		rank := 0
		if c.Result != testreport.Fail {
			rank = 2
		}
		if !names(e) {
			rank++
		}
		byRank[rank] = append(byRank[rank], e)
	}
	cited = slices.Concat(byRank[:]...)
	return cited[:min(len(cited), most)]
}

// exactName returns a name that finds the test in its report.
func exactName(report testreport.Report, c testreport.Case) string {
	if found, err := report.Find(c.Name); err != nil || found != c.Result {
		return report.FullName(c)
	}
	return c.Name
}

// ChangeOf returns the change that an attached report amounts to, and the request that would make it.
func ChangeOf(req lifecycle.Requirement, cited []lifecycle.Evidence, report testreport.Report,
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
		one := FoundOf(found, report, claim.Name)
		change.Looked.Findings = append(change.Looked.Findings, lifecycle.Finding{Pointer: claim.Pointer, Found: &one})
	}
	return change, body, err
}

// FoundOf returns what was found of a report for one of its tests, which has a time of its own.
func FoundOf(found lifecycle.Found, report testreport.Report, name string) lifecycle.Found {
	if found.Run != "" {
		found.Ran = report.RanOf(name).Latest
	}
	return found
}

// FirstAgainst returns what stands against the first of the tests that a change gives; nil where nothing does.
func FirstAgainst(c lifecycle.Change) *lifecycle.Against {
	for _, f := range c.Looked.Findings {
		if f.Against != nil {
			return f.Against
		}
	}
	return nil
}

// OlderThanTheCode returns what stands against the tests of a requirement, as it is stored, if they ran before it was
// implemented.
func OlderThanTheCode(id string, stored []byte) (*lifecycle.Against, error) {
	req, _, err := projection.TableRequirements.Decode(id, stored)
	for _, s := range req.Stale {
		if s.Reason == lifecycle.ReportOlder {
			return &lifecycle.Against{Reason: s.Reason, Detail: s.Detail}, err
		}
	}
	return nil, err
}

// KeepReport remembers which record has the report of a change, and leaves its tests out where an earlier one has them.
func KeepReport(tx *ledger.Tx, a *record.Report) (*record.Report, error) {
	if a == nil {
		return nil, nil
	}
	_, known, err := record.TableReports.Get(tx, a.SHA256)
	if err != nil {
		return nil, err
	}
	if !known {
		_, err = record.TableReports.Put(tx, a.SHA256, record.ReportAt{Seq: tx.Seq()})
		return a, err
	}
	short := *a
	short.Cases, short.Spans = nil, nil
	return &short, nil
}
