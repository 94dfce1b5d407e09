package requirements

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/schemas"
)

// Verifies: ORC-040
func TestAnUnwritableExportUndoesNothingAndIsTriedAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "not yet there")
	r := start(t, store.NewMemory(), func(o *Options) {
		o.ExportPath, o.ExportWait = filepath.Join(folder, "project_status.json"), 10*time.Millisecond
	})
	r.mustImport(twoRequirements)
	answer := r.must(paula, "REQ-001", move(lifecycle.Planned))
	require.Equal(t, projection.ExportPending, answer.Exported, "accepted, and said to be pending")
	require.Eventually(t, func() bool { return r.State().Export.Err != nil }, time.Minute, time.Millisecond)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.Eventually(t, func() bool { s := r.State(); return s.Export.Err == nil && s.Export.Size == s.LogSize }, time.Minute, time.Millisecond)
	require.NotZero(t, r.State().Export.Failures)
}

// Verifies: ORC-040
func TestTheExportIsWholeAndNeverGoesBack(t *testing.T) {
	r := start(t, store.NewMemory(), func(o *Options) { o.ExportWait = 0 })
	r.mustImport(twoRequirements)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_, _ = r.Patch(ctx, cody, Proposal{ID: "REQ-001", Body: []byte(implemented)})
		}
	}()
	var last uint64
	for seen := 0; seen < 200; {
		raw, err := os.ReadFile(r.export)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		var head projection.FileHead
		require.NoError(t, jsonv2.Unmarshal(raw, &head), "whole at every moment")
		require.GreaterOrEqual(t, head.Log.Size, last)
		require.LessOrEqual(t, head.Log.Size, r.State().LogSize, "never ahead of the store")
		last = head.Log.Size
		seen++
	}
	stop()
	<-done
}

func TestTheExportMatchesItsSchema(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.must(paula, "REQ-001", move(lifecycle.Done, approved, `"deviations":[{"id":"D1","text":"t","resolution":{"outcome":"accepted","text":"x"}}]`, `"pm_notes":[{"text":"n"}]`))
	r.must(paula, "REQ-002", move(lifecycle.Blocked))
	var export bytes.Buffer
	_, write := r.Project()
	require.NoError(t, write(&export))
	require.Empty(t, schemas.Violations(schemas.Project, decodeAny(t, export.Bytes())))
	page, err := r.Audit(t.Context(), 0, 1000)
	require.NoError(t, err)
	for _, record := range page.Records {
		require.Empty(t, schemas.Violations(schemas.AuditRecord, decodeAny(t, record)))
	}
}

func decodeAny(t *testing.T, raw []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	return v
}
