package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orchestrator/internal/system/child"
)

// fill takes the room of the disk away, and gives it back. A service that lives on must take changes again; one that
// ends must start again, at the latest when there is room.
func (r *run) fill(ctx context.Context) error {
	r.begin()
	if err := r.sleep(ctx, killWindow); err != nil {
		return err
	}
	free, err := r.disk.fill()
	if err != nil {
		return err
	}
	err = r.whileFull(ctx)
	if err := errors.Join(err, free()); err != nil {
		return err
	}
	select {
	case <-r.service.Ended():
		return nil
	default:
	}
	before := r.account.tally().Acknowledged
	for end := time.Now().Add(stopPatience); time.Now().Before(end); {
		if r.account.tally().Acknowledged > before+clients {
			r.tally.note("took changes again")
			return nil
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	r.misbehaved("no change was taken in %v after there was room again", stopPatience)
	return nil
}

// whileFull watches a service whose disk is full for some seconds. One that has ended is started again, which may fail.
func (r *run) whileFull(ctx context.Context) error {
	select {
	case <-r.service.Ended():
	case <-time.After(3 * time.Second):
		r.tally.note(fmt.Sprintf("lived on, answering %d", r.load.last.Load()))
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	r.ended("a full disk")
	again, err := child.Start(ctx, r.command())
	if err != nil {
		r.tally.note("did not start on the full disk")
		return ctx.Err()
	}
	again.Kill()
	r.tally.note("started on the full disk")
	return nil
}
