package auditor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// TestALogOfTheFirstRulesStaysInOrder: testdata/logs/rules1.zip was written before records named the version of their rules. It
// has what the latest rules decide otherwise: a sign-off by "Ada" of what "ada" wrote and "ADA" tested, a requirement
// that took 2.7 MB of notes, and a tester who was refused for them.
func TestALogOfTheFirstRulesStaysInOrder(t *testing.T) {
	b, err := OpenBundle("../../testdata/logs/rules1.zip")
	require.NoError(t, err)
	defer b.Close()
	report, err := Verify(t.Context(), b, Options{})
	require.NoError(t, err)
	require.EqualValues(t, 80, report.Records)
	require.Equal(t, "matches", report.State)

	export, err := b.Open("project_status.json")
	require.NoError(t, err)
	snapshot, err := projection.ReadFile(export)
	require.NoError(t, err)
	done, found := snapshot.Find("REQ-001")
	require.True(t, found)
	req := done.Requirement()
	require.Equal(t, lifecycle.Done, req.Status)
	require.NotEmpty(t, req.Unmet(lifecycle.Done, lifecycle.Actor{Name: "Ada", Role: lifecycle.PM}))
	full, found := snapshot.Find("REQ-003")
	require.True(t, found)
	require.Greater(t, len(full.Raw), 2<<20)
}

// TestLogsOfOlderFormatsStayInOrder: a bundle and a backup of every older format are kept in testdata/logs.
func TestLogsOfOlderFormatsStayInOrder(t *testing.T) {
	for format := ledger.Oldest; format < ledger.Format; format++ {
		for _, kind := range []string{"bundle", "backup"} {
			b, err := OpenBundle(fmt.Sprintf("../../testdata/logs/format%d.%s.zip", format, kind))
			require.NoError(t, err)
			defer b.Close()
			report, err := Verify(t.Context(), b, Options{})
			require.NoError(t, err)
			require.EqualValues(t, map[int]int{4: 64, 5: 65, 6: 65}[format], report.Records)
			require.Equal(t, "matches", report.State)
		}
	}
}
