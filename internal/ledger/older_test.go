package ledger

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// older is a store as a program of an older format left it: its log began in that format.
func older(t *testing.T, number int) *store.Memory {
	t.Helper()
	first := audit.Record{At: ticking()(), Kind: KindCreated, Actor: System(), Data: []byte(`{"format":4}`)}
	raw, err := audit.Encode(first)
	require.NoError(t, err)
	s := store.NewMemory()
	b, err := NewBuilder(t.Context(), s, nil)
	require.NoError(t, err)
	require.NoError(t, b.Append(t.Context(), raw))
	_, err = b.Finish(t.Context())
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, set(t.Context(), open(t, s), "a", 1))
	}
	tamper(t, s, func(tx store.Tx) error { return putFormat(tx, number) })
	return s
}

func TestALedgerOfAnOlderFormatIsOnlyReplayed(t *testing.T) {
	s := older(t, 4)
	before := s.Dump()
	_, err := Open(t.Context(), s, ticking())
	require.True(t, fault.Is(err, CodeOlder), err)
	_, err = OpenReadOnly(t.Context(), s)
	require.True(t, fault.Is(err, CodeOlder), err)
	require.Contains(t, errorFix(err), "orchestrator upgrade --data")

	l, err := OpenToReplay(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, 4, l.Format())
	require.EqualValues(t, 4, l.Head().Size)
	require.NoError(t, verify(t, l))
	require.NoError(t, l.CheckSums(t.Context()))
	require.Equal(t, before, s.Dump())

	for _, unknown := range []int{0, Oldest - 1, Format + 1} {
		_, err = OpenToReplay(t.Context(), older(t, unknown))
		require.True(t, fault.Is(err, CodeFormat), err)
	}
	_, err = OpenToReplay(t.Context(), older(t, Format+1))
	require.Contains(t, errorFix(err), "newer version")
	newer := grown(t)
	tamper(t, newer, func(tx store.Tx) error { return putFormat(tx, Format-1) })
	_, err = OpenToReplay(t.Context(), newer)
	require.ErrorContains(t, err, fmt.Sprintf("says that it has format %d, but its log began in format %d", Format-1, Format))
	require.True(t, fault.Is(err, store.CodeDamaged), err)
	_, err = OpenToReplay(t.Context(), store.NewMemory())
	require.True(t, fault.Is(err, CodeEmpty), err)
}

// TestARebuiltLedgerKeepsItsFirstRecord: only the format of the database changes, and nothing that is hashed.
func TestARebuiltLedgerKeepsItsFirstRecord(t *testing.T) {
	from, to := older(t, 4), store.NewMemory()
	head, err := rebuild(t.Context(), from, to, func(*Builder) {})
	require.NoError(t, err)
	l := open(t, to)
	require.Equal(t, Format, l.Format())
	require.True(t, head.Equal(l.Head()))
	was, is := from.Dump(), to.Dump()
	require.Contains(t, is[rows.Table][rows.Key(0)], `{"format":4}`)
	require.NotEqual(t, was[tableMeta][keyFormat], is[tableMeta][keyFormat])
	was[tableMeta][keyFormat] = is[tableMeta][keyFormat]
	require.Equal(t, was, is)
}

func TestDifferencesAreCounted(t *testing.T) {
	s := store.NewMemory()
	tamper(t, s, func(tx store.Tx) error {
		for key, value := range map[string]string{"same": "1", "changed": "1", "gone": "1"} {
			if err := tx.Put("things", key, []byte(value)); err != nil {
				return err
			}
		}
		return nil
	})
	compare := func(entries map[string][]byte) (d Difference) {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) (err error) {
			d, err = StoredContents("things", entries).Difference(r)
			return err
		}))
		return d
	}
	one, two := []byte("1"), []byte("2")
	d := compare(map[string][]byte{"same": one, "changed": two, "new": bytes.Clone(one), "newer": one})
	require.Equal(t, Difference{Table: "things", Changed: 1, Added: 2, Removed: 1}, d)
	require.False(t, d.None())
	require.True(t, compare(map[string][]byte{"same": one, "changed": one, "gone": one}).None())
	require.Equal(t, Difference{Table: "things", Removed: 3}, compare(nil))
}
