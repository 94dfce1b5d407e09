package texts

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Verifies: ORC-330

// counting counts what is read of a store.
type counting struct {
	store.Store
	reads *int
}

func (c counting) View(ctx context.Context, fn func(store.Reader) error) error {
	return c.Store.View(ctx, func(r store.Reader) error { return fn(countingReader{r, c.reads}) })
}

type countingReader struct {
	store.Reader
	reads *int
}

func (r countingReader) Get(table, key string) ([]byte, error) {
	*r.reads++
	return r.Reader.Get(table, key)
}

// rig is a log that a test writes.
type rig struct {
	*ledger.Ledger
	t     *testing.T
	reads int
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t}
	var err error
	at := time.Unix(1, 0).UTC()
	r.Ledger, err = ledger.Open(t.Context(), counting{store.NewMemory(), &r.reads}, func() time.Time { at = at.Add(time.Second); return at })
	require.NoError(t, err)
	return r
}

// add appends records, and returns the number of the first one.
func (r *rig) add(kind string, all ...any) uint64 {
	r.t.Helper()
	at := r.Head().Size
	require.NoError(r.t, r.Update(r.t.Context(), func(tx *ledger.Tx) error {
		for _, data := range all {
			if err := tx.Append(ledger.Event{Kind: kind, Actor: ledger.System(), Data: data}); err != nil {
				return err
			}
		}
		return nil
	}))
	return at
}

// imports imports texts by the ids of requirements.
func (r *rig) imports(texts map[string]string) uint64 {
	data := record.Imported{Sources: nil, Retired: []string{}}
	for id, text := range texts {
		data.Defined = append(data.Defined, defined(id, text))
	}
	return r.add(record.KindImported, data)
}

func defined(id, text string) lifecycle.Definition {
	return lifecycle.Definition{ID: id, Text: text, Acceptance: []lifecycle.Criterion{}, Fingerprint: "of " + text}
}

func (r *rig) of(l *Log, id, text string, approvals ...lifecycle.Approval) History {
	r.t.Helper()
	req := lifecycle.Requirement{Definition: defined(id, text), Approvals: approvals}
	h, err := l.Of(r.t.Context(), req, r.Head().Size)
	require.NoError(r.t, err)
	return h
}

// went returns the texts that changes took out and brought in.
func went(all ...review.FieldChange) string {
	var b strings.Builder
	for _, f := range all {
		for _, w := range f.Words {
			fmt.Fprintf(&b, "%s %s ", w.Op, w.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

func TestAnAnswerReadsNoMoreOfALongerLog(t *testing.T) {
	r := newRig(t)
	l := New(r.Ledger)
	var many []any
	for range 1000 {
		many = append(many, strings.Repeat("x", 100))
	}
	for i := range 30 {
		r.imports(map[string]string{"R-1": fmt.Sprintf("text%d", i), "R-2": "same"})
		r.add("requirement.changed", many[:20]...)
	}
	require.NoError(t, l.CatchUp(t.Context()))
	r.reads = 0
	require.Len(t, r.of(l, "R-1", "text29").Changes, most)
	reads := r.reads
	require.LessOrEqual(t, reads, 3*most)
	r.reads = 0
	require.Empty(t, r.of(l, "R-2", "same").Changes)
	require.Zero(t, r.reads, "there is nothing to read of a text that never changed")

	for range 20 {
		r.add("requirement.changed", many...)
	}
	require.NoError(t, l.CatchUp(t.Context()))
	r.reads = 0
	require.Len(t, r.of(l, "R-1", "text29").Changes, most)
	require.Equal(t, reads, r.reads)
}

func TestATextIsFoundAmongManyAndUnderAnyID(t *testing.T) {
	r := newRig(t)
	const id = `a/"Output" <Format> & \ ü`
	all := map[string]string{id: "one", `a/"Output`: "other"}
	for i := range 2000 {
		all[fmt.Sprintf("R-%d", i)] = fmt.Sprintf(`says {"id":"R-%d","title":"x"}`, i+1)
	}
	require.NotEmpty(t, ledger.BlobOf(r.record(r.imports(all))), "it lies beside the log")
	r.imports(map[string]string{id: "two", "R-7": "new"})
	l := New(r.Ledger)
	require.Equal(t, "out one in two", went(r.of(l, id, "two").Changes[0].Fields...))
	require.Equal(t, `out says {"id":"R-8","title":"x"} in new`, went(r.of(l, "R-7", "new").Changes[0].Fields...))
}

func TestWhatAnApprovalCovered(t *testing.T) {
	r := newRig(t)
	l := New(r.Ledger)
	var approvals []lifecycle.Approval
	approve := func(text string) {
		at := r.add("requirement.changed", "approved")
		approvals = append(approvals, lifecycle.Approval{Stamp: lifecycle.Stamp{Record: at, Fingerprint: "of " + text}})
	}
	r.imports(map[string]string{"R": "one"})
	approve("one")
	r.imports(map[string]string{"R": "two"})
	approve("two")
	approvals = append(approvals, lifecycle.Approval{Stamp: lifecycle.Stamp{Fingerprint: "of one"}}, lifecycle.Approval{Stamp: lifecycle.Stamp{Fingerprint: "of none"}})
	since := r.of(l, "R", "two", approvals...).Since
	require.Equal(t, "out one in two", went(since[0]...))
	require.Equal(t, "out one in two", went(since[2]...), "the first records have no number in stamps")
	require.Len(t, since, 2, "the present text needs none, and an unknown one has none")
	for range 30 {
		approve("one")
	}
	require.Len(t, r.of(l, "R", "two", approvals...).Since, most)
}

func TestALogThatIsOlderHasOlderTexts(t *testing.T) {
	r := newRig(t)
	l := New(r.Ledger)
	r.imports(map[string]string{"R": "one"})
	r.imports(map[string]string{"R": "two"})
	size := r.Head().Size
	r.imports(map[string]string{"R": "three"})
	require.Len(t, r.of(l, "R", "three").Changes, 2)
	h, err := l.Of(t.Context(), lifecycle.Requirement{Definition: defined("R", "two")}, size)
	require.NoError(t, err)
	require.Equal(t, "out one in two", went(h.Changes[0].Fields...))
	require.Len(t, h.Changes, 1, "what came since is not that requirement's yet")
}

func TestRequirementsSwapTheirIDs(t *testing.T) {
	r := newRig(t)
	r.imports(map[string]string{"A": "a", "B": "b"})
	r.add(record.KindRenamed, record.Renamed{Qualify: "folder", Renames: []renaming.Pair{{From: "A", To: "B"}, {From: "B", To: "A"}}})
	r.imports(map[string]string{"A": "b2", "B": "a2"})
	l := New(r.Ledger)
	require.Equal(t, "out b in b2", went(r.of(l, "A", "b2").Changes[0].Fields...))
	require.Equal(t, "out a in a2", went(r.of(l, "B", "a2").Changes[0].Fields...))
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	r := newRig(t)
	l := New(r.Ledger)
	r.imports(map[string]string{"R": "one"})
	at := r.add(record.KindImported, "no import")
	req := lifecycle.Requirement{Definition: defined("R", "one")}
	for range 2 {
		_, err := l.Of(t.Context(), req, r.Head().Size)
		require.ErrorContains(t, err, fmt.Sprintf("record %d, requirements.imported", at))
	}
	_, err := definitionIn(r.record(0), []byte(`{"defined":[]}`), version{id: "R"})
	require.ErrorContains(t, err, "has no text of R any more")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.CatchUp(ctx), context.Canceled)
}

func (r *rig) record(seq uint64) audit.Record {
	raw, err := r.Record(r.t.Context(), seq)
	require.NoError(r.t, err)
	rec, err := audit.Decode(raw)
	require.NoError(r.t, err)
	return rec
}
