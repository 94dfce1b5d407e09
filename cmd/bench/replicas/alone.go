package replicas

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/cmd/bench/report"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/ledger/store/pgstore"
)

// shape is what one update of a store by itself puts: eight entries of 1.8 KB, much as a change does. A key that ends
// with # has the number of the update in its place, one that ends with * the number of a requirement.
var shape = []struct {
	table, key string
	bytes      int
}{
	{"audit", "#", 720}, {"requirements", "REQ-*", 640}, {"subjects", "REQ-*", 30}, {"idempotency", "key-#", 120},
	{"meta", "head", 180}, {"spent", "coder", 40}, {"claims", "REQ-*", 20}, {"usage", "REQ-*", 50},
}

// noisy is how many bytes there are to take values from, and more than any two updates in a row have in common: what
// stays the same in a row, PostgreSQL does not log.
const noisy = 1 << 16

// noise is what values are made of.
var noise = func() []byte {
	b := make([]byte, noisy+1<<10)
	_, _ = rand.Read(b) // it never fails
	return b
}()

// updater makes updates of a store.
type updater struct {
	made atomic.Uint64
	put  atomic.Uint64 // bytes
}

// update makes one, which reads the head.
func (u *updater) update(ctx context.Context, s store.Store) error {
	n := u.made.Add(1)
	bytes := 0
	err := s.Update(ctx, func(tx store.Tx) error {
		bytes = 0
		if _, err := tx.Get("meta", "head"); err != nil {
			return err
		}
		for _, entry := range shape {
			key := strings.NewReplacer("#", string(binary.BigEndian.AppendUint64(nil, n)),
				"*", strconv.FormatUint(n%requirements, 10)).Replace(entry.key)
			value := noise[n*61%noisy:][:entry.bytes]
			bytes += len(entry.table) + len(key) + len(value)
			if err := tx.Put(entry.table, key, value); err != nil {
				return err
			}
		}
		return nil
	})
	u.put.Add(uint64(bytes))
	return err
}

// rate has clients make updates, each of one of the stores, and returns how many were made a second.
func (u *updater) rate(
	ctx context.Context,
	clients int,
	lasting time.Duration,
	stores ...store.Store,
) (float64, error) {
	var made atomic.Int64
	errs := make([]error, clients)
	begun := time.Now()
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			for time.Since(begun) < lasting && errs[i] == nil && ctx.Err() == nil {
				errs[i] = u.update(ctx, stores[i%len(stores)])
				made.Add(1)
			}
		})
	}
	running.Wait()
	return float64(made.Load()) / time.Since(begun).Seconds(), errors.Join(errs...)
}

// alone measures the store by itself, beside the one that is a file.
func (r *run) alone(ctx context.Context) (rows []report.Row, err error) {
	file, err := boltstore.Open(filepath.Join(r.Dir, "alone.db"), boltstore.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	url := r.url()
	one, err := pgstore.Open(ctx, url, pgstore.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, one.Close()) }()
	var u updater
	for c, goal := range map[int]float64{1: 1, clients: 0.5} {
		f, err := r.besideFile(ctx, &u, c, one, file)
		if err != nil {
			return rows, err
		}
		rows = append(
			rows,
			rateRow(fmt.Sprintf("updates of the store alone, c=%d, against the file", c), f.base, f.value,
				atLeast(goal)),
		)
		if c == clients {
			rows = append(rows,
				report.NewRow("round trips a batch, c=64", "", nil, f.trips, nil, atMost(1.1)),
				report.NewRow("WAL for each byte that is put, c=64", "B", nil, f.wal, nil, atMost(2.5)))
		}
	}
	other, err := pgstore.Open(ctx, url, pgstore.Options{})
	if err != nil {
		return rows, err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	contended, err := r.contended(ctx, &u, one, other)
	return append(rows, contended...), err
}

// figures are what was measured, by round.
type figures struct{ base, value, trips, wal []float64 }

// besideFile measures one store in turns with the file.
func (r *run) besideFile(ctx context.Context, u *updater, c int, one *pgstore.Store,
	file *boltstore.Store) (f figures, err error) {
	for round := range r.Rounds + 1 {
		base, err := u.rate(ctx, c, r.Round, file)
		if err != nil {
			return f, err
		}
		wal, err := r.wal(ctx)
		if err != nil {
			return f, err
		}
		before, put := one.Stats(), u.put.Load()
		value, err := u.rate(ctx, c, r.Round, one)
		if err != nil {
			return f, err
		}
		after, walAfter := one.Stats(), 0.0
		if walAfter, err = r.wal(ctx); err != nil {
			return f, err
		}
		r.Say("round %d/%d  c=%-2d  store alone %8.0f/s, file %8.0f/s", round, r.Rounds, c, value, base)
		if round == 0 {
			continue // it warms up
		}
		f.base, f.value = append(f.base, base), append(f.value, value)
		f.trips = append(f.trips, tripsABatch(before, after))
		f.wal = append(f.wal, (walAfter-wal)/float64(u.put.Load()-put))
	}
	return f, nil
}

// contended measures two stores of one database, as two processes have them, beside one of them.
func (r *run) contended(ctx context.Context, u *updater, one, other *pgstore.Store) ([]report.Row, error) {
	var lone, both, trips []float64
	for range r.Rounds {
		single, err := u.rate(ctx, clients, r.Round, one)
		if err != nil {
			return nil, err
		}
		before := [2]pgstore.Stats{one.Stats(), other.Stats()}
		sum, err := u.rate(ctx, clients, r.Round, one, other)
		if err != nil {
			return nil, err
		}
		lone, both = append(lone, single), append(both, sum)
		trips = append(trips, max(tripsABatch(before[0], one.Stats()), tripsABatch(before[1], other.Stats())))
	}
	return []report.Row{
		rateRow("updates of two stores of one database in sum, c=64, against one", lone, both, nil),
		report.NewRow("round trips a batch, two stores, c=64", "", nil, trips, nil, atMost(3)),
	}, nil
}

// tripsABatch returns how many round trips a batch took between two moments.
func tripsABatch(before, after pgstore.Stats) float64 {
	return float64(after.Trips-before.Trips) / float64(after.Batches-before.Batches)
}

// wal returns how many bytes of its log the server has written.
func (r *run) wal(ctx context.Context) (float64, error) {
	text, err := r.server.SQL(ctx, "", "SELECT pg_current_wal_insert_lsn() - '0/0'")
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}
