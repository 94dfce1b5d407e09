package pgstore

import (
	"errors"

	"orchestrator/internal/ledger/store/pgstore/session"
)

// commit writes what is staged, if the head is still the one that the updates ran on. Where nothing was written it sees
// to that alone: what the updates have read must have been true.
func (b *batch) commit() error {
	writes := b.staged.batch.writes
	if len(writes) == 0 {
		return b.confirm()
	}
	name := random()
	b.w.possible[string(name)] = true
	rev, err := b.write(writes, name)
	if err != nil {
		if errors.Is(err, errLost) || session.Refused(err) {
			delete(b.w.possible, string(name))
		}
		return err
	}
	b.committed(rev, name)
	return nil
}

// committed takes over what was written.
func (b *batch) committed(rev uint64, name []byte) {
	s := b.w.s
	b.w.certain(name, true)
	b.w.known.nonce = name
	for _, w := range b.staged.batch.writes {
		b.w.known.put(w.Place, w.value)
	}
	s.raise(rev)
	s.full.Store(nil)
	s.batches.Add(1)
	s.bell.committed()
}

// confirm sees whether the head is still the one that the updates ran on.
func (b *batch) confirm() error {
	c := b.w.conn.c
	if b.locked {
		_, err := c.Do(session.Call{Statement: sqlRollback})
		return err
	}
	got, err := c.Do(session.Call{Statement: sqlHead})
	if err != nil {
		return err
	}
	if len(got[0]) != 1 || string(got[0][0][1]) != string(b.w.known.nonce) {
		return errLost
	}
	return nil
}

// write writes and commits, in one round trip unless there is too much for that.
func (b *batch) write(writes []write, name []byte) (rev uint64, err error) {
	pieces := split(writes)
	last := pieces[len(pieces)-1]
	var calls []session.Call
	if len(pieces) > 1 {
		if err := b.writeBefore(pieces[:len(pieces)-1]); err != nil {
			return 0, err
		}
	}
	calls = append(calls, b.writing(last, name))
	if b.locked {
		calls = append(calls, session.Call{Statement: sqlCommit})
	}
	c := b.w.conn.c
	got, err := c.Do(calls...)
	if err != nil {
		return 0, err
	}
	if warning := c.Warning(); warning != "" {
		return 0, notReplicated(b.w.s.config.Place(), warning)
	}
	if len(got[0]) == 0 {
		b.w.conn.leave()
		return 0, errLost
	}
	return session.Number(got[0][0][0]), nil
}

// writeBefore locks the head, if it is not yet, and writes pieces of what is too much for one statement.
func (b *batch) writeBefore(pieces []piece) error {
	c := b.w.conn.c
	if !b.locked {
		got, err := c.Do(session.Call{Statement: sqlBegin}, session.Call{Statement: sqlLock})
		if err != nil {
			return err
		}
		if b.locked = true; len(got[1]) != 1 || string(got[1][0][1]) != string(b.w.known.nonce) {
			b.w.conn.leave()
			return errLost
		}
	}
	for _, p := range pieces {
		if _, err := c.Do(session.Call{Statement: sqlPut, Params: p.puts()}); err != nil {
			return err
		}
	}
	return nil
}

// writing returns the call that writes the last piece and moves the head on.
func (b *batch) writing(p piece, name []byte) session.Call {
	params := append([][]byte{b.w.known.nonce, name, b.w.s.id}, p.puts()...)
	if len(p.deleted.tables) == 0 {
		return session.Call{Statement: sqlWrite, Params: params}
	}
	return session.Call{Statement: sqlDelete, Params: append(params,
		session.Array(session.Bytea, p.deleted.tables), session.Array(session.Bytea, p.deleted.keys))}
}

// piece is what one statement writes.
type piece struct {
	put, deleted struct{ tables, keys [][]byte }
	values       [][]byte
	size         int
}

func (p piece) puts() [][]byte {
	return [][]byte{
		session.Array(session.Bytea, p.put.tables), session.Array(session.Bytea, p.put.keys),
		session.Array(session.Bytea, p.values),
	}
}

// split splits what is written into pieces. The last one has all that is deleted.
func split(writes []write) []piece {
	pieces := make([]piece, 1)
	var deleted piece
	for _, w := range writes {
		table, key := []byte(w.Table), []byte(w.Key)
		if w.value == nil {
			deleted.deleted.tables = append(deleted.deleted.tables, table)
			deleted.deleted.keys = append(deleted.deleted.keys, key)
			continue
		}
		p := &pieces[len(pieces)-1]
		if p.size > 0 && p.size+len(w.value) > maxPiece {
			pieces = append(pieces, piece{})
			p = &pieces[len(pieces)-1]
		}
		p.put.tables, p.put.keys = append(p.put.tables, table), append(p.put.keys, key)
		p.values, p.size = append(p.values, w.value), p.size+len(w.value)+1
	}
	pieces[len(pieces)-1].deleted = deleted.deleted
	return pieces
}
