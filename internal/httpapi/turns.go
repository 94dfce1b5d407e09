package httpapi

import (
	"context"
	"sync"

	"orchestrator/internal/rules/lifecycle"
)

// reviews lets one review of the project be made at a time, and each actor have one under way until its client has read
// it. So no number of requests becomes as many reviews in memory.
type reviews struct {
	making chan struct{}

	mu      sync.Mutex
	byActor map[lifecycle.Actor]chan struct{}
}

func newReviews() *reviews {
	return &reviews{making: make(chan struct{}, 1), byActor: map[lifecycle.Actor]chan struct{}{}}
}

// of returns the turn of an actor.
func (v *reviews) of(who lifecycle.Actor) chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byActor[who] == nil {
		v.byActor[who] = make(chan struct{}, 1)
	}
	return v.byActor[who]
}

// take waits for a turn, which is given back by receiving from it.
func take(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
