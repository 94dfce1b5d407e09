package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/ledger/store"
)

// tableLeases keeps the leases of a Hub among its entries, so that the fence is checked in the transaction itself.
const tableLeases = "\x00leases"

// Hub is a Memory that several handles share, each of which stands for the store of one process.
type Hub struct {
	Memory *store.Memory // what all handles see

	mu      sync.Mutex
	handles []*Handle
}

// NewHub returns an empty one.
func NewHub() *Hub { return &Hub{Memory: store.NewMemory()} }

// Open returns a new handle.
func (h *Hub) Open() *Handle {
	n := &Handle{hub: h, bell: make(chan struct{}, 1), passing: make(chan struct{})}
	close(n.passing)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handles = append(h.handles, n)
	return n
}

// ring tells every handle but one of a commit.
func (h *Hub) ring(but *Handle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, other := range h.handles {
		if other != but {
			other.ring()
		}
	}
}

// Handle is a Shared over a Hub. Like Memory it is strict; besides, its bell can be delayed or lost, and it can be
// kept from reading or cut off.
type Handle struct {
	hub   *Hub
	bell  chan struct{}
	trips atomic.Int64

	closing sync.RWMutex // read-held by every call
	closed  bool

	mu      sync.Mutex
	deaf    bool
	delay   time.Duration // of the bell
	cut     error
	passing chan struct{} // closed while Views may begin
}

var _ store.Shared = (*Handle)(nil)

// Deafen makes the bell lose every ring from now on.
func (h *Handle) Deafen() { h.set(func() { h.deaf = true }) }

// Delay makes every ring of the bell late.
func (h *Handle) Delay(by time.Duration) { h.set(func() { h.delay = by }) }

// Cut makes every call fail with an error from now on; nil makes it whole again.
func (h *Handle) Cut(err error) { h.set(func() { h.cut = err }) }

// Hold makes every View wait, until the function that it returns is called once.
func (h *Handle) Hold() (resume func()) {
	held := make(chan struct{})
	h.set(func() { h.passing = held })
	return func() { close(held) }
}

// Trips returns how many reads were asked of transactions so far: a Get, a Scan and a GetMany are one each.
func (h *Handle) Trips() int64 { return h.trips.Load() }

func (h *Handle) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

func (h *Handle) ring() {
	h.mu.Lock()
	deaf, delay := h.deaf, h.delay
	h.mu.Unlock()
	if deaf {
		return
	}
	ring := func() {
		select {
		case h.bell <- struct{}{}:
		default:
		}
	}
	if delay == 0 {
		ring()
		return
	}
	time.AfterFunc(delay, ring)
}

// call runs one call of the store on the Memory behind it.
func (h *Handle) call(fn func(*store.Memory) error) error {
	h.closing.RLock()
	defer h.closing.RUnlock()
	if h.closed {
		return store.ErrClosed
	}
	h.mu.Lock()
	cut := h.cut
	h.mu.Unlock()
	if cut != nil {
		return cut
	}
	return fn(h.hub.Memory)
}

// View calls fn on a snapshot of what all handles have committed.
func (h *Handle) View(ctx context.Context, fn func(store.Reader) error) error {
	h.mu.Lock()
	passing := h.passing
	h.mu.Unlock()
	select {
	case <-passing:
	case <-ctx.Done():
		return ctx.Err()
	}
	return h.call(func(m *store.Memory) error {
		return m.View(ctx, func(r store.Reader) error { return fn(reader{r, getter{r, &h.trips}}) })
	})
}

// Update calls fn alone among all handles, and checks the fence of the context's lease after it.
func (h *Handle) Update(ctx context.Context, fn func(store.Tx) error) error {
	return h.call(func(m *store.Memory) error {
		err := m.Update(ctx, func(tx store.Tx) error {
			if err := fn(transaction{tx, getter{tx, &h.trips}}); err != nil {
				return err
			}
			return fenced(ctx, tx)
		})
		if err == nil {
			h.hub.ring(h)
		}
		return err
	})
}

// Newest returns what all handles have committed last.
func (h *Handle) Newest(ctx context.Context, table, key string) (value []byte, err error) {
	err = h.call(func(m *store.Memory) error {
		return m.View(ctx, func(r store.Reader) error {
			raw, err := r.Get(table, key)
			value = bytes.Clone(raw)
			return err
		})
	})
	return value, err
}

// Bell returns what Update of another handle rings.
func (h *Handle) Bell() <-chan struct{} { return h.bell }

// Close ends this handle alone.
func (h *Handle) Close() error {
	h.closing.Lock()
	defer h.closing.Unlock()
	h.closed = true
	return nil
}

// given is a lease as it is kept.
type given struct {
	store.Lease

	Until time.Time
}

func leaseIn(from store.Getter, name string) (g given, err error) {
	raw, err := from.Get(tableLeases, name)
	if err != nil || raw == nil {
		return g, err
	}
	return g, json.Unmarshal(raw, &g)
}

// fenced refuses an update under a lease that was given to another.
func fenced(ctx context.Context, tx store.Tx) error {
	lease, under := store.LeaseOf(ctx)
	if !under {
		return nil
	}
	g, err := leaseIn(tx, lease.Name)
	if err == nil && g.Fence != lease.Fence {
		return store.ErrFenced
	}
	return err
}

// change replaces a lease by what with makes of it.
func (h *Handle) change(ctx context.Context, name string, with func(given) (given, error)) (now given, err error) {
	err = h.call(func(m *store.Memory) error {
		return m.Update(ctx, func(tx store.Tx) error {
			g, err := leaseIn(tx, name)
			if err != nil {
				return err
			}
			if g, err = with(g); err != nil {
				return err
			}
			now = g
			raw, err := json.Marshal(g)
			if err != nil {
				return err
			}
			return tx.Put(tableLeases, name, raw)
		})
	})
	return now, err
}

// Acquire gives the lease to a holder if it has ended.
func (h *Handle) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (store.Lease, error) {
	g, err := h.change(ctx, name, func(g given) (given, error) {
		if time.Now().Before(g.Until) {
			return g, store.ErrHeld
		}
		return given{store.Lease{Name: name, Holder: holder, Fence: g.Fence + 1}, time.Now().Add(ttl)}, nil
	})
	return g.Lease, err
}

// Renew makes a lease last longer.
func (h *Handle) Renew(ctx context.Context, l store.Lease, ttl time.Duration) error {
	_, err := h.change(ctx, l.Name, func(g given) (given, error) {
		if g.Fence != l.Fence {
			return g, store.ErrFenced
		}
		g.Until = time.Now().Add(ttl)
		return g, nil
	})
	return err
}

// Release ends a lease.
func (h *Handle) Release(ctx context.Context, l store.Lease) error {
	_, err := h.change(ctx, l.Name, func(g given) (given, error) {
		if g.Fence == l.Fence {
			g.Until = time.Time{}
		}
		return g, nil
	})
	return err
}

// Holder returns the lease that lasts.
func (h *Handle) Holder(ctx context.Context, name string) (lease store.Lease, err error) {
	err = h.call(func(m *store.Memory) error {
		return m.View(ctx, func(r store.Reader) error {
			g, err := leaseIn(r, name)
			if lease = g.Lease; !time.Now().Before(g.Until) {
				lease = store.Lease{}
			}
			return err
		})
	})
	return lease, err
}

// getter counts what is asked of it.
type getter struct {
	store.Getter
	trips *atomic.Int64
}

func (g getter) Get(table, key string) ([]byte, error) {
	g.trips.Add(1)
	return g.Getter.Get(table, key)
}

func (g getter) GetMany(places []store.Place) ([][]byte, error) {
	g.trips.Add(1)
	return store.GetMany(g.Getter, places)
}

type reader struct {
	store.Reader
	getter
}

func (r reader) Get(table, key string) ([]byte, error) { return r.getter.Get(table, key) }

func (r reader) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	r.trips.Add(1)
	return r.Reader.Scan(table, from, to, visit)
}

type transaction struct {
	store.Tx
	getter
}

func (tx transaction) Get(table, key string) ([]byte, error) { return tx.getter.Get(table, key) }
