package requirements

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/record"
)

// restoredAt puts a restore of a log on record, as of what it is now.
func restoredAt(t *testing.T, s store.Store) (at audit.Head) {
	t.Helper()
	l, err := ledger.Open(t.Context(), s, newClock().read)
	require.NoError(t, err)
	at = l.Head()
	require.NoError(t, choices.PutRestored(t.Context(), l, record.Restored{Size: at.Size, Root: at.Root, SHA256: "ab", TakenAt: time.Unix(0, 0).UTC()}))
	return at
}

func TestARestoreIsOnRecord(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	at := restoredAt(t, s)
	require.Equal(t, at.Size+1, r.verifiedAgainst([]byte(exportOf(t, r))).Records)

	l, err := ledger.Open(t.Context(), s, newClock().read)
	require.NoError(t, err)
	for _, wrong := range []record.Restored{{Size: at.Size, Root: at.Root}, {Size: at.Size + 1, Root: at.Root}, {Size: at.Size, Root: l.Head().Root}} {
		require.ErrorContains(t, choices.PutRestored(t.Context(), l, wrong), "the copy had")
	}
	require.Equal(t, at.Size+1, l.Head().Size, "nothing was put on record")
}

func exportOf(t *testing.T, r *rig) string {
	t.Helper()
	l, err := ledger.OpenReadOnly(t.Context(), r.store)
	require.NoError(t, err)
	export, err := Export(t.Context(), l)
	require.NoError(t, err)
	from, err := export()
	require.NoError(t, err)
	state, err := io.ReadAll(from)
	require.NoError(t, err)
	return string(state)
}

func TestVerifyWantsARestoreToBeOfThisLog(t *testing.T) {
	for name, c := range map[string]struct {
		forge func(audit.Head) (audit.Actor, record.Restored)
		want  string
	}{
		"by an agent": {func(h audit.Head) (audit.Actor, record.Restored) {
			return record.Actor(paula), record.Restored{Size: h.Size, Root: h.Root}
		}, "only an operator"},
		"at another size": {func(h audit.Head) (audit.Actor, record.Restored) {
			return ledger.System(), record.Restored{Size: h.Size - 1, Root: h.Root}
		}, "it had"},
		"of another root": {func(h audit.Head) (audit.Actor, record.Restored) {
			return ledger.System(), record.Restored{Size: h.Size}
		}, "it had"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s)
			r.mustImport(twoRequirements)
			require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
				actor, data := c.forge(tx.Head())
				return tx.Append(ledger.Event{Kind: record.KindRestored, Actor: actor, Data: data})
			}))
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
}

// What is given up after a restore begins where the copy ended, and not behind the record of the restore: a checkpoint
// of one record more than the copy is of what was lost, too.
func TestARollbackBeginsWhereTheCopyEnded(t *testing.T) {
	for _, life := range []string{"", "R", "RR", "R.", "R.R", "RR.RR"} { // R is a restore, the dot a change
		s := store.NewMemory()
		start(t, s).mustImport(twoRequirements)
		l, err := ledger.OpenReadOnly(t.Context(), s)
		require.NoError(t, err)
		fork, before := l.Head(), byte('.')
		for _, step := range []byte(life) {
			if step == '.' {
				r := start(t, s)
				r.must(paula, "REQ-002", `{"pm_notes":[{"text":"before"}]}`)
				fork = r.ledger.Head()
			} else if at := restoredAt(t, s); before == '.' {
				fork = at
			}
			before = step
		}
		lost := choices.Moment{Where: "kept", Size: fork.Size + 1, Root: audit.Hash{1}}
		again := start(t, s, func(o *Options) { o.Lost, o.AcceptRollback = []choices.Moment{lost}, "the disk was lost" })
		again.must(paula, "REQ-001", `{"pm_notes":[{"text":"on and on"}]}`)
		v := again.verified()
		require.Len(t, v.Rollbacks, 1)
		require.Equal(t, fork.Size, v.Rollbacks[0].Record)
		older := choices.Moment{Where: "older", Size: fork.Size, Root: audit.Hash{2}}
		still, _, err := choices.Lost(t.Context(), again.ledger, []choices.Moment{lost, older, {
			Where: "same", Size: fork.Size, Root: fork.Root}})
		require.NoError(t, err)
		require.Equal(t, []choices.Moment{older}, still, life)
	}
}
