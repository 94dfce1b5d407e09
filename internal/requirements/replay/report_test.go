package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

func TestReplayWantsTheTestsOfAReportOnce(t *testing.T) {
	f, err := New(nil)
	require.NoError(t, err)
	first := record.Proposed{Report: &record.Report{SHA256: "a", Cases: []testreport.Case{}}}
	again := record.Proposed{Report: &record.Report{SHA256: "a"}}
	require.NoError(t, f.seen.attach(audit.Record{Seq: 7}, record.Proposed{}))
	require.ErrorContains(t, f.seen.attach(audit.Record{Seq: 7}, again), "not where they belong")
	require.NoError(t, f.seen.attach(audit.Record{Seq: 7}, first))
	require.ErrorContains(t, f.seen.attach(audit.Record{Seq: 8}, first), "not where they belong")
	require.NoError(t, f.seen.attach(audit.Record{Seq: 8}, again))
	require.Equal(t, map[string]record.ReportAt{"a": {Seq: 7}}, f.seen.reports)
}

func TestReplayTiesARunToOneCommit(t *testing.T) {
	f, err := New(nil)
	require.NoError(t, err)
	given := func(commit string, tip bool, report *record.Report) record.Proposed {
		found := lifecycle.Found{Run: "r", Commit: commit, Tip: tip}
		if report != nil {
			report.Found = found
		}
		return record.Proposed{Revision: 1, Report: report, Looked: &lifecycle.Looked{Findings: []lifecycle.Finding{{Pointer: "/test/evidence/0", Found: &found}, {Pointer: "/test/evidence/1", Found: &found}}}}
	}
	require.NoError(t, f.seen.see(audit.Record{Seq: 3}, given("a", true, nil)))
	require.ErrorContains(t, f.seen.see(audit.Record{Seq: 4}, given("b", false, nil)), "which record 3 counts for a")
	require.ErrorContains(t, f.seen.see(audit.Record{Seq: 4}, given("a", false, nil)), "which record 3 counts for a")
	refused := given("b", false, nil)
	refused.Revision, refused.Refusal = 0, fault.New(fault.Invalid, "x", "x")
	require.NoError(t, f.seen.see(audit.Record{Seq: 4}, refused), "what was refused ties nothing")
	require.NoError(t, f.seen.see(audit.Record{Seq: 5}, given("a", true, &record.Report{SHA256: "s"})))
	require.NoError(t, f.seen.see(audit.Record{Seq: 6}, given("a", true, &record.Report{SHA256: "other"})))
	require.Equal(t, map[string]record.RunAt{"r": {Seq: 3, Commit: "a", Tip: true, Report: "s"}}, f.seen.runs)
}
