package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/storage"
)

// LockPatience is how long is waited for a database; a service that has it will not let go.
const LockPatience = 500 * time.Millisecond

// Compacted is what Compact reports.
type Compacted struct {
	Before  int64          `json:"before"` // bytes of the file
	After   int64          `json:"after"`
	Records uint64         `json:"records"`
	Root    string         `json:"root"`
	Tables  map[string]int `json:"tables"` // entries
}

// Compact writes the database file anew without its free pages. The new file takes the place of the old one only when
// it has the same log and the same tables. Nothing is changed or decided, so that nothing is recorded. A log in a
// database is refused: its server makes room by itself.
func Compact(ctx context.Context, place storage.Place) (done Compacted, err error) {
	if place.IsShared() {
		return done, fault.New(fault.Conflict, "compact_no_file", "there is no file to compact: the log lies in %s",
			place).
			WithFix("PostgreSQL uses free space again by itself (autovacuum); VACUUM FULL gives it back to the disk, " +
				"and stops every change meanwhile")
	}
	data := place.Data()
	path, err := Existing(ctx, place)
	if err != nil {
		return done, err
	}
	s, err := boltstore.Open(path, boltstore.Options{LockTimeout: LockPatience})
	if err != nil {
		return done, InUse(ctx, err, data, stopFirst)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Check(); err != nil {
		return done, err
	}
	l, err := openSound(ctx, s)
	if err != nil {
		return done, NameUpgrade(err, data)
	}
	before := l.Head()
	c, err := s.Compact(ctx, func(copied store.Store) error {
		l, err := openSound(ctx, copied)
		if err == nil && !l.Head().Equal(before) {
			err = fmt.Errorf("the log of the copy is another: %d records with root %s", l.Head().Size, l.Head().Root)
		}
		return err
	})
	return Compacted{c.Before, c.After, before.Size, before.Root.String(), c.Entries}, err
}

// openSound opens the ledger of a store in which the end of the log and the check sums of all tables are in order.
func openSound(ctx context.Context, s store.Store) (*ledger.Ledger, error) {
	l, err := ledger.OpenReadOnly(ctx, s)
	if err != nil {
		return nil, err
	}
	return l, l.CheckSums(ctx)
}
