// Package joining lets a process serve a log beside others: it takes the duty or finds that another has it, waits for a
// log that another begins, and refuses the log of another project, and options that would change what is on record in
// turns.
package joining

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/storage"
)

const (
	rememberEvery = time.Second            // how often, at most, the data folder is told how far the log has come
	firstWait     = time.Minute            // for the replica that begins the log
	firstLook     = 100 * time.Millisecond // whether it has
)

// Replica is a process that is about to serve the log in a place.
type Replica struct {
	Place     storage.Place
	Data      datadir.Dir
	Lease     time.Duration // 0 is duty.DefaultTTL
	Advertise string        // where other replicas reach it; "" is URL
	URL       string
	Log       zerolog.Logger
}

// TakeDuty takes the duty if nobody has it. In a store without a log the replica that has it begins the log, if fresh
// lets it, and all others wait for that. It returns nil for a store that no other process has.
func (r Replica) TakeDuty(ctx context.Context, s storage.Store,
	fresh func(context.Context) error) (*duty.Keeper, error) {
	shared := storage.Shared(s)
	if shared == nil {
		return nil, nil
	}
	r.warnOfUnreachable()
	keeper := duty.New(shared, cmp.Or(r.Advertise, r.URL), cmp.Or(r.Lease, duty.DefaultTTL), events(r.Log))
	err := r.await(ctx, func(ctx context.Context) (bool, error) {
		on, err := keeper.Try(ctx)
		if err != nil {
			return false, err
		}
		empty, err := storage.IsEmpty(ctx, s)
		if err == nil && empty && on {
			err = fresh(ctx)
		}
		return on || !empty, err
	})
	if err != nil {
		keeper.Close()
		return nil, err
	}
	return keeper, nil
}

// await looks until it is done, for as long as a replica waits for the one that begins the log.
func (r Replica) await(ctx context.Context, look func(context.Context) (done bool, err error)) error {
	ctx, stop := context.WithTimeout(ctx, firstWait)
	defer stop()
	for {
		if done, err := look(ctx); done || err != nil {
			return err
		}
		select {
		case <-time.After(firstLook):
		case <-ctx.Done():
			return fault.New(fault.Unavailable, "log_not_begun", "%s holds no log, and the replica on duty begins none",
				r.Place).WithFix("see what keeps that replica from starting, or stop it").Because(ctx.Err())
		}
	}
}

// warnOfUnreachable logs that other machines cannot pass requests on to this replica.
func (r Replica) warnOfUnreachable() {
	u, err := url.Parse(r.URL)
	if err != nil || r.Advertise != "" {
		return
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		r.Log.Warn().Str("url", r.URL).Msg("replicas on other machines cannot reach this address, to which they pass " +
			"on what only the replica on duty does: --advertise URL says where they can")
	}
}

// events logs what becomes of the duty.
func events(log zerolog.Logger) duty.Events {
	return duty.Events{
		Began: func(l store.Lease) { log.Info().Uint64("fence", l.Fence).Msg("on duty") },
		Ended: func(l store.Lease, why error) {
			if why == nil {
				log.Info().Uint64("fence", l.Fence).Msg("the duty is given up")
				return
			}
			log.Warn().Err(why).Uint64("fence", l.Fence).
				Msg("the duty is lost: another replica may have it; what was begun under it writes nothing more")
		},
		Doubt: func(err error) { log.Warn().Err(err).Msg("the duty could not be asked for; it is tried again") },
	}
}

// Remember writes into the data folder how far a log has come that lies elsewhere, until ctx ends.
//
// Implements: ORC-362
func (r Replica) Remember(ctx context.Context, l *ledger.Ledger) {
	if !r.Place.IsShared() {
		return
	}
	ticks := time.NewTicker(rememberEvery)
	defer ticks.Stop()
	for remembered := uint64(0); ; {
		if head := l.Head(); head.Size != remembered && l.Err() == nil {
			if err := r.Place.Remember(head.Size, head.Root); err != nil {
				r.Log.Warn().Err(err).Msg("the data folder could not be told how far the log has come")
			}
			remembered = head.Size
		}
		if ctx.Err() != nil {
			return
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}
