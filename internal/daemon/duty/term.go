package duty

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/ledger/store"
)

// errRanOut is why a term has ended whose lease could not be renewed in time.
var errRanOut = errors.New("the lease was not renewed in time")

// keep renews a lease until it is lost, or ctx ends.
func (k *Keeper) keep(ctx context.Context, t *term) {
	defer close(t.ended)
	defer t.stop()
	for ctx.Err() == nil {
		if !t.lasts() {
			k.lose(t, errRanOut)
			return
		}
		sleep(ctx, min(t.left(), k.ttl/perTTL))
		if ctx.Err() != nil || !t.lasts() {
			continue
		}
		if err := k.renew(ctx, t); errors.Is(err, store.ErrFenced) {
			k.lose(t, err)
			return
		}
	}
}

// renew asks for more time. An answer that does not come counts as none: the lease runs out.
func (k *Keeper) renew(ctx context.Context, t *term) error {
	asked := time.Now()
	timed, cancel := context.WithTimeout(ctx, t.left())
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- k.leases.Renew(timed, t.lease, k.ttl) }()
	var err error
	select {
	case err = <-answered:
	case <-timed.Done():
		err = timed.Err()
	}
	switch {
	case err == nil:
		t.renewed(asked)
	case ctx.Err() == nil && !errors.Is(err, store.ErrFenced):
		k.events.Doubt(err)
		sleep(ctx, min(t.left(), k.ttl/perLook))
	}
	return err
}

// lose ends a term that nobody gave up.
func (k *Keeper) lose(t *term, why error) {
	if t.end(why) {
		k.events.Ended(t.lease, why)
	}
}

// end ends a term once, and reports whether this call did.
func (t *term) end(why error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return false
	}
	t.over, t.why = true, why
	close(t.lost)
	return true
}

func (t *term) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

// renewed counts the time from when a renewal was asked for, unless it came too late to be relied on.
func (t *term) renewed(asked time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.since = asked
}

// lasts reports whether the lease lasts for certain.
func (t *term) lasts() bool { return !t.isOver() && t.left() > 0 }

// left returns how long the lease lasts for certain. The monotonic clock stands still while the machine sleeps, and the
// wall clock may be set: the one that says less counts.
func (t *term) left() time.Duration {
	t.mu.Lock()
	since := t.since
	t.mu.Unlock()
	now := time.Now()
	passed := max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
	return t.ttl - t.ttl/margin - passed
}

// context returns a context under the lease, which ends when the term does.
func (t *term) context(ctx context.Context) (under context.Context, leave func()) {
	under, cancel := context.WithCancelCause(store.Under(ctx, t.lease))
	go func() {
		select {
		case <-t.lost:
			cancel(store.ErrFenced)
		case <-under.Done():
		}
	}()
	return under, func() { cancel(nil) }
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
