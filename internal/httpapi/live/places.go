package live

import (
	"sync"
	"time"

	"orchestrator/internal/fault"
)

// How many streams and waits there are at once.
const (
	mostOpen        = 2048
	mostOpenOfToken = 128
	retryFull       = 5 * time.Second
)

// places counts the streams and waits that are open, of all and of each token.
type places struct {
	most    int // of all
	mu      sync.Mutex
	all     int
	byToken map[string]int // without zeros
}

// take takes a place, which leave gives back.
//
// Implements: ORC-303
func (p *places) take(token string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.byToken[token] >= mostOpenOfToken:
		return nil, full("this token has", mostOpenOfToken)
	case p.all >= p.most:
		return nil, full("the service has", p.most)
	}
	p.all++
	p.byToken[token]++
	return func() { p.leave(token) }, nil
}

func (p *places) leave(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.byToken[token]--; p.byToken[token] == 0 {
		delete(p.byToken, token)
	}
}

func (p *places) taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

func full(whose string, most int) *fault.Error {
	return fault.New(fault.RateLimited, "too_many_streams", "%s %d streams and waits open, which is the most",
		whose, most).
		WithFix("close one, or wait as Retry-After says").After(retryFull)
}
