package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/testreport"
)

func TestReplayWantsTheTestsOfAReportOnce(t *testing.T) {
	f, err := New(nil)
	require.NoError(t, err)
	first := record.Proposed{Report: &record.Report{SHA256: "a", Cases: []testreport.Case{}}}
	again := record.Proposed{Report: &record.Report{SHA256: "a"}}
	require.NoError(t, f.attach(audit.Record{Seq: 7}, record.Proposed{}))
	require.ErrorContains(t, f.attach(audit.Record{Seq: 7}, again), "not where they belong")
	require.NoError(t, f.attach(audit.Record{Seq: 7}, first))
	require.ErrorContains(t, f.attach(audit.Record{Seq: 8}, first), "not where they belong")
	require.NoError(t, f.attach(audit.Record{Seq: 8}, again))
	require.Equal(t, map[string]record.ReportAt{"a": {Seq: 7}}, f.reports)
}
