package pgstore_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
)

// The change of the ledger that is measured: eight puts of together 1.8 KB, of which one goes to a new key.
const (
	puts     = 8
	putBytes = 230
	subjects = 1000
)

var change atomic.Uint64

// apply makes one change: it reads the head and a subject, and writes a record and what follows from it.
func apply(tx store.Tx) error {
	value := make([]byte, putBytes)
	head, err := tx.Get("meta", "head")
	if err != nil {
		return err
	}
	next := after(head)
	subject := fmt.Sprint(change.Add(1) % subjects)
	if _, err := tx.Get("subjects", subject); err != nil {
		return err
	}
	for i := range puts - 2 {
		if err := tx.Put(fmt.Sprint("part", i), subject, value); err != nil {
			return err
		}
	}
	if err := tx.Put("audit", string(next), value); err != nil {
		return err
	}
	return tx.Put("meta", "head", next)
}

func after(head []byte) []byte {
	var n uint64
	if head != nil {
		n = binary.BigEndian.Uint64(head)
	}
	return binary.BigEndian.AppendUint64(nil, n+1)
}

// BenchmarkUpdate compares the store with that in a file, on one disk: go test -bench Update -benchtime 3s.
func BenchmarkUpdate(b *testing.B) {
	server := pgtest.Start(b, "fsync=on")
	for _, clients := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("bbolt/c=%d", clients), func(b *testing.B) {
			s, err := boltstore.Open(filepath.Join(b.TempDir(), "state.db"), boltstore.Options{})
			require.NoError(b, err)
			defer func() { require.NoError(b, s.Close()) }()
			inParallel(b, clients, s)
		})
		b.Run(fmt.Sprintf("postgres/c=%d", clients), func(b *testing.B) {
			s, err := pgstore.Open(b.Context(), server.URL(pgtest.Database(b, server)), pgstore.Options{})
			require.NoError(b, err)
			defer func() { require.NoError(b, s.Close()) }()
			for range subjects { // warm
				require.NoError(b, s.Update(b.Context(), apply))
			}
			pgtest.Exec(b, server, "", "CHECKPOINT")
			before, wal := s.Stats(), pgtest.Query(b, server, "", "SELECT pg_current_wal_lsn()")[0]
			inParallel(b, clients, s)
			now := s.Stats()
			written := pgtest.Query(b, server, "", "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '"+wal+"')")[0]
			var bytes float64
			_, err = fmt.Sscan(written, &bytes)
			require.NoError(b, err)
			b.ReportMetric(float64(now.Trips-before.Trips)/float64(now.Batches-before.Batches), "trips/batch")
			b.ReportMetric(float64(now.Updates-before.Updates)/float64(now.Batches-before.Batches), "updates/batch")
			b.ReportMetric(bytes/float64(b.N)/(puts*putBytes), "WAL/byte")
		})
	}
}

func inParallel(b *testing.B, clients int, s store.Store) {
	var left atomic.Int64
	left.Store(int64(b.N))
	start := time.Now()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := s.Update(b.Context(), apply); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "updates/s")
}
