package ledger_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// BenchmarkAppendAt is one durable append to a log of a thousand and of a million records, by turns.
func BenchmarkAppendAt(b *testing.B) {
	sizes := []int{1_000, 1_000_000}
	logs := make([]*ledger.Ledger, len(sizes))
	for i, size := range sizes {
		logs[i] = logOf(b, size)
	}
	took := make([]time.Duration, len(sizes))
	b.ResetTimer()
	for range b.N {
		for i, l := range logs {
			start := time.Now()
			require.NoError(b, l.Update(b.Context(), func(tx *ledger.Tx) error { return tx.Append(event(int(tx.Seq()))) }))
			took[i] += time.Since(start)
		}
	}
	for i, size := range sizes {
		b.ReportMetric(float64(took[i].Microseconds())/float64(b.N), fmt.Sprintf("us/append-at-%d", size))
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "x")
}

func event(n int) ledger.Event {
	return ledger.Event{
		Kind: "requirement.changed", Actor: audit.Actor{Name: "ada", Role: "pm"}, Subject: fmt.Sprintf("REQ-%05d", n%50_000),
		Data: map[string]string{"text": fmt.Sprintf("agreed with the customer on the phone, and written down here: call number %d", n)},
	}
}

// logOf fills a log on disk, many records in a transaction.
func logOf(b *testing.B, size int) *ledger.Ledger {
	b.Helper()
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "state.db"), boltstore.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { _ = s.Close() })
	l, err := ledger.Open(b.Context(), store.Store(s), time.Now)
	require.NoError(b, err)
	for n := 0; n < size; n += 5_000 {
		require.NoError(b, l.Update(b.Context(), func(tx *ledger.Tx) error {
			for i := range min(5_000, size-n) {
				if err := tx.Append(event(n + i)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return l
}
