package pgstore

import (
	"cmp"
	"context"
	"errors"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// View calls fn on a snapshot, and again on a new one if the connection breaks. It may last for as long as
// Options.MaxView says: an open snapshot keeps the old versions of the head, and slows every commit.
//
// Implements: ORC-346
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.reading(ctx, func(c *session.Conn) error {
		defer c.Limit(s.options.MaxView)()
		r := &reader{s: s, c: c, end: time.Now().Add(s.options.MaxView)}
		err := store.Call(fn, store.Reader(r))
		if err == nil && !r.begun && time.Now().Before(r.end) {
			r.begin() // whoever reads nothing is told, too, that there is nothing to read from
		}
		if r.err != nil {
			return r.err
		}
		if r.begun {
			if _, ended := c.Do(session.Call{Statement: sqlRollback}); ended != nil {
				c.Close() // all was read
			}
		}
		return fromFunction(err)
	})
}

// Newest returns the committed value of a key as it is now.
func (s *Store) Newest(ctx context.Context, table, key string) (value []byte, err error) {
	if err := store.CheckKey(table, key); err != nil {
		return nil, err
	}
	err = s.reading(ctx, func(c *session.Conn) error {
		defer c.Limit(s.options.Patience)()
		before := s.highest.Load()
		got, err := c.Do(session.Call{Statement: sqlNewest, Params: [][]byte{[]byte(table), []byte(key)}})
		if err == nil {
			err = s.notBefore(got[0], before)
		}
		if err == nil {
			value = got[0][0][1]
		}
		return err
	})
	return value, err
}

// notBefore refuses a head that is older than one that was seen before it was read. The connection then leads to a
// server that others have left.
func (s *Store) notBefore(head []session.Row, before uint64) error {
	if len(head) != 1 {
		return errHeadless
	}
	rev := session.Number(head[0][0])
	if rev < before {
		s.doubt()
		return errOlder(s.config.Place(), rev, before)
	}
	s.raise(rev)
	return nil
}

// doubt has the writer ask the server that it reaches. It alone finds out whether commits were lost, and may have
// nothing to do as long as nobody can read.
func (s *Store) doubt() {
	if s.options.ReadOnly || !s.doubting.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.doubting.Store(false)
		_ = s.Update(s.closing, func(store.Tx) error { return nil }) // what it finds out, it keeps
	}()
}

// reading calls fn with a connection of its own, and again with another one while connections break.
func (s *Store) reading(ctx context.Context, fn func(*session.Conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.Err(); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, s.options.Patience)
	defer cancel()
	var outcome error
	err := s.retry(waiting, func() error {
		if err := ctx.Err(); err != nil {
			outcome = err
			return nil
		}
		c, err := s.readers.take(waiting)
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		defer s.readers.give(c)
		err = fn(c)
		if failed, is := errors.AsType[*functionError](err); is {
			outcome, err = failed.error, nil
		} else if outcome = nil; err != nil {
			c.Close()
		}
		return err
	})
	if err != nil {
		return err
	}
	return outcome
}

// functionError is the error of the function of a View, which ends it.
type functionError struct{ error }

func fromFunction(err error) error {
	if err == nil {
		return nil
	}
	return &functionError{err}
}

// The sizes of the pages of a Scan: most scans end early.
const (
	firstPage = 16
	maxPage   = 256
)

// reader reads one snapshot, which is taken with the first read.
type reader struct {
	s     *Store
	c     *session.Conn
	end   time.Time // when the View must be over
	begun bool
	err   error // of the connection; the View is over with it
}

// begin takes the snapshot, and makes calls on it in the same round trip.
func (r *reader) begin(calls ...session.Call) [][]session.Row {
	before := r.s.highest.Load()
	calls = append([]session.Call{{Statement: sqlSnapshot}, {Statement: sqlHead}}, calls...)
	got, err := r.c.Do(calls...)
	if err == nil {
		err = r.s.notBefore(got[1], before)
	}
	if r.begun, r.err = true, err; err != nil {
		return nil
	}
	return got[2:]
}

// do runs one statement; what fails ends the View.
func (r *reader) do(statement *session.Statement, params ...[]byte) ([]session.Row, error) {
	if r.err == nil && time.Now().After(r.end) {
		r.c.Close()
		r.err = fault.New(fault.Unavailable, "store_view", "%s: a View was not over in time", r.s.config.Place()).
			WithFix("read the log in shorter parts; this is a defect of the program")
	}
	if r.err != nil {
		return nil, r.err
	}
	call := session.Call{Statement: statement, Params: params}
	var got [][]session.Row
	if !r.begun {
		got = r.begin(call)
	} else {
		got, r.err = r.c.Do(call)
	}
	if r.err != nil {
		return nil, r.err
	}
	return got[0], nil
}

func (r *reader) Get(table, key string) ([]byte, error) {
	if err := store.CheckKey(table, key); err != nil {
		return nil, err
	}
	rows, err := r.do(sqlGet, []byte(table), []byte(key))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0][0], nil
}

// GetMany returns the values of places in one round trip.
func (r *reader) GetMany(places []store.Place) ([][]byte, error) {
	tables, keys := make([][]byte, len(places)), make([][]byte, len(places))
	for i, at := range places {
		if err := store.CheckKey(at.Table, at.Key); err != nil {
			return nil, err
		}
		tables[i], keys[i] = []byte(at.Table), []byte(at.Key)
	}
	rows, err := r.do(sqlEntries, session.Array(session.Bytea, tables), session.Array(session.Bytea, keys))
	if err != nil {
		return nil, err
	}
	values := make([][]byte, len(places))
	for _, row := range rows {
		values[session.Number(row[0])-1] = row[1]
	}
	return values, nil
}

// Scan reads page by page; the visit of a page reads nothing of the connection, so visit may.
func (r *reader) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	var upTo []byte
	if to != "" {
		upTo = []byte(to)
	}
	for page := firstPage; ; page = min(4*page, maxPage) {
		rows, err := r.do(sqlScan, []byte(table), []byte(from), upTo, session.Int(uint64(page)))
		if err != nil {
			return err
		}
		for _, row := range rows {
			key, value := string(row[0]), row[1]
			if value == nil {
				if value, err = r.Get(table, key); err != nil {
					return err
				}
			}
			if err := visit(key, value); errors.Is(err, store.ErrStop) {
				return nil
			} else if err != nil {
				return err
			}
			from = key + "\x00"
		}
		if len(rows) < page {
			return nil
		}
	}
}
