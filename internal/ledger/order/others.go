package order

import (
	"bytes"
	"cmp"

	"orchestrator/internal/ledger/store"
)

// Wanted returns a channel that receives when somebody waits for what another process has committed.
func (p *Published) Wanted() <-chan struct{} { return p.wanted }

// Want asks for the commits of other processes to be read at once.
func (p *Published) Want() { p.want() }

func (p *Published) want() {
	select {
	case p.wanted <- struct{}{}:
	default:
	}
}

// Follow sets the follower where the log stands, which load finds out. Meanwhile nothing is published.
func (p *Published) Follow(f Follower, load func() (Place, error)) error {
	p.hold()
	at, err := load()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.follower, p.at = f, at
	}
	p.release()
	return err
}

// hold keeps everybody else from publishing, until release.
func (p *Published) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held {
		p.turn.Wait()
	}
	p.held = true
}

// release publishes what has come to wait meanwhile.
func (p *Published) release() {
	p.held = false
	p.publishWaiting()
	p.turn.Broadcast()
}

// Claim keeps everybody else from publishing if that is wanted where the log stands and nobody has done so. It returns
// where the log stands until TakeOver, and who follows it.
func (p *Published) Claim(wanted func(Place) bool) (at Place, f Follower, claimed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held || p.err != nil || !wanted(p.at) {
		return p.at, p.follower, false
	}
	p.held = true
	return p.at, p.follower, true
}

// TakeOver publishes a commit in place of all that it was merged from, and what waits after it. It ends a Claim; nil
// publishes nothing.
func (p *Published) TakeOver(c *Commit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c != nil && p.err == nil {
		p.drop(c)
		if c.Whole {
			p.account(*c)
		}
		if c.Whole || p.tell([]Commit{*c}) {
			p.at = Place{c.Head, c.Number}
			p.turn.end()
		}
	}
	p.release()
}

// drop drops the commits of this process that a merged one has in it. What they encoded need not be decoded.
func (p *Published) drop(c *Commit) {
	encoded := map[store.Place]Write{}
	for before, own := range p.waiting {
		if before >= c.Head.Size {
			continue
		}
		delete(p.waiting, before)
		for _, w := range own.Writes {
			if w.Object != nil {
				encoded[store.Place{Table: w.Table, Key: w.Key}] = w
			}
		}
	}
	for i, w := range c.Writes {
		if own, is := encoded[store.Place{Table: w.Table, Key: w.Key}]; is && bytes.Equal(own.Value, w.Value) {
			c.Writes[i].Object = own.Object
		}
	}
}

// Lose sets why the commits of other processes cannot be read, nil if they can. Whoever waits for them is told.
func (p *Published) Lose(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost = why; why != nil {
		p.turn.Broadcast()
	}
}

// Hindered returns what keeps the log from being published, or nil.
func (p *Published) Hindered() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.err, p.lost)
}
