package control_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/record"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"
)

// What was recorded counts beside a service, whatever becomes of the journal's files.
func TestAServiceReportsWhatWasRecorded(t *testing.T) {
	dir := folder.In(t.TempDir())
	_, err := dir.Make(boundary.DefaultPolicy())
	require.NoError(t, err)
	for n := range 5 {
		boundarytest.Add(t, dir, boundarytest.Judged(t, dir, boundarytest.Call{ID: boundarytest.ID(n + 1), Session: "s", Tool: "Edit", File: "main.go", Actor: boundary.Main, At: boundarytest.Day0.Add(time.Duration(n) * time.Hour)}))
	}
	file := filepath.Join(dir.Path(), "journal", boundarytest.Day0.Format(time.DateOnly)+".jsonl")
	l := boundarytest.OpenLedger(t, store.NewMemory())
	g := control.New(dir, l, func() time.Time { return boundarytest.Day0.Add(10 * 24 * time.Hour) }, func() string { return "00000000000000ff" })

	whole, err := g.Report(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Equal(t, 5, whole.Decisions, "asking records what there is")
	fromFiles, err := report.Read(dir)
	require.NoError(t, err)
	require.Equal(t, fromFiles.Report(time.Time{}), whole, "the files tell the same")

	require.NoError(t, os.Rename(file, file+".away"))
	same := func(why string) {
		t.Helper()
		again, err := g.Report(t.Context(), time.Time{})
		require.NoError(t, err)
		require.Equal(t, whole, again, why)
	}
	same("a file that is gone was recorded")
	raw, err := os.ReadFile(file + ".away")
	require.NoError(t, err)
	forged := bytes.Replace(raw, []byte(`"decision":"warn"`), []byte(`"decision":"oops"`), 1)
	require.NotEqual(t, raw, forged)
	require.NoError(t, os.WriteFile(file, forged, 0o600))
	same("a line that was changed was recorded as it was")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	same("a file that is cut was recorded")
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	same("lines that come back are known")

	ready, err := g.Readiness(t.Context())
	require.NoError(t, err)
	require.Equal(t, 5, ready.Figures.ToolUses)
}

// Somebody may give a requirement the name of the journal's subject.
func TestOnlyTheJournalsRecordsAreReadBack(t *testing.T) {
	l := boundarytest.OpenLedger(t, store.NewMemory())
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		return tx.Append(ledger.Event{Kind: "request.refused", Actor: ledger.System(), Subject: record.Subject, Data: map[string]any{"lines": "none"}})
	}))
	g := control.New(boundarytest.Project(t), l, time.Now, func() string { return "00000000000000ff" })
	r, err := g.Report(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Zero(t, r.Decisions)
	require.Zero(t, r.Malformed)
}
