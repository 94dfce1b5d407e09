// Package duty says which of the replicas of a log does what only one may do. It holds a lease in the store: who has it
// is on duty until it ends, by its own clocks, and writes under it, so that the store refuses what comes too late.
//
// A term is what a replica does while it is on duty. It ends when the lease is lost or in doubt; another may have begun
// then, on this replica or on another.
package duty

import (
	"context"
	"errors"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/database"
)

// name is that of the lease, which commands that move or verify a log ask for, too.
const name = database.DutyLease

// CodeOffDuty is the code of what only the replica on duty does.
const CodeOffDuty fault.Code = "off_duty"

const (
	// DefaultTTL is how long a lease lasts that is not renewed.
	DefaultTTL = 5 * time.Second
	// LeastTTL leaves time for a renewal over a slow network.
	LeastTTL = time.Second

	perTTL    = 3 // renewals while a lease lasts
	perLook   = 10
	margin    = 10 // a tenth of a lease is not used, since clocks do not run alike
	mostLooks = 500 * time.Millisecond
)

// Events is what the log of a process has to say of its duty.
type Events struct {
	Began func(store.Lease)
	Ended func(l store.Lease, why error) // why is nil where the process gave it up
	Doubt func(error)                    // the lease could not be asked for, or renewed; it is tried again
}

// Keeper keeps the duty of one process. The zero Keeper is always on duty, as the only process of a store is.
type Keeper struct {
	leases store.Leaser
	holder string
	ttl    time.Duration
	events Events

	mu   sync.Mutex
	term *term // the newest one, which may be over; nil before the first
}

// term is one lease, and what is done under it.
type term struct {
	lease store.Lease
	ttl   time.Duration
	stop  context.CancelFunc // ends renewals
	lost  chan struct{}      // closed when it has ended
	ended chan struct{}      // closed when nothing renews it any more

	mu    sync.Mutex
	since time.Time // when the renewal that counts was asked for
	why   error
	over  bool
}

// New returns a keeper that takes leases in the name of a holder, which is where it can be reached.
func New(leases store.Leaser, holder string, ttl time.Duration, events Events) *Keeper {
	return &Keeper{leases: leases, holder: holder, ttl: ttl, events: events}
}

// isAlways reports whether there is no other process to share the duty with.
func (k *Keeper) isAlways() bool { return k == nil || k.leases == nil }

// OnDuty reports whether the process is on duty now.
func (k *Keeper) OnDuty() bool {
	if k.isAlways() {
		return true
	}
	t := k.now()
	return t != nil && t.lasts()
}

func (k *Keeper) now() *term {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.term
}

// Holder returns where the replica on duty answers; "" while there is none.
func (k *Keeper) Holder(ctx context.Context) (string, error) {
	if k.isAlways() || k.OnDuty() {
		return k.address(), nil
	}
	l, err := k.leases.Holder(ctx, name)
	return l.Holder, err
}

// address returns where this replica answers; "" of the only one.
func (k *Keeper) address() string {
	if k.isAlways() {
		return ""
	}
	return k.holder
}

// Enter returns a context for what only the replica on duty does: it ends with the term, and what is written under it
// after that is refused. leave must be called at the end. Off duty it is an error.
//
// Implements: ORC-364
func (k *Keeper) Enter(ctx context.Context) (under context.Context, leave func(), err error) {
	if k.isAlways() {
		return ctx, func() {}, nil
	}
	t := k.now()
	if t == nil || !t.lasts() {
		return nil, nil, fault.New(fault.Unavailable, CodeOffDuty, "another replica is on duty now").
			WithFix("send the request again; it is passed on to the replica on duty")
	}
	under, leave = t.context(ctx)
	return under, leave, nil
}

// Under returns a context whose updates are refused once another has the duty; ctx itself where this process has it
// not.
func (k *Keeper) Under(ctx context.Context) context.Context {
	if k.isAlways() || !k.OnDuty() {
		return ctx
	}
	return store.Under(ctx, k.now().lease)
}

// Try takes the duty if nobody has it, and reports whether the process is on duty. The lease is renewed until Run or
// Close gives it up, or it is lost.
func (k *Keeper) Try(ctx context.Context) (bool, error) {
	if k.OnDuty() {
		return true, nil
	}
	if t := k.now(); t != nil && !t.isOver() {
		return false, nil // it has run out, and is not renewed any more
	}
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, k.ttl)
	defer cancel()
	lease, err := k.leases.Acquire(ctx, name, k.holder, k.ttl)
	if errors.Is(err, store.ErrHeld) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	t := &term{lease: lease, ttl: k.ttl, stop: stop, since: asked,
		lost: make(chan struct{}), ended: make(chan struct{})}
	k.mu.Lock()
	k.term = t
	k.mu.Unlock()
	k.events.Began(lease)
	go k.keep(renewing, t)
	return t.lasts(), nil
}

// Run takes the duty whenever nobody else has it, until ctx ends, and runs do in each term, with a context that is
// under the lease and ends with it. It begins no term before the last one has ended. At the end it gives the duty up,
// when do has returned, and returns the error of do if that is how it ended then.
//
// Implements: ORC-363
func (k *Keeper) Run(ctx context.Context, do func(context.Context) error) error {
	if k.isAlways() {
		return do(ctx)
	}
	var last error
	for ctx.Err() == nil {
		on, err := k.Try(ctx)
		if err != nil && ctx.Err() == nil {
			k.events.Doubt(err)
		}
		if !on {
			sleep(ctx, min(k.ttl/perLook, mostLooks))
			continue
		}
		t := k.now()
		under, leave := t.context(ctx)
		err = do(under)
		leave()
		if ctx.Err() != nil {
			last = err
		}
		if t.lasts() && ctx.Err() == nil {
			sleep(ctx, min(k.ttl/perLook, mostLooks)) // do has ended by itself: it is done again
		}
	}
	k.Close()
	return last
}

// Close gives up the duty, if the process has it.
func (k *Keeper) Close() {
	if k.isAlways() {
		return
	}
	t := k.now()
	if t == nil {
		return
	}
	t.stop()
	<-t.ended
	if t.end(nil) {
		ctx, cancel := context.WithTimeout(context.Background(), k.ttl/perTTL)
		defer cancel()
		if err := k.leases.Release(ctx, t.lease); err != nil {
			k.events.Doubt(err) // it ends by itself
		}
		k.events.Ended(t.lease, nil)
	}
}
