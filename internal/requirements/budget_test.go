package requirements

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// TestImportsThatNobodyAskedForHaveABudget: a document that is rewritten without end fills no disk, what is refused is taken
// later, and a pm can import meanwhile.
func TestImportsThatNobodyAskedForHaveABudget(t *testing.T) {
	const limit = 64 << 10
	r := start(t, store.NewMemory())
	r.ledger.LimitSpending(limit)
	r.mustImport(twoRequirements)
	_, spentByPM := r.budget(paula)
	require.Positive(t, spentByPM, "an import is charged to the pm who asks")

	text, refusal := "", error(nil)
	for n := 0; refusal == nil; n++ {
		require.Less(t, n, 100)
		text = fmt.Sprintf("%s- **REQ-003**: Version %d is %s.\n", twoRequirements, n, strings.Repeat("long ", 1000))
		_, refusal = r.importUnasked(text)
	}
	require.ErrorIs(t, refusal, fault.RateLimited)
	require.ErrorContains(t, refusal, "imports that nobody asked for")
	for _, said := range []string{"the last good state stays in force", "of 65536", "2026-01-02T00:00:00Z", "POST /project/import"} {
		require.Contains(t, r.State().Import, said)
	}
	require.ErrorIs(t, r.CheckUnaskedBudget(t.Context()), fault.RateLimited)
	size := r.State().LogSize
	_, err := r.importUnasked(text)
	require.ErrorIs(t, err, fault.RateLimited)
	require.ErrorIs(t, r.refuseUnasked(), fault.RateLimited, "what is wrong with a document is recorded at the same charge")
	require.Equal(t, size, r.State().LogSize)

	_, before := r.budget(paula)
	require.Equal(t, spentByPM, before)
	r.mustImport(text)
	require.Empty(t, r.State().Import)
	_, after := r.budget(paula)
	require.Greater(t, after, before)
	_, err = r.importUnasked(text)
	require.NoError(t, err, "what changes nothing costs nothing")

	r.clock.wind(24 * time.Hour)
	require.NoError(t, r.CheckUnaskedBudget(t.Context()))
	_, err = r.importUnasked(text + "- **REQ-004**: More.\n")
	require.NoError(t, err)
	_, err = replay.Verify(t.Context(), r.ledger, nil, nil)
	require.NoError(t, err)
}

func (r *rig) budget(who lifecycle.Actor) (limit, spent uint64) {
	r.t.Helper()
	b, err := r.LogBudget(r.t.Context(), who)
	require.NoError(r.t, err)
	return b.Limit, b.Spent
}

func (r *rig) importUnasked(text string) (drift.Report, error) {
	files := reading(reqdoc.File{Path: "REQUIREMENTS.md", Content: []byte(text)})
	return r.Import(r.t.Context(), theSystem(), files, ImportOptions{Unasked: true})
}

func (r *rig) refuseUnasked() error {
	refused := Refused{Request: "orchestrator serve", Unasked: true}
	return r.Refuse(r.t.Context(), theSystem(), refused, fault.New(fault.Invalid, "document_nul", "a NUL"))
}

func theSystem() lifecycle.Actor {
	system := ledger.System()
	return lifecycle.Actor{Name: system.Name, Role: lifecycle.Role(system.Role)}
}
