package linear

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

const counterTable = "counters"

var counterKeys = [Cells]string{"a", "b", "c"}

// readCounters reads some counters.
func readCounters(from store.Getter, which [Cells]bool) (read Counters, err error) {
	for i, key := range counterKeys {
		if !which[i] {
			continue
		}
		raw, err := from.Get(counterTable, key)
		if err != nil {
			return read, err
		}
		read[i] = counterOf(raw)
	}
	return read, nil
}

func counterOf(raw []byte) uint64 {
	if raw == nil {
		return 0
	}
	return binary.BigEndian.Uint64(raw)
}

// transact makes a transaction on a store.
func transact(ctx context.Context, s store.Shared, in Transaction) (read Counters, err error) {
	if in.Adds == [Cells]bool{} {
		err = s.View(ctx, func(r store.Reader) (err error) {
			read, err = readCounters(r, in.Reads)
			return err
		})
		return read, err
	}
	err = s.Update(ctx, func(tx store.Tx) (err error) {
		if read, err = readCounters(tx, in.Reads); err != nil {
			return err
		}
		for i, key := range counterKeys {
			if in.Adds[i] {
				if err := tx.Put(counterTable, key, binary.BigEndian.AppendUint64(nil, read[i]+1)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return read, err
}

// newest reads one counter as a replica asks for the head.
func newest(ctx context.Context, s store.Shared, cell int) (read Counters, err error) {
	raw, err := s.Newest(ctx, counterTable, counterKeys[cell])
	if err == nil {
		read[cell] = counterOf(raw)
	}
	return read, err
}

// drawn draws a transaction; what it adds to, it reads.
func drawn(rng *rand.Rand) (in Transaction) {
	for i := range Cells {
		in.Reads[i] = rng.IntN(2) == 0
		in.Adds[i] = in.Reads[i] && rng.IntN(2) == 0
	}
	return in
}

// history has clients make transactions through the handles of one store.
func history(t *testing.T, handles []store.Shared, clients, each int) *Recorder[Transaction, Counters] {
	t.Helper()
	r := &Recorder[Transaction, Counters]{}
	var running sync.WaitGroup
	for c := range clients {
		rng := rand.New(rand.NewPCG(7, uint64(c)))
		running.Go(func() {
			for range each {
				s := handles[rng.IntN(len(handles))]
				in := drawn(rng)
				if rng.IntN(4) == 0 {
					in = Transaction{}
					in.Reads[rng.IntN(Cells)] = true
				}
				call := r.Begin(c, in)
				var read Counters
				var err error
				if cell := only(in); cell >= 0 {
					read, err = newest(t.Context(), s, cell)
				} else {
					read, err = transact(t.Context(), s, in)
				}
				if err != nil {
					t.Error(err)
					return
				}
				call.End(read)
			}
		})
	}
	running.Wait()
	return r
}

// only returns the one counter that a transaction reads without adding, or -1.
func only(in Transaction) int {
	cell := -1
	for i := range Cells {
		switch {
		case in.Adds[i], in.Reads[i] && cell >= 0:
			return -1
		case in.Reads[i]:
			cell = i
		}
	}
	return cell
}

// Verifies: ORC-386
func TestAStoreInMemoryIsLinearizable(t *testing.T) {
	hub := storetest.NewHub()
	handles := []store.Shared{hub.Open(), hub.Open(), hub.Open()}
	verdict, why := Check(Store, history(t, handles, 6, 200), time.Minute)
	require.Equal(t, Linearizable, verdict, why)
}

// stale answers Newest from what it read some calls ago.
type stale struct {
	store.Shared
	calls atomic.Uint64
	mu    sync.Mutex
	kept  map[string][]byte
}

func (s *stale) Newest(ctx context.Context, table, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, known := s.kept[key]
	if known && s.calls.Add(1)%8 != 0 {
		return kept, nil
	}
	raw, err := s.Shared.Newest(ctx, table, key)
	s.kept[key] = raw
	return raw, err
}

// The control: a handle that does not ask the store each time is found.
func TestAStaleStoreIsFound(t *testing.T) {
	hub := storetest.NewHub()
	handles := []store.Shared{hub.Open(), &stale{Shared: hub.Open(), kept: map[string][]byte{}}}
	verdict, why := Check(Store, history(t, handles, 6, 200), time.Minute)
	require.Equal(t, Impossible, verdict)
	require.NotEmpty(t, why)
}
