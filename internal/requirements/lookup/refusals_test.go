package lookup

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

func TestTheRefusalInARecord(t *testing.T) {
	l := logOf(t, changed(cody, "A"), refused(cody, "A", "sealed"), folded(cody, "A", "sealed"))
	var found []*review.Refusal
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		found = nil
		for i := range uint64(4) {
			_, rec, err := ledger.RecordAt(r, i)
			require.NoError(t, err)
			one, err := RefusalIn(r, rec)
			require.NoError(t, err)
			found = append(found, one)
		}
		return nil
	}))
	require.Equal(t, []*review.Refusal{nil, nil,
		{Record: 2, At: noon.Add(2 * time.Minute), By: "cody", Role: lifecycle.Coder, Code: "sealed", Detail: "no sealed", Times: 1},
		{Record: 3, At: noon.Add(time.Second), By: "cody", Role: lifecycle.Coder, Code: "sealed", Times: 7}}, found)
}

func TestTheRefusalsOnARequirement(t *testing.T) {
	events := []ledger.Event{changed(cody, "A"), folded(cody, "A", "sealed"), refused(cody, "B", "sealed")}
	for range shownRefusals {
		events = append(events, refused(cody, "A", "gate_unmet"))
	}
	all, err := RefusedOn(t.Context(), logOf(t, events...), "A", nil)
	require.NoError(t, err)
	require.Equal(t, 7+shownRefusals, all.Count)
	require.False(t, all.More)
	require.Len(t, all.Newest, shownRefusals)
	require.Equal(t, review.Refusal{Record: 8, At: noon.Add(8 * time.Minute), By: "cody", Role: lifecycle.Coder, Code: "gate_unmet",
		Detail: "no gate_unmet", Times: 1}, all.Newest[0])
	require.Equal(t, uint64(4), all.Newest[shownRefusals-1].Record)

	all, err = RefusedOn(t.Context(), logOf(t, changed(cody, "A")), "A", nil)
	require.NoError(t, err)
	require.Equal(t, review.Refused{Newest: []review.Refusal{}}, all)
}

// Refusals beyond what is counted are said to be there.
func TestManyRefusalsAreNotAllCounted(t *testing.T) {
	l := logOf(t)
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		for range countedRefusals + 1 {
			if err := tx.Append(refused(cody, "A", "sealed")); err != nil {
				return err
			}
		}
		return nil
	}))
	all, err := RefusedOn(t.Context(), l, "A", nil)
	require.NoError(t, err)
	require.Equal(t, countedRefusals, all.Count)
	require.True(t, all.More)
}

// Verifies: ORC-141
func TestAttemptsAreCountedByActorAndCode(t *testing.T) {
	var counted Attempts
	l := logOf(t, changed(cody, "A"), refused(cody, "A", "sealed"), refused(cody, "A", "gate_unmet"), folded(cody, "A", "gate_unmet"),
		folded(cody, "", ""), large(quote, "schema_violation"), refused(quote, "A", "sealed"))
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		for i := range l.Head().Size {
			_, rec, err := ledger.RecordAt(r, i)
			require.NoError(t, err)
			counted.Count(rec)
		}
		counted.Count(audit.Record{Kind: record.KindFolded, Data: []byte("7")}) // another shape is for others to find
		return nil
	}))
	require.Equal(t, []review.ActorCount{
		{Name: "cody", Role: lifecycle.Coder, Accepted: 1, Refused: 1 + 1 + 7 + 7, Codes: []review.CodeCount{
			{Code: "gate_unmet", Count: 8, At: noon.Add(time.Second), Detail: "no gate_unmet"},
			{Code: "sealed", Count: 1, At: noon.Add(2 * time.Minute), Detail: "no sealed"}}},
		{Name: quote.Name, Role: lifecycle.Coder, Refused: 2, Codes: []review.CodeCount{
			{Code: "sealed", Count: 1, At: noon.Add(7 * time.Minute), Detail: "no sealed"}}},
	}, counted.Actors())
	require.Empty(t, new(Attempts).Actors())
}

func TestTheDetailOfARefusal(t *testing.T) {
	refusal := fault.New(fault.Invalid, "schema_violation", "it does not match")
	require.Equal(t, "it does not match", detailOf(refusal))
	refusal.WithFields(fault.Field{Detail: "missing name"})
	require.Equal(t, "it does not match: missing name", detailOf(refusal))
	refusal.WithFields(fault.Field{Pointer: "/b", Detail: "wrong"}, fault.Field{Pointer: "/c", Detail: "wrong"})
	require.Equal(t, "it does not match: missing name, and 2 more", detailOf(refusal))
}
