package requirements

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// Who lost the answer to a move sends it again, and is told that it was made.
//
// Verifies: ORC-124
func TestARepeatedMoveIsMadeAlready(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	body := move(lifecycle.Planned, `"pm_notes":[{"text":"n"}]`)
	send := func(p Proposal) (Answer, error) {
		p.ID, p.RequestID, p.Body = "REQ-001", "r", []byte(body)
		return r.Patch(t.Context(), paula, p)
	}
	first, err := send(Proposal{IfMatch: []string{"1"}})
	require.NoError(t, err)
	require.False(t, first.Unchanged)
	size := r.State().LogSize
	for _, p := range []Proposal{{}, {IfMatch: []string{"1"}}, {IfMatch: []string{"2"}}, {DryRun: true}} {
		again, err := send(p)
		require.NoError(t, err)
		require.True(t, again.Unchanged)
		require.Equal(t, first.Requirement, again.Requirement)
		require.Equal(t, `"2"`, again.ETag())
		if !p.DryRun {
			require.Equal(t, first.Receipt.Index, again.Receipt.Index, "the record of the move")
		}
	}
	require.Equal(t, size, r.State().LogSize, "nothing was decided that the log does not have")
	_, err = send(Proposal{IfMatch: []string{"7"}})
	requireCode(t, err, "stale_revision")

	keyed, err := send(Proposal{IdempotencyKey: "k"})
	require.NoError(t, err)
	require.True(t, keyed.Unchanged)
	require.Contains(t, string(r.record(size+1)), `"kind":"requirement.unchanged"`)
	replayed, err := send(Proposal{IdempotencyKey: "k"})
	require.NoError(t, err)
	require.True(t, replayed.Replayed && replayed.Unchanged)
	require.Equal(t, size+2, r.State().LogSize)

	body = move(lifecycle.Planned, `"pm_notes":[{"text":"another"}]`)
	_, err = send(Proposal{})
	requireCode(t, err, "same_status")
	r.must(paula, "REQ-001", `{"pm_notes":[{"text":"later"}]}`)
	body = move(lifecycle.Planned, `"pm_notes":[{"text":"n"}]`)
	again, err := send(Proposal{})
	require.NoError(t, err)
	require.True(t, again.Unchanged, "what came after it is no matter")
	r.verified()
}

// Requests that repeat a move under ever new keys are folded, as refusals are.
func TestRepeatedMovesAreFolded(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	size := r.State().LogSize
	for i := range record.RecordedEach + 5 {
		answer, err := r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned)), IdempotencyKey: fmt.Sprint("k", i), Request: "PATCH /requirements/{id}"})
		require.NoError(t, err)
		require.True(t, answer.Unchanged)
		require.Equal(t, i >= record.RecordedEach, answer.Receipt.Folded)
	}
	require.Equal(t, size+record.RecordedEach, r.State().LogSize)
	r.stop()
	require.Equal(t, size+record.RecordedEach+1, r.State().LogSize, "one record for the rest")
	r.verified()
}

// TestVerifyDecidesRepetitionsAgain writes some that were none, and a refusal of one that was.
func TestVerifyDecidesRepetitionsAgain(t *testing.T) {
	good := func(r *rig) record.Proposed {
		doc, err := r.Requirement("REQ-001")
		require.NoError(t, err)
		return record.Proposed{Rules: 4, Workflow: "v1", Change: []byte(move(lifecycle.Planned)), IdempotencyKey: "k", Revision: 2, SHA256: ledger.Digest(doc.Bytes)}
	}
	for name, c := range map[string]struct {
		kind   string
		by     lifecycle.Actor
		change func(*record.Proposed)
		want   string
	}{
		"a repetition":             {record.KindUnchanged, paula, func(*record.Proposed) {}, "table idempotency"}, // which the test did not write
		"by somebody else":         {record.KindUnchanged, lifecycle.Actor{Name: "pia", Role: lifecycle.PM}, func(*record.Proposed) {}, "not so"},
		"of another move":          {record.KindUnchanged, paula, func(p *record.Proposed) { p.Change = []byte(move(lifecycle.Blocked)) }, "not so"},
		"without a key":            {record.KindUnchanged, paula, func(p *record.Proposed) { p.IdempotencyKey = "" }, "no Idempotency-Key"},
		"at another revision":      {record.KindUnchanged, paula, func(p *record.Proposed) { p.Revision = 3 }, "at revision 3"},
		"under another workflow":   {record.KindUnchanged, paula, func(p *record.Proposed) { p.Workflow = "rework" }, "is in force"},
		"by older rules":           {record.KindUnchanged, paula, func(p *record.Proposed) { p.Rules = 3 }, "after version 4"},
		"a repetition as a change": {record.KindChanged, paula, func(*record.Proposed) {}, "repeats the last move"},
		"a refused repetition": {record.KindRefused, paula, func(p *record.Proposed) {
			p.Revision, p.SHA256, p.Refusal = 0, "", fault.New(fault.Conflict, "same_status", "x")
		}, "repeats the last move"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s)
			r.mustImport(twoRequirements)
			r.must(paula, "REQ-001", move(lifecycle.Planned))
			data := good(r)
			c.change(&data)
			require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
				return tx.Append(ledger.Event{Kind: c.kind, Actor: record.Actor(c.by), Subject: "REQ-001", Data: data})
			}))
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
}
