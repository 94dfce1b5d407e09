package project

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/requirements/documents"
)

const (
	rememberEvery = time.Second            // how often, at most, the data folder is told how far the log has come
	firstWait     = time.Minute            // for the replica that begins the log
	firstLook     = 100 * time.Millisecond // whether it has
)

// Run runs what has to happen while the project is open, until ctx ends, and requests, which lasts until those of the
// process have ended. Each may write to the log while it ends, so the last export is written when all of them have.
// What one replica does at a time is run while this one is on duty.
func (p *Project) Run(ctx context.Context, requests func(context.Context)) error {
	all := append(slices.Clone(p.loops), loop{"requests", endless(requests)})
	if p.data.duty == nil {
		return append(all, p.onDuty...).runBefore(ctx, loop{"export", p.Service.Run})
	}
	all = append(all, loop{"duty", func(ctx context.Context) error { return p.data.duty.Run(ctx, p.serveTerm) }})
	return all.runBefore(ctx, loop{"service", p.Service.Run})
}

// serveTerm does what the replica on duty does, until the duty ends.
//
// Implements: ORC-365
func (p *Project) serveTerm(ctx context.Context) error {
	if err := tokens.InLedger(p.Ledger).EndMinted(ctx); err != nil {
		return err
	}
	if err := p.runs.begin(ctx); err != nil {
		return err
	}
	return p.onDuty.runBefore(ctx, loop{"export", p.Service.Export})
}

// Duty returns what says whether this process is on duty; nil where no other has the store.
func (p *Project) Duty() *duty.Keeper { return p.data.duty }

// join takes the duty if nobody has it. In a store without a log the replica that has it begins the log, and all others
// wait for that.
func (p *Plan) join(ctx context.Context, docs documents.Set, s storage.Store, around Process) (*duty.Keeper, error) {
	shared := storage.Shared(s)
	if shared == nil {
		return nil, nil
	}
	holder := cmp.Or(p.Advertise, around.URL)
	warnOfUnreachable(p.Advertise, holder, around.Log)
	keeper := duty.New(shared, holder, cmp.Or(p.Lease, duty.DefaultTTL), dutyEvents(around.Log))
	ctx, stop := context.WithTimeout(ctx, firstWait)
	defer stop()
	for {
		on, err := keeper.Try(ctx)
		var empty bool
		if err == nil {
			empty, err = storage.IsEmpty(ctx, s)
		}
		if err == nil && empty && on {
			err = p.checkEmpty(ctx, docs)
		}
		if err != nil {
			keeper.Close()
			return nil, err
		}
		if on || !empty {
			return keeper, nil
		}
		select {
		case <-time.After(firstLook):
		case <-ctx.Done():
			return nil, p.notBegun(ctx.Err())
		}
	}
}

// notBegun is the error of a log that another replica was to begin.
func (p *Plan) notBegun(cause error) error {
	return fault.New(fault.Unavailable, "log_not_begun", "%s holds no log, and the replica on duty begins none", p.Store).
		WithFix("see what keeps that replica from starting, or stop it").Because(cause)
}

// warnOfUnreachable logs that other machines cannot pass requests on to this replica.
func warnOfUnreachable(advertised, holder string, log zerolog.Logger) {
	u, err := url.Parse(holder)
	if err != nil || advertised != "" {
		return
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		log.Warn().Str("url", holder).Msg("replicas on other machines cannot reach this address, to which they pass on " +
			"what only the replica on duty does: --advertise URL says where they can")
	}
}

// dutyEvents logs what becomes of the duty.
func dutyEvents(log zerolog.Logger) duty.Events {
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

// rememberLog tells the data folder how far the log has come that lies elsewhere, until ctx ends.
//
// Implements: ORC-362
func (p *Plan) rememberLog(ctx context.Context, d *dataFolder) {
	if !p.Store.IsShared() {
		return
	}
	ticks := time.NewTicker(rememberEvery)
	defer ticks.Stop()
	for remembered := uint64(0); ; {
		head := d.ledger.Head()
		if head.Size != remembered && d.ledger.Err() == nil {
			if err := p.Store.Remember(head.Size, head.Root); err != nil {
				d.log.Warn().Err(err).Msg("the data folder could not be told how far the log has come")
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
