package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"orchestrator/internal/ledger/store"
)

var errFault = errors.New("storetest: a fault on order")

// Fault is one of a pair: a commit that failed, or one that happened although the answer was an error.
type Fault struct {
	Apply bool  // the change happens
	Err   error // what the commit says; Update returns it wrapped together with store.ErrCommit
}

// Faulty is a store whose commits fail on order. It serves on after a fault, so that a test sees whether its
// user stops; what is then in the store can be read from the store it was made of.
type Faulty struct {
	store.Store
	mu     sync.Mutex
	faults []Fault
}

// NewFaulty wraps s.
func NewFaulty(s store.Store) *Faulty { return &Faulty{Store: s} }

// Next orders a fault for the next Update that would commit. Several orders are served in turn.
func (f *Faulty) Next(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fault)
}

// Update commits, or does what the next fault says. An update that fails by itself leaves the fault for another.
func (f *Faulty) Update(ctx context.Context, fn func(store.Tx) error) error {
	fault, ok := f.take()
	if !ok {
		return f.Store.Update(ctx, fn)
	}
	errNotApplied := errors.New("not applied")
	err := f.Store.Update(ctx, func(tx store.Tx) error {
		if err := fn(tx); err != nil || fault.Apply {
			return err
		}
		return errNotApplied
	})
	if err != nil && !errors.Is(err, errNotApplied) {
		f.giveBack(fault)
		return err
	}
	return fmt.Errorf("%w: %w", store.ErrCommit, cmp.Or(fault.Err, errFault))
}

func (f *Faulty) take() (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.faults) == 0 {
		return Fault{}, false
	}
	fault := f.faults[0]
	f.faults = f.faults[1:]
	return fault, true
}

func (f *Faulty) giveBack(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append([]Fault{fault}, f.faults...)
}
