package following

import (
	"context"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// questions ask a store where its log stands. One question is under way at a time, and is that of everybody who came
// before it was sent.
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

// CatchUp returns when all is published that any process had committed before the call. It waits for no store of which it
// is known that it does not answer.
//
// Implements: ORC-351
func (p *Pursuit) CatchUp(ctx context.Context) error {
	p.Start()
	if err := p.order.Hindered(); err != nil {
		return err
	}
	q := p.join()
	select {
	case <-q.answered:
	case <-ctx.Done():
		return ctx.Err()
	}
	if q.err != nil {
		return q.err
	}
	err := p.order.Reach(ctx, q.size)
	if ctx.Err() != nil && err != nil {
		err = unreachable(err)
	}
	return err
}

// join returns the question that is sent next.
func (p *Pursuit) join() *question {
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
func (p *Pursuit) ask() {
	for {
		p.questions.mu.Lock()
		q := p.questions.next
		p.questions.next, p.questions.asking = nil, q != nil
		p.questions.mu.Unlock()
		if q == nil {
			return
		}
		q.size, q.err = p.answer()
		close(q.answered)
	}
}

// answer returns the size of the log as it is stored now.
func (p *Pursuit) answer() (uint64, error) {
	t, err := p.newest()
	switch {
	case err != nil && isFinal(err):
		p.order.Stop(err)
		return 0, p.order.Err()
	case err != nil:
		return 0, unreachable(err)
	case p.isBehind(t, p.order.Place()):
		p.order.Want()
	}
	return t.Size, nil
}

// newest asks for the trail of the last commit.
func (p *Pursuit) newest() (t Trail, err error) {
	ctx, cancel := context.WithTimeout(p.context, mostRead)
	defer cancel()
	began, seen := time.Now(), p.order.Head()
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
func (t Trail) checkAfter(seen audit.Head) error {
	if t.Size > seen.Size || t.Size == seen.Size && slices.Equal(t.Frontier, seen.Frontier) {
		return nil
	}
	found, err := audit.HeadAt(t.Size, seen.At, t)
	if err != nil {
		return store.Damaged("the trail of the last commit cannot be read").Because(err)
	}
	return rolledBack(seen, found)
}

// confirm takes over that the log had a size after a moment.
func (p *Pursuit) confirm(at time.Time, size uint64) {
	published := p.order.Head().Size
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
// then.
func (p *Pursuit) Confirmed() time.Time {
	published := p.order.Head().Size
	p.questions.mu.Lock()
	defer p.questions.mu.Unlock()
	p.questions.settle(published)
	return p.questions.confirmed
}
