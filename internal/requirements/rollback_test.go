package requirements

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/choices"
)

// A rollback that was accepted forgives what it gave up, and nothing else: not a later rollback of the log that went on.
func TestARollbackForgivesWhatItGaveUpAlone(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	head := r.ledger.Head()
	gone := []choices.Moment{{Where: "checkpoint", Size: head.Size + 30, Root: audit.Hash{1}}, {Where: "witness", Size: head.Size + 20, Root: audit.Hash{2}}}
	lost, _, err := choices.Lost(t.Context(), r.ledger, append(gone, choices.Moment{Where: "export", Size: gone[0].Size, Root: gone[0].Root}))
	require.NoError(t, err)
	require.Len(t, lost, 3)
	require.Equal(t, gone[1], lost[2], "the largest come first")

	again := start(t, s, func(o *Options) { o.Lost, o.AcceptRollback = lost, "the disk was lost" })
	for range 5 {
		again.must(paula, "REQ-001", `{"pm_notes":[{"text":"on and on"}]}`)
	}
	require.Len(t, again.verified().Rollbacks, 2)
	lost, _, err = choices.Lost(t.Context(), again.ledger, gone)
	require.NoError(t, err)
	require.Empty(t, lost)
	later := choices.Moment{Where: "checkpoint", Size: again.ledger.Head().Size + 3, Root: audit.Hash{3}}
	lost, _, err = choices.Lost(t.Context(), again.ledger, append(gone, later))
	require.NoError(t, err)
	require.Equal(t, []choices.Moment{later}, lost, "though its size lies in what was given up")
}
