package boltstore_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// BenchmarkUpdate appends small records behind a head that every update reads and writes, as the ledger does.
func BenchmarkUpdate(b *testing.B) {
	record := make([]byte, 300)
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprintf("c=%d", clients), func(b *testing.B) {
			s, err := boltstore.Open(filepath.Join(b.TempDir(), "state.db"), boltstore.Options{})
			require.NoError(b, err)
			defer func() { require.NoError(b, s.Close()) }()
			inParallel(b, clients, func() error {
				return s.Update(b.Context(), func(tx store.Tx) error {
					head, err := tx.Get("meta", "head")
					if err != nil {
						return err
					}
					next := after(head)
					if err := tx.Put("audit", string(next), record); err != nil {
						return err
					}
					return tx.Put("meta", "head", next)
				})
			})
			st := s.Stats()
			b.ReportMetric(float64(st.Updates)/float64(st.Batches), "updates/batch")
		})
		b.Run(fmt.Sprintf("bare-bbolt/c=%d", clients), func(b *testing.B) {
			db, err := bolt.Open(filepath.Join(b.TempDir(), "state.db"), 0o600,
				&bolt.Options{FreelistType: bolt.FreelistMapType, InitialMmapSize: 1 << 30, NoStatistics: true})
			require.NoError(b, err)
			defer func() { require.NoError(b, db.Close()) }()
			inParallel(b, clients, func() error {
				return db.Update(func(tx *bolt.Tx) error {
					meta, err := tx.CreateBucketIfNotExists([]byte("meta"))
					if err != nil {
						return err
					}
					audit, err := tx.CreateBucketIfNotExists([]byte("audit"))
					if err != nil {
						return err
					}
					next := after(meta.Get([]byte("head")))
					if err := audit.Put(next, record); err != nil {
						return err
					}
					return meta.Put([]byte("head"), next)
				})
			})
		})
	}
}

func after(head []byte) []byte {
	var n uint64
	if head != nil {
		n = binary.BigEndian.Uint64(head)
	}
	return binary.BigEndian.AppendUint64(nil, n+1)
}

func inParallel(b *testing.B, clients int, call func() error) {
	b.ReportAllocs()
	var left atomic.Int64
	left.Store(int64(b.N))
	start := time.Now()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := call(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "updates/s")
}
