package pgstore

import (
	"context"
	"errors"
	"time"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// Acquire takes the lease on a name for ttl, by the clock of the server. An answer that got lost leaves a lease that
// nobody knows of, until it ends.
//
// Implements: ORC-344
func (s *Store) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (store.Lease, error) {
	if held, err := s.Holder(ctx, name); err != nil {
		return store.Lease{}, err
	} else if held.Fence > 0 {
		return store.Lease{}, store.ErrHeld
	}
	rows, err := s.leasing(ctx, sqlAcquire, []byte(name), []byte(holder), microseconds(ttl), random())
	if err != nil {
		return store.Lease{}, err
	}
	if len(rows) == 0 {
		return store.Lease{}, store.ErrHeld
	}
	s.raise(session.Number(rows[0][1]))
	return store.Lease{Name: name, Holder: holder, Fence: session.Number(rows[0][0])}, nil
}

// Renew makes a lease last for ttl from now.
func (s *Store) Renew(ctx context.Context, l store.Lease, ttl time.Duration) error {
	rows, err := s.leasing(ctx, sqlRenew, []byte(l.Name), session.Int(l.Fence), microseconds(ttl))
	if err == nil && len(rows) == 0 {
		err = store.ErrFenced
	}
	return err
}

// Release ends a lease.
func (s *Store) Release(ctx context.Context, l store.Lease) error {
	_, err := s.leasing(ctx, sqlEnd, []byte(l.Name), session.Int(l.Fence))
	return err
}

// Holder returns the lease on a name that lasts now.
func (s *Store) Holder(ctx context.Context, name string) (store.Lease, error) {
	rows, err := s.leasing(ctx, sqlHeld, []byte(name))
	if err != nil || len(rows) == 0 {
		return store.Lease{}, err
	}
	return store.Lease{Name: name, Holder: string(rows[0][0]), Fence: session.Number(rows[0][1])}, nil
}

func microseconds(d time.Duration) []byte { return session.Int(uint64(d.Microseconds())) }

// leasing runs one statement in a transaction of its own. It may run again if the connection breaks.
func (s *Store) leasing(
	ctx context.Context,
	statement *session.Statement,
	params ...[]byte,
) (rows []session.Row, err error) {
	err = s.reading(ctx, func(c *session.Conn) error {
		defer c.Limit(s.options.Patience)()
		got, err := c.Do(session.Call{Statement: statement, Params: params})
		if err == nil && c.Warning() != "" {
			err = notReplicated(s.config.Place(), c.Warning())
		}
		if err == nil {
			rows = got[0]
		}
		return err
	})
	if errors.Is(err, store.ErrClosed) {
		return nil, store.ErrClosed
	}
	return rows, err
}
