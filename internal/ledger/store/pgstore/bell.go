package pgstore

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"sync"
	"time"

	"orchestrator/internal/ledger/store/pgstore/session"
)

// lookForOthers is how often a process that commits sees whether others listen.
const lookForOthers = time.Second

// bell tells other processes of commits, and this one of theirs. It rings after the commit, in a transaction of its own
// that several commits share and that waits for no disk: a notification holds a lock of the whole cluster until its
// transaction has ended.
type bell struct {
	s       *Store
	rings   chan struct{} // what Bell returns
	commits chan struct{} // filled by commits
	name    string        // of this process, in what it sends

	mu        sync.Mutex
	listening *session.Conn
	closed    bool
}

func newBell(s *Store) *bell {
	return &bell{
		s: s, name: hex.EncodeToString(s.id), rings: make(chan struct{}, 1), commits: make(chan struct{}, 1),
	}
}

// Bell returns a channel that receives after another process may have committed.
func (s *Store) Bell() <-chan struct{} { return s.bell.rings }

// fill puts a token into a channel, unless there is one.
func fill(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// committed has the others told of a commit, soon.
func (b *bell) committed() { fill(b.commits) }

// heard is called with what another process has sent.
func (b *bell) heard(name string) {
	if name != b.name {
		fill(b.rings)
	}
}

// channel is the name of the notifications of this log.
func (b *bell) channel() string { return fmt.Sprintf("orchestrator_%08x", b.number()) }

// number tells the log from others of the database, in notifications and advisory locks.
func (b *bell) number() uint32 { return crc32.ChecksumIEEE([]byte(b.s.config.Schema())) >> 1 }

// class is the first number of the advisory locks by which those who listen know of one another.
const class = 1869767528

// listen waits for notifications, over and over again. Each new connection may have missed some.
func (b *bell) listen() {
	for b.s.closing.Err() == nil {
		_ = b.s.retry(b.s.closing, b.listenOnce) // until the store is closed there is another try
		select {
		case <-time.After(maxPause): // what is wrong is not the connection alone
		case <-b.s.closing.Done():
		}
	}
}

func (b *bell) listenOnce() error {
	ctx, cancel := context.WithTimeout(b.s.closing, b.s.options.Patience)
	defer cancel()
	c, err := b.s.connect(ctx, roleBell)
	if err != nil {
		return err
	}
	defer c.Close()
	if !b.keep(c) {
		return nil
	}
	end := c.Limit(b.s.options.Patience)
	err = c.Script(fmt.Sprintf("LISTEN %s; SELECT pg_advisory_lock_shared(%d, %d)", b.channel(), class, b.number()))
	end()
	if err == nil {
		fill(b.rings)
	}
	for err == nil {
		err = c.Wait() // for what heard is called with
	}
	return err
}

// keep notes the connection that close ends; too late if that came first.
func (b *bell) keep(c *session.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listening = c
	return !b.closed
}

func (b *bell) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.listening != nil {
		b.listening.Close()
	}
}

// ring tells others of commits, as long as there are others. What it cannot tell they find out by themselves.
func (b *bell) ring() {
	var conn link
	var looked time.Time
	others := false
	defer conn.drop()
	for {
		select {
		case <-b.s.closing.Done():
			return
		case <-b.commits:
		}
		if !conn.isUp() {
			ctx, cancel := context.WithTimeout(b.s.closing, b.s.options.Patience)
			conn.c, _ = b.s.connect(ctx, roleBell)
			looked = time.Time{}
			cancel()
		}
		if !conn.isUp() {
			continue
		}
		if time.Since(looked) > lookForOthers {
			others, looked = b.hasListeners(conn.c), time.Now()
		}
		if others {
			b.send(conn.c)
		}
	}
}

// hasListeners reports whether another process listens.
func (b *bell) hasListeners(c *session.Conn) bool {
	defer c.Limit(b.s.options.Patience)()
	rows, err := c.Ask(fmt.Sprintf("SELECT count(*) > 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = %d "+
		"AND objid = %d AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
		class, b.number()))
	return err == nil && string(rows[0][0]) == "t"
}

func (b *bell) send(c *session.Conn) {
	defer c.Limit(b.s.options.Patience)()
	if err := c.Script(fmt.Sprintf("NOTIFY %s, '%s'", b.channel(), b.name)); err != nil {
		c.Close()
	}
}
