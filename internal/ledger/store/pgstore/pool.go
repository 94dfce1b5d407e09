package pgstore

import (
	"context"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// pool holds the connections for Views and leases. The one that was used last is used next.
type pool struct {
	connect func(context.Context) (*session.Conn, error)
	closing context.Context // its end refuses calls
	places  chan struct{}   // holds a token for each connection in use

	mu     sync.Mutex
	free   []*session.Conn
	closed bool
}

// errBusy says that all connections were in use for as long as the caller could wait.
func errBusy() error {
	return fault.New(fault.Unavailable, "store_busy", "all connections that read the database are in use").
		WithFix("try again").After(time.Second)
}

// take returns a connection, a new one if none is free.
func (p *pool) take(ctx context.Context) (*session.Conn, error) {
	select {
	case p.places <- struct{}{}:
	case <-p.closing.Done():
		return nil, store.ErrClosed
	case <-ctx.Done():
		return nil, errBusy()
	}
	c, err := p.pop()
	if err == nil && c == nil {
		c, err = p.connect(ctx)
	}
	if err != nil {
		<-p.places
	}
	return c, err
}

// pop returns a free connection, or nil.
func (p *pool) pop() (*session.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, store.ErrClosed
	}
	if len(p.free) == 0 {
		return nil, nil
	}
	last := len(p.free) - 1
	c := p.free[last]
	p.free = p.free[:last]
	return c, nil
}

// give takes a connection back. One that broke, or has a transaction under way, is closed.
func (p *pool) give(c *session.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || c.Broken() || c.InTransaction() {
		c.Close()
	} else {
		p.free = append(p.free, c)
	}
	<-p.places
}

// close waits for the connections in use, and closes all.
func (p *pool) close() {
	p.mu.Lock()
	already := p.closed
	p.closed = true
	p.mu.Unlock()
	if already {
		return
	}
	for range cap(p.places) {
		p.places <- struct{}{}
	}
	for _, c := range p.free {
		c.Close()
	}
}
