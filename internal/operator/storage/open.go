package storage

import (
	"context"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// Store is an open store, and how it fares.
type Store interface {
	store.Store
	// Failed returns a channel that is closed when the store can no longer be written; Err then says why.
	Failed() <-chan struct{}
	Err() error
	// Full returns the error of changes that are refused for want of room, or nil.
	Full() error
	Stats() Stats
}

// Stats are counts since the store was opened.
type Stats struct {
	Batches uint64 // transactions made durable
	Updates uint64 // updates committed in them
	Failed  uint64 // updates that committed nothing
	Trips   uint64 // round trips to the database; 0 of a file
	Size    int64  // bytes of the file; 0 of a database
	WAL     bool   // changes are appended to the write-ahead log of the file
}

// Options say how a store is opened.
type Options struct {
	ReadOnly          bool
	Migrate           bool          // of a database: bring an older schema up to date
	WAL               bool          // of a file: append changes to a WAL beside it, for a service
	AcceptDamagedHead bool          // of a file: open it although its last commits may be lost
	LockTimeout       time.Duration // of a file: how long to wait for whoever has it open; 0 is two seconds
}

// Open opens the store, and makes a file where there is none unless it is to be read only.
func (p Place) Open(ctx context.Context, o Options) (Store, error) {
	switch {
	case p.open != nil:
		opened, err := p.open(ctx)
		if err != nil {
			return nil, err
		}
		return asShared(opened), nil
	case p.url != "":
		return openPostgres(ctx, p.url, o)
	}
	opened, err := boltstore.Open(p.data.Database(), boltstore.Options{ReadOnly: o.ReadOnly,
		WAL: o.WAL, AcceptDamagedHead: o.AcceptDamagedHead, LockTimeout: o.LockTimeout})
	if err != nil {
		return nil, err
	}
	return file{opened}, nil
}

// Shared returns the part of an open store that other processes share; nil of a file.
func Shared(s Store) store.Shared {
	shared, _ := s.(store.Shared)
	return shared
}

// IsEmpty reports whether a store has no log yet.
func IsEmpty(ctx context.Context, s store.Store) (bool, error) {
	_, err := ledger.OpenReadOnly(ctx, s)
	if fault.Is(err, ledger.CodeEmpty) {
		return true, nil
	}
	return false, err
}

// Rescue copies the file of a store that has failed, where no path leads to it any more, and returns where the copy is;
// "" where there is nothing to copy.
func Rescue(s Store, now time.Time) (saved string, err error) {
	if f, is := s.(file); is {
		return boltstore.Rescue(f.Store, now)
	}
	return "", nil
}

// file is a store in the data folder.
type file struct{ *boltstore.Store }

// Stats implements Store.
func (f file) Stats() Stats {
	s := f.Store.Stats()
	return Stats{Batches: s.Batches, Updates: s.Updates, Failed: s.Failed, Size: s.Size, WAL: s.WAL}
}

// asShared returns a shared store as a Store. One that does not say how it fares never fails.
func asShared(s store.Shared) Store {
	if fares, does := s.(interface {
		store.Shared
		Store
	}); does {
		return fares
	}
	return lasting{s, make(chan struct{})}
}

// lasting is a shared store that does not say how it fares.
type lasting struct {
	store.Shared

	never chan struct{}
}

// Failed implements Store.
func (l lasting) Failed() <-chan struct{} { return l.never }

// Err implements Store.
func (l lasting) Err() error { return nil }

// Full implements Store.
func (l lasting) Full() error { return nil }

// Stats implements Store.
func (l lasting) Stats() Stats { return Stats{} }
