package onefile

import (
	"context"
)

// ErrThin is what allocate returns of a file system that sets no blocks aside.
var ErrThin = errThin

// OnDisk puts other functions between the store and its file system.
func (s *Store) OnDisk(wrap func(free func() (int64, error), allocate func(int64) error) (func() (int64, error), func(int64) error)) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.free, s.room.allocate = wrap(s.room.free, s.room.allocate)
}

// Look is what happens every second.
func (s *Store) Look() {
	_ = s.checkNow()
	s.lookForRoom()
}

// Foreign tells whether another hand was seen to change the file.
func (s *Store) Foreign() bool { return s.anchor.foreign.Load() }

// WalkForeign looks at the whole file then.
func (s *Store) WalkForeign() { s.walkForeign() }

// CompactReaching is Compact with a function that is told of every step.
func (s *Store) CompactReaching(ctx context.Context, accept func(*Store) error, reached func(step string) error) (Compacted, error) {
	return s.compact(ctx, accept, reached)
}

// Fail ends the store, as a look at its file does.
func (s *Store) Fail(err error) { _ = s.fail(err) }
