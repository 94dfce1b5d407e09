package replay

import (
	"fmt"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
)

// seenRuns are the runs of tests that changes gave as evidence.
type seenRuns struct {
	reports map[string]record.ReportAt // by the digest of the report; nil before the first
	runs    map[string]record.RunAt    // by their identity; nil before the first
}

// attach remembers which record has a report; only the first one that brings it has its tests.
func (s *seenRuns) attach(rec audit.Record, data record.Proposed) error {
	if data.Report == nil {
		return nil
	}
	_, known := s.reports[data.Report.SHA256]
	if known == (data.Report.Cases != nil) {
		return fmt.Errorf("the tests of report %s are not where they belong", data.Report.SHA256)
	}
	if known {
		return nil
	}
	if s.reports == nil {
		s.reports = map[string]record.ReportAt{}
	}
	s.reports[data.Report.SHA256] = record.ReportAt{Seq: rec.Seq}
	return nil
}

// see remembers which runs of tests were given as evidence, and for which commit they count.
func (s *seenRuns) see(rec audit.Record, data record.Proposed) error {
	if data.Revision == 0 { // it was refused
		return nil
	}
	for _, run := range data.Runs(rec.Seq) {
		next := run.RunAt
		if known, seen := s.runs[run.ID]; seen {
			var same bool
			if next, same = known.Again(run.RunAt); !same {
				return fmt.Errorf("it counts run %s for commit %s, which record %d counts for %s", run.ID, run.Commit,
					known.Seq, known.Commit)
			}
		}
		if s.runs == nil {
			s.runs = map[string]record.RunAt{}
		}
		s.runs[run.ID] = next
	}
	return nil
}
