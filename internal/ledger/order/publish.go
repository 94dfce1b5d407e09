package order

import (
	"cmp"
	"fmt"
	"runtime"
)

// Publish passes the follower every commit whose predecessors have all been passed, and returns when that includes
// done.
func (p *Published) Publish(done *Commit) error {
	before := done.Head.Size - uint64(len(done.Records))
	if !p.wait(before, done) {
		return nil // it was read from the store, with commits of other processes
	}
	runtime.Gosched() // lets the others of the same commit arrive, so that one of them publishes for all
	p.mu.Lock()
	defer p.mu.Unlock()
	p.publishWaiting()
	if p.at.Head.Size <= before && done.Foreign {
		p.want()
	}
	return p.await(before + 1)
}

// wait leaves a commit to be published, if it was not yet.
func (p *Published) wait(before uint64, done *Commit) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.Head.Size > before {
		return false
	}
	p.waiting[before] = done
	return true
}

func (p *Published) publishWaiting() {
	var batch []Commit
	at := p.at
	for next := p.waiting[at.Head.Size]; next != nil && p.err == nil && !p.held; next = p.waiting[at.Head.Size] {
		delete(p.waiting, at.Head.Size)
		batch = append(batch, *next)
		at = Place{next.Head, next.Number}
	}
	if batch != nil && p.tell(batch) {
		p.at = at
		p.turn.end()
	}
}

// tell hands a batch to the follower. One that panics would miss commits from then on, so it ends the log.
func (p *Published) tell(batch []Commit) (told bool) {
	defer func() {
		if caught := recover(); caught != nil {
			p.fail(fmt.Errorf("a commit could not be published: %v", caught))
		}
	}()
	for _, c := range batch {
		p.account(c)
	}
	if p.follower.Told != nil {
		p.follower.Told(batch)
	}
	return true
}

// Await returns when the log is published up to size.
func (p *Published) Await(size uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.Head.Size < size {
		p.want()
	}
	return p.await(size)
}

func (p *Published) await(size uint64) error {
	for p.at.Head.Size < size && p.err == nil && p.lost == nil {
		p.turn.Wait()
	}
	if p.at.Head.Size < size {
		return cmp.Or(p.err, p.lost)
	}
	return nil
}
