// Package turn lets one at a time do something, and whoever waits for that leave when its context ends.
package turn

import "context"

// Turn is what one at a time has. It is safe for concurrent use.
type Turn chan struct{}

// New returns a turn that nobody has.
func New() Turn { return make(Turn, 1) }

// Take waits for the turn, which is given back with Leave. It is an error if the context ends before.
func (t Turn) Take(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Leave gives the turn back.
func (t Turn) Leave() { <-t }
