package ledger

import (
	"context"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
)

// questions ask a shared store where its log stands. One question is under way at a time, and is that of everybody who
// came before it was sent.
type questions struct {
	mu     sync.Mutex
	next   *question // nobody has sent it yet
	asking bool

	confirmed time.Time // when the newest answer was asked for that is published
	asked     time.Time // the same of an answer that was not published yet; zero if there is none
	size      uint64    // that it gave
}

type question struct {
	answered chan struct{}
	size     uint64
	err      error
}

// CatchUp returns when all is published that any process had committed before the call. On a store of one process that
// is so already.
//
// Implements: ORC-351
func (p *pursuit) CatchUp(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.start()
	q := p.join()
	select {
	case <-q.answered:
	case <-ctx.Done():
		return ctx.Err()
	}
	if q.err != nil {
		return q.err
	}
	return p.awaitSize(ctx, q.size)
}

// join returns the question that is sent next.
func (p *pursuit) join() *question {
	p.questions.mu.Lock()
	defer p.questions.mu.Unlock()
	if p.questions.next == nil {
		p.questions.next = &question{answered: make(chan struct{})}
	}
	if !p.questions.asking {
		p.questions.asking = true
		go p.ask()
	}
	return p.questions.next
}

// ask sends questions until there is none.
func (p *pursuit) ask() {
	for {
		p.questions.mu.Lock()
		q := p.questions.next
		p.questions.next, p.questions.asking = nil, q != nil
		p.questions.mu.Unlock()
		if q == nil {
			return
		}
		t, err := p.newest(p.context)
		switch q.size = t.Size; {
		case err != nil && isFinal(err):
			p.ledger.Stop(err)
			q.err = p.ledger.Err()
		case err != nil:
			q.err = unreachable(err)
		case p.behind(t):
			p.ledger.want()
		}
		close(q.answered)
	}
}

// newest asks for the trail of the last commit.
func (p *pursuit) newest(ctx context.Context) (t trail, err error) {
	ctx, cancel := context.WithTimeout(ctx, mostRead)
	defer cancel()
	began, seen := time.Now(), p.ledger.Head()
	raw, err := p.store.Newest(ctx, tableMeta, keyTrail)
	if err == nil {
		t, err = decodeTrail(raw)
	}
	if err == nil && t.Number > 0 {
		err = t.checkAfter(seen)
	}
	if err == nil {
		p.confirm(began, t.Size)
	}
	return t, err
}

// checkAfter refuses a log that has lost what was published, as far as a trail tells.
func (t trail) checkAfter(seen audit.Head) error {
	if t.Size > seen.Size || t.Size == seen.Size && slices.Equal(t.Frontier, seen.Frontier) {
		return nil
	}
	found, err := audit.HeadAt(t.Size, seen.At, t)
	if err != nil {
		return damaged("the trail of the last commit cannot be read").Because(err)
	}
	return rolledBack(seen, found)
}

// confirm takes over that the log had a size after a moment.
func (p *pursuit) confirm(at time.Time, size uint64) {
	published := p.ledger.Head().Size
	p.questions.mu.Lock()
	defer p.questions.mu.Unlock()
	p.questions.settle(published)
	switch {
	case size <= published:
		p.questions.confirmed = later(p.questions.confirmed, at)
	case p.questions.asked.IsZero():
		p.questions.asked, p.questions.size = at, size
	}
}

// settle takes over an answer that has been published since.
func (q *questions) settle(published uint64) {
	if !q.asked.IsZero() && q.size <= published {
		q.confirmed, q.asked = later(q.confirmed, q.asked), time.Time{}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Confirmed returns the latest moment of which it is known that all is published that any process had committed by
// then. On a store of one process that is now.
func (p *pursuit) Confirmed() time.Time {
	if p == nil {
		return time.Now()
	}
	published := p.ledger.Head().Size
	p.questions.mu.Lock()
	defer p.questions.mu.Unlock()
	p.questions.settle(published)
	return p.questions.confirmed
}

// awaitSize waits until the log is published up to a size.
func (p *pursuit) awaitSize(ctx context.Context, size uint64) error {
	l := p.ledger
	for l.Head().Size < size {
		if err := l.hindered(); err != nil {
			return err
		}
		select {
		case <-l.Grown(size - 1):
		case <-time.After(time.Second):
		case <-ctx.Done():
			return fault.New(fault.Unavailable, codeUnreachable,
				"the log of the other replicas has not been read in time").
				WithFix("read again").After(time.Second).Because(ctx.Err()).ForClients()
		}
	}
	return nil
}
