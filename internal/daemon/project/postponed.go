package project

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
)

// catchUpEvery is how often work is tried again that a full disk put off.
const catchUpEvery = time.Second

// isFull reports whether nothing is wrong but that the disk has no room.
func isFull(err error) bool {
	return errors.Is(err, fault.InsufficientStorage) ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// postponed is the work that a full disk put off, by name.
type postponed struct {
	full func() error // the error of the store while the disk is full
	log  zerolog.Logger

	mu   sync.Mutex
	work map[string]func(context.Context) error
}

// add keeps work to be done when there is room. Work of the same name takes its place.
func (p *postponed) add(name string, cause error, work func(context.Context) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.work == nil {
		p.work = map[string]func(context.Context) error{}
	}
	p.work[name] = work
	p.log.Warn().Err(cause).Str("work", name).Msg("the disk is full: this is done as soon as there is room")
}

// tryNow does work now, and puts it off if the disk is full; every other error is returned.
func (p *postponed) tryNow(ctx context.Context, name string, work func(context.Context) error) error {
	err := work(ctx)
	if isFull(err) {
		p.add(name, err, work)
		return nil
	}
	return err
}

// catchUp does what was put off, until ctx ends.
func (p *postponed) catchUp(ctx context.Context) {
	for p.awaitRoom(ctx) {
		p.mu.Lock()
		work := p.work
		p.work = nil
		p.mu.Unlock()
		for name, do := range work {
			err := do(ctx)
			switch {
			case isFull(err):
				p.add(name, err, do)
			case err != nil:
				p.log.Error().Err(err).Str("work", name).Msg("what a full disk put off has failed")
			default:
				p.log.Info().Str("work", name).Msg("what a full disk put off is done")
			}
		}
	}
}

// awaitRoom waits a moment, and then until the database has room for changes. It reports false when ctx has ended.
func (p *postponed) awaitRoom(ctx context.Context) bool {
	ticks := time.NewTicker(catchUpEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			if p.full() == nil {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}

// check reports whether changes are refused for want of room.
func (p *postponed) check() httpapi.Check {
	if p.full() != nil {
		return httpapi.Check{Name: "room", Status: httpapi.CheckWarning,
			Detail: "the disk is full: changes are refused, reads go on"}
	}
	return httpapi.Check{Name: "room", Status: httpapi.CheckOK}
}

// startNeedsRoom explains why a start that has to put something on record cannot go on without room.
func startNeedsRoom(err error) error {
	if !isFull(err) {
		return err
	}
	return fault.New(fault.InsufficientStorage, "disk_full",
		"the disk is full, and this start has something to record first").
		WithFix("make room; or start with the flags and the key of the last start, which needs no record and serves " +
			"what there is").Because(err)
}
