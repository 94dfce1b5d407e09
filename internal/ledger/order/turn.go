package order

import "sync"

// turn lets callers wait until the log moves on, or fails. It is used under the lock of its owner.
type turn struct {
	sync.Cond
	grown chan struct{} // closed at the end of the turn; nil while nobody has asked for it
}

// end wakes all who wait.
func (t *turn) end() {
	t.Broadcast()
	if t.grown != nil {
		close(t.grown)
		t.grown = nil
	}
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
