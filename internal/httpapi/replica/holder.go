package replica

import (
	"context"
	"sync"
	"time"
)

const (
	fresh      = 100 * time.Millisecond // how old the answer may be to who is on duty, for a request that begins
	watching   = time.Second            // and for one that was passed on
	holderTime = 2 * time.Second        // how long the store may take to say it
)

// seen remembers for a moment who is on duty, so that many requests ask the store once. The zero value knows nothing.
type seen struct {
	asking sync.Mutex

	mu  sync.Mutex
	url string
	err error
	at  time.Time // when this was answered
}

// holder returns the URL of the replica on duty, as it was known at most so long ago; "" if there is none.
func (s *seen) holder(ctx context.Context, d Duty, age time.Duration) (string, error) {
	since := time.Now().Add(-age)
	if url, known, err := s.known(since); known {
		return url, err
	}
	begun := time.Now()
	s.asking.Lock()
	defer s.asking.Unlock()
	if url, known, err := s.known(begun); known { // by whoever asked meanwhile
		return url, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), holderTime) // others wait for the answer, too
	defer cancel()
	url, err := d.Holder(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url, s.err, s.at = url, err, time.Now()
	return url, err
}

func (s *seen) known(since time.Time) (url string, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url, s.at.After(since), s.err
}
