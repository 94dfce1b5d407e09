package store

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
)

// Shared is a store that several processes use at the same time, each through a Shared of its own. The transactions of
// all of them have one order.
type Shared interface {
	Store
	// Newest returns the committed value of a key, or nil when the key is absent. It sees every commit that any
	// process was told of before the call. It is a read by itself, outside of any View.
	Newest(ctx context.Context, table, key string) ([]byte, error)
	// Bell returns a channel that receives after another process may have committed. A ring may come without a
	// commit, and may be lost: whoever waits for it also looks from time to time.
	Bell() <-chan struct{}
	Leaser
}

// Leaser gives leases on names. Time is that of the store alone; clocks of processes do not matter.
type Leaser interface {
	// Acquire takes the lease on a name for ttl. It fails with ErrHeld while another lease on the name lasts.
	Acquire(ctx context.Context, name, holder string, ttl time.Duration) (Lease, error)
	// Renew makes a lease last for ttl from now. It fails with ErrFenced once the name was given to another.
	Renew(ctx context.Context, l Lease, ttl time.Duration) error
	// Release ends a lease. It is not an error if it has ended.
	Release(ctx context.Context, l Lease) error
	// Holder returns the lease on a name that lasts now; the zero Lease if there is none.
	Holder(ctx context.Context, name string) (Lease, error)
}

// Lease is the right of one process to do alone what has a name.
type Lease struct {
	Name   string
	Holder string // tells others who has it, such as the URL where it answers
	Fence  uint64 // greater than that of every earlier lease on the name
}

var (
	// ErrHeld is returned by Acquire while another process holds the lease.
	ErrHeld = errors.New("store: another process holds the lease")
	// ErrFenced is returned by an Update under a lease that was given to another process; nothing was written.
	ErrFenced = errors.New("store: the lease was given to another process")
)

type leaseKey struct{}

// Under returns a context whose Updates are committed only as long as the lease has not been given to another: a
// Shared checks the fencing number in the transaction itself. A store of one process ignores it.
func Under(ctx context.Context, l Lease) context.Context {
	return context.WithValue(ctx, leaseKey{}, l)
}

// LeaseOf returns the lease that Under has put into a context.
func LeaseOf(ctx context.Context) (l Lease, under bool) {
	l, under = ctx.Value(leaseKey{}).(Lease)
	return l, under
}

// Place is where a value lies: a key of a table.
type Place struct{ Table, Key string }

// Compare orders places by their tables, then by their keys.
func (p Place) Compare(q Place) int {
	return cmp.Or(strings.Compare(p.Table, q.Table), strings.Compare(p.Key, q.Key))
}

// Places returns the places of keys of a table.
func Places(table string, keys ...string) []Place {
	all := make([]Place, len(keys))
	for i, key := range keys {
		all[i] = Place{table, key}
	}
	return all
}

// ManyGetter is a Getter that reads the values of several places for the price of one.
type ManyGetter interface {
	// GetMany returns the values of places in their order; nil where there is none.
	GetMany(places []Place) ([][]byte, error)
}

// GetMany returns the values of places in their order, at once if the Getter can; nil where there is none.
func GetMany(from Getter, places []Place) ([][]byte, error) {
	if many, can := from.(ManyGetter); can && len(places) > 0 {
		return many.GetMany(places)
	}
	values := make([][]byte, len(places))
	for i, at := range places {
		var err error
		if values[i], err = from.Get(at.Table, at.Key); err != nil {
			return nil, err
		}
	}
	return values, nil
}
