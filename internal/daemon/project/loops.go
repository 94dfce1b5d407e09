package project

import (
	"context"
	"errors"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/requirements"
)

const (
	boundaryEvery = time.Second // how often the boundary's journal is looked at
	forgetEvery   = time.Hour   // how often Idempotency-Keys are removed that nobody may use any more
)

// loop is what goes on until its context ends. Its name labels its goroutines.
type loop struct {
	name string
	run  func(context.Context) error
}

// endless makes a loop of what ends with its context alone.
func endless(run func(context.Context)) func(context.Context) error {
	return func(ctx context.Context) error {
		run(ctx)
		return nil
	}
}

// loops run at the same time.
type loops []loop

// run runs all loops until ctx ends.
func (all loops) run(ctx context.Context) error {
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for i, l := range all {
		running.Go(func() {
			pprof.Do(ctx, pprof.Labels("loop", l.name), func(ctx context.Context) { errs[i] = l.run(ctx) })
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// runBefore runs all loops until ctx ends, and last until all of them have ended.
func (all loops) runBefore(ctx context.Context, last loop) error {
	lasting, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- loops{last}.run(lasting) }()
	err := all.run(ctx)
	stop()
	return errors.Join(err, <-ended)
}

// forgetKeys forgets Idempotency-Keys that nobody may use any more, from time to time.
func forgetKeys(ctx context.Context, service *requirements.Service, log zerolog.Logger) {
	ticks := time.NewTicker(forgetEvery)
	defer ticks.Stop()
	for {
		for n := 1; n > 0 && ctx.Err() == nil; {
			var err error
			if n, err = service.ForgetKeys(ctx); err != nil {
				log.Warn().Err(err).Msg("old idempotency keys were not removed")
				break
			}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// followBoundary takes the boundary's journal into the ledger until ctx ends.
func followBoundary(ctx context.Context, b *control.Boundary, log zerolog.Logger) {
	b.Watch(ctx, boundaryEvery, func(err error) {
		log.Warn().Err(err).Msg("the boundary's journal could not be recorded; it is tried again")
	})
}
