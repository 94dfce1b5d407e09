package moving

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/database"
)

// The lease of the process that does alone what one must do, as services take it.
const (
	leaseName = database.DutyLease
	holder    = "orchestrator migrate"
)

// leaseTime is how long a lease of a move lasts without being renewed.
const leaseTime = 10 * time.Second

// hold takes the lease of the service on duty, so that no service is on duty meanwhile, and nobody else moves the log.
// What is written with the context is written only as long as the lease lasts. A store of one process has no lease.
func hold(ctx context.Context, s store.Store, name string, ttl time.Duration) (under context.Context, release func(),
	err error) {
	shared, is := s.(store.Leaser)
	if !is {
		return ctx, func() {}, nil
	}
	lease, err := acquire(ctx, shared, name, ttl)
	if err != nil {
		return nil, nil, err
	}
	under, lost := context.WithCancelCause(store.Under(ctx, lease))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		lost(renew(under, shared, lease, ttl))
	}()
	return under, func() {
		lost(nil)
		<-ended
		given, stop := context.WithTimeout(context.WithoutCancel(ctx), ttl)
		defer stop()
		_ = shared.Release(given, lease) // it ends by itself soon
	}, nil
}

// acquire takes the lease. That of a move which was killed ends by itself.
func acquire(ctx context.Context, s store.Leaser, name string, ttl time.Duration) (store.Lease, error) {
	ctx, stop := context.WithTimeout(ctx, 2*ttl)
	defer stop()
	for {
		lease, err := s.Acquire(ctx, leaseName, holder, ttl)
		if !errors.Is(err, store.ErrHeld) {
			return lease, err
		}
		other, err := s.Holder(ctx, leaseName)
		if err != nil {
			return lease, err
		}
		if other.Holder != holder && other.Holder != "" {
			return lease, fault.New(fault.Conflict, codeInUse, "the service at %s uses %s", other.Holder, name).
				WithFix(stopFirst)
		}
		select {
		case <-ctx.Done():
			return lease, fault.New(fault.Conflict, codeBusy, "another process moves a log from or to %s", name).
				WithFix("wait until it has ended")
		case <-time.After(ttl / 50):
		}
	}
}

// renew renews a lease until the context ends, or the lease is lost.
func renew(ctx context.Context, s store.Leaser, lease store.Lease, ttl time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(ttl / 4):
		}
		if err := s.Renew(ctx, lease, ttl); errors.Is(err, store.ErrFenced) {
			return err
		}
	}
}
