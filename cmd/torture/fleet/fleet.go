package fleet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// Fleet is replicas of one project on one database, under load.
type Fleet struct {
	Project  *Project
	Database *Database
	Load     *Load
	Silences []time.Duration // after each promotion, the longest one until work went on

	networks []*postgres.Proxy // of the replicas, in their order
	rng      *rand.Rand
	say      func(format string, args ...any)
}

// How long things last that are not timed on purpose.
const (
	leastBreak = 100 * time.Millisecond
	mostBreak  = 1200 * time.Millisecond
	patience   = 30 * time.Second // for work to go on after a strike
	settled    = 10               // acknowledged changes are work that goes on
)

// New starts a project with so many replicas on a database. What it is told to say is progress.
func New(ctx context.Context, p *Project, d *Database, replicas int, seed uint64,
	say func(string, ...any)) (*Fleet, error) {
	f := &Fleet{Project: p, Database: d, Load: NewLoad(p), say: say}
	f.rng = rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // choices that can be repeated
	for range replicas {
		network, err := d.Network()
		if err != nil {
			return nil, err
		}
		f.networks = append(f.networks, network)
		if _, err := p.Join(ctx, network.URL("")); err != nil {
			return nil, err
		}
	}
	f.Load.Target(p.Replicas()...)
	return f, nil
}

// Strike is something that breaks, and is whole again when it returns.
type Strike struct {
	Name   string
	strike func(*Fleet, context.Context) error
}

// The strikes.
var (
	Promotion = Strike{"the primary is killed, and the standby promoted", (*Fleet).promote}
	Partition = Strike{"a replica is cut off from the database", (*Fleet).partition}
	Kill      = Strike{"a replica is killed", (*Fleet).kill}
	Pause     = Strike{"a replica is stopped for a while", (*Fleet).pause}
)

// Run strikes once with each, under the load of so many clients, and returns when the load has ended.
func (f *Fleet) Run(ctx context.Context, clients int, strikes ...Strike) error {
	f.Load.Begin(clients, f.rng.Uint64())
	for i, s := range strikes {
		err := f.goesOn(ctx)
		if err == nil {
			err = f.rest(ctx)
		}
		if err == nil {
			err = s.strike(f, ctx)
		}
		if err == nil {
			err = f.goesOn(ctx)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("strike %d, %s: %w", i+1, s.Name, err), f.Load.End())
		}
		f.say("strike %d: %s; %d changes are acknowledged", i+1, s.Name, f.Load.Acknowledged())
	}
	return f.Load.End()
}

// rest waits for a random time.
func (f *Fleet) rest(ctx context.Context) error {
	select {
	case <-time.After(leastBreak + time.Duration(f.rng.Int64N(int64(mostBreak-leastBreak)))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// goesOn waits until some more changes are acknowledged.
func (f *Fleet) goesOn(ctx context.Context) error {
	before := f.Load.Acknowledged()
	for end := time.Now().Add(patience); f.Load.Acknowledged() < before+settled; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(end) {
			return fmt.Errorf("work does not go on within %v", patience)
		}
	}
	return nil
}

// promote fails the database over, and measures the silence after it.
func (f *Fleet) promote(ctx context.Context) error {
	promoted, err := f.Database.FailOver(ctx)
	if err != nil {
		return err
	}
	if err := f.goesOn(ctx); err != nil {
		return err
	}
	silence := f.Load.Silence(promoted, time.Now())
	f.Silences = append(f.Silences, silence)
	f.say("after the promotion there was silence for %v at most", silence)
	return f.Database.Renew(ctx)
}

// any chooses a replica.
func (f *Fleet) any() int { return f.rng.IntN(len(f.networks)) }

// partition cuts a replica off, half of the times so that nothing tells it.
func (f *Fleet) partition(ctx context.Context) error {
	network := f.networks[f.any()]
	if f.rng.IntN(2) == 0 {
		network.Hold()
	} else {
		network.Cut()
	}
	err := f.rest(ctx)
	network.Heal()
	return err
}

// kill kills a replica, and starts it again.
func (f *Fleet) kill(ctx context.Context) error {
	all := f.Project.Replicas()
	at := f.any()
	all[at].Kill()
	f.Load.Target(slices.Delete(slices.Clone(all), at, at+1)...)
	if err := f.rest(ctx); err != nil {
		return err
	}
	if err := all[at].Start(ctx); err != nil {
		return err
	}
	f.Load.Target(all...)
	return nil
}

// pause stops a replica for longer than a lease lasts, half of the times.
func (f *Fleet) pause(ctx context.Context) error {
	r := f.Project.Replicas()[f.any()]
	if err := r.Pause(); err != nil {
		return err
	}
	err := f.rest(ctx)
	return errors.Join(err, r.Resume())
}

// Judge requires of every replica that it shows what the clients were told, and of all answers together that one
// service could have given them. The load has ended.
func (f *Fleet) Judge(within time.Duration) (Judgement, error) {
	var j Judgement
	for _, r := range f.Project.Replicas() {
		var err error
		if j, err = f.Load.Judge(r); err == nil {
			err = j.Err()
		}
		if err != nil {
			return j, fmt.Errorf("%s: %w; the end of its log:\n%s", r.Name, err, r.LastLog())
		}
	}
	return j, f.Load.Linearizable(within)
}
