package thread

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Verifies: ORC-175

// historyOf has records 1 to 9 about a and b in turn, and returns how to read threads of it.
func historyOf(t *testing.T) func(before uint64, limit int, of ...Thread) ledger.Page {
	l, err := ledger.Open(t.Context(), store.NewMemory(), func() time.Time { return time.Unix(1, 0) })
	require.NoError(t, err)
	for i := range 9 {
		require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
			return tx.Append(ledger.Event{Kind: "k", Actor: ledger.System(), Subject: string("ab"[i%2]), Data: i})
		}))
	}
	return func(before uint64, limit int, of ...Thread) ledger.Page {
		page, err := History(t.Context(), l, of, before, limit)
		require.NoError(t, err)
		return page
	}
}

func numbers(t *testing.T, p ledger.Page) (all []uint64) {
	for _, raw := range p.Records {
		r, err := audit.Decode(raw)
		require.NoError(t, err)
		all = append(all, r.Seq)
	}
	return all
}

func TestThreadsAreReadAsOne(t *testing.T) {
	read := historyOf(t)
	for _, c := range []struct {
		of   []Thread
		want []uint64
	}{
		{[]Thread{{Subject: "a"}}, []uint64{9, 7, 5, 3, 1}},
		{[]Thread{{Subject: "a"}, {Subject: "b"}}, []uint64{9, 8, 7, 6, 5, 4, 3, 2, 1}},
		{[]Thread{{Subject: "a", From: 4}, {Subject: "b", Until: 5}}, []uint64{9, 7, 5, 4, 2}},
		{[]Thread{{Subject: "b", From: 3, Until: 7}}, []uint64{6, 4}},
		{[]Thread{{Subject: "b", From: 9}, {Subject: "c"}}, nil},
	} {
		whole := read(0, 100, c.of...)
		require.Equal(t, c.want, numbers(t, whole), "%v", c.of)
		require.EqualValues(t, len(c.want), whole.Total)
		require.Zero(t, whole.Next)

		var paged []uint64
		for before := uint64(0); ; {
			page := read(before, 2, c.of...)
			require.EqualValues(t, len(c.want), page.Total)
			paged = append(paged, numbers(t, page)...)
			if before = page.Next; before == 0 {
				break
			}
		}
		require.Equal(t, c.want, paged, "%v", c.of)
	}
}

func TestACursorOfOtherThreadsIsRefused(t *testing.T) {
	l, err := ledger.Open(t.Context(), store.NewMemory(), func() time.Time { return time.Unix(1, 0) })
	require.NoError(t, err)
	for _, before := range []uint64{1, 99} {
		_, err = History(t.Context(), l, []Thread{{Subject: "a", From: 1}}, before, 2)
		require.True(t, fault.Is(err, ledger.CodeCursor))
	}
}

// reads counts the records that are read.
type reads struct {
	store.Reader
	n *int
}

func (r reads) Get(table, key string) ([]byte, error) {
	*r.n++
	return r.Reader.Get(table, key)
}

// The numbers come oldest first, and of what lies before the thread nothing is read.
func TestTheNumbersOfAThread(t *testing.T) {
	l, err := ledger.Open(t.Context(), store.NewMemory(), func() time.Time { return time.Unix(1, 0) })
	require.NoError(t, err)
	for i := range 100 {
		require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
			return tx.Append(ledger.Event{Kind: "k", Actor: ledger.System(), Subject: []string{"a", "b"}[i%2]})
		}))
	}
	for from, want := range map[uint64][]uint64{95: {95, 97, 99}, 96: {97, 99}, 99: {99}, 100: nil, 1000: nil} {
		n := 0
		var seqs []uint64
		require.NoError(t, l.View(t.Context(), func(r store.Reader) (err error) {
			seqs, err = Numbers(reads{r, &n}, Thread{Subject: "a", From: from})
			return err
		}))
		require.Equal(t, want, seqs)
		require.LessOrEqual(t, n, 2+len(want), "from %d", from)
	}
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		seqs, err := Numbers(r, Thread{Subject: "a"})
		require.Len(t, seqs, 50)
		require.IsIncreasing(t, seqs)
		return err
	}))
}
