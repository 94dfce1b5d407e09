// Package turns bounds how many reviews of the project are in memory: one is made at a time, and each actor has one
// under way until its client has read it.
package turns

import (
	"context"
	"sync"

	"orchestrator/internal/rules/lifecycle"
)

// Reviews lets one review of the project be made at a time, and each actor have one under way until its client has read
// it. It is safe for concurrent use.
type Reviews struct {
	Making chan struct{} // the turn to make one

	mu      sync.Mutex
	byActor map[lifecycle.Actor]chan struct{}
}

// New returns the turns of a service.
func New() *Reviews {
	return &Reviews{Making: make(chan struct{}, 1), byActor: map[lifecycle.Actor]chan struct{}{}}
}

// Of returns the turn of an actor.
func (v *Reviews) Of(who lifecycle.Actor) chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byActor[who] == nil {
		v.byActor[who] = make(chan struct{}, 1)
	}
	return v.byActor[who]
}

// Take waits for a turn, which is given back by receiving from it.
func Take(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
