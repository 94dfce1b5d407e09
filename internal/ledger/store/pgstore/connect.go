package pgstore

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/schema"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// role is what a connection is for.
type role int

const (
	roleLook  role = iota // to see once whether the schema is right
	roleRead              // for Views and leases
	roleWrite             // the writer's
	roleBell              // to wait for notifications, and to send them
)

// connect makes a connection for a role.
func (s *Store) connect(ctx context.Context, r role) (*session.Conn, error) {
	o := session.Options{
		ReadOnly: s.options.ReadOnly, Statement: s.options.MaxView, Idle: s.options.MaxView, Trips: &s.trips,
	}
	switch r {
	case roleWrite:
		o.Statement, o.Idle = max(s.options.answer(), time.Second), idleInTransaction
	case roleBell:
		o.Notified, o.Volatile = s.bell.heard, true
		o.Trips = nil
	}
	c, err := s.config.Connect(ctx, o)
	if err != nil {
		return nil, err
	}
	defer c.Limit(time.Until(deadline(ctx)))()
	if err = s.prepare(c, r); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (s *Store) prepare(c *session.Conn, r role) error {
	may := schema.Look
	switch {
	case r == roleWrite && s.options.Migrate:
		may = schema.Migrate
	case r == roleWrite:
		may = schema.Create
	}
	if r == roleLook || r == roleWrite {
		if err := schema.Prepare(c, s.config.Schema(), may); err != nil {
			return err
		}
	}
	switch r {
	case roleRead:
		return c.Prepare(readerStatements)
	case roleWrite:
		return c.Prepare(writerStatements)
	}
	return nil
}

// retry calls try until it succeeds, as long as what fails is the connection.
//
// Implements: ORC-345
func (s *Store) retry(ctx context.Context, try func() error) error {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		if err := s.Err(); err != nil {
			return err
		}
		if s.closing.Err() != nil {
			return store.ErrClosed
		}
		err := try()
		if err == nil {
			s.trouble.Store(nil)
			return nil
		}
		if s.closing.Err() != nil || !s.mayPass(err) {
			return err
		}
		s.trouble.Store(&err)
		select {
		case <-ctx.Done():
			return err
		case <-s.closing.Done():
			return store.ErrClosed
		case <-time.After(pause):
		}
	}
}

// mayPass reports whether an error of a connection can pass by itself. That of the user and the password is one of a
// store that was open already.
func (s *Store) mayPass(err error) bool {
	return fault.Is(err, session.CodeUnreachable, codeNotReplicated) ||
		s.highest.Load() > 0 && fault.Is(err, session.CodeRefused)
}

// unused is how long a connection may rest before it is checked. What is written to one that the server has left seems
// to succeed, and a commit would be in doubt.
const unused = 100 * time.Millisecond

// errDown says that there is no connection.
var errDown = errors.New("pgstore: no connection")

// link is the connection of one goroutine.
type link struct {
	c    *session.Conn
	last time.Time // when it was used
}

// used notes that the connection has just been used.
func (l *link) used() { l.last = time.Now() }

// check sees whether the server still answers, after a while without use.
func (l *link) check(patience time.Duration) error {
	if !l.isUp() {
		return errDown
	}
	if time.Since(l.last) < unused {
		return nil
	}
	defer l.c.Limit(patience)()
	return l.c.Script("")
}

func (l *link) isUp() bool { return l.c != nil && !l.c.Broken() }

// leave ends the transaction that is under way, if there is one.
func (l *link) leave() {
	if !l.isUp() || !l.c.InTransaction() {
		return
	}
	defer l.c.Limit(time.Second)()
	if err := l.c.Script("ROLLBACK"); err != nil {
		l.drop()
	}
}

func (l *link) drop() {
	if l.c != nil {
		l.c.Close()
		l.c = nil
	}
}
