package pgstore

import (
	"context"
	"sync/atomic"

	"orchestrator/internal/ledger/store"
)

// update is one call of Update on its way through the writer.
type update struct {
	run   func(store.Tx) error
	lease *store.Lease // under which it is made; nil: none
	done  chan error   // gets the outcome, once
	taken atomic.Bool
	ours  bool  // the writer has claimed it; the writer's
	err   error // the outcome of run; the writer's
}

func newUpdate(ctx context.Context, fn func(store.Tx) error) *update {
	u := &update{done: make(chan error, 1)}
	if lease, under := store.LeaseOf(ctx); under {
		u.lease = &lease
	}
	u.run = func(tx store.Tx) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(tx)
	}
	return u
}

// claim decides, once, whether the writer runs the update or its caller gives it up.
func (u *update) claim() bool { return u.taken.CompareAndSwap(false, true) }

// mine claims the update for the writer, and reports whether it has it.
func (u *update) mine() bool {
	u.ours = u.ours || u.claim()
	return u.ours
}

// isWaiting reports whether somebody waits for the outcome.
func (u *update) isWaiting() bool { return u.ours || !u.taken.Load() }
