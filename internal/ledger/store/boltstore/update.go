package boltstore

import (
	"sync/atomic"

	"orchestrator/internal/ledger/store"
)

// update is one call of Update on its way through the writer.
type update struct {
	run   func(store.Tx) error
	done  chan error // gets the outcome, once
	taken atomic.Bool
	ours  bool  // the writer has claimed it; the writer's
	err   error // the outcome of run; the writer's
}

// claim decides, once, whether the writer runs the update or its caller gives it up.
func (u *update) claim() bool { return u.taken.CompareAndSwap(false, true) }
