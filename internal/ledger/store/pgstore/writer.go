package pgstore

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/schema"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// errGoexit answers the batch of a function that ended its goroutine, as a failing test helper does.
var errGoexit = errors.New("pgstore: a function of the batch ended the writer's goroutine; nothing was written")

// The times between attempts to reach a server.
const (
	firstPause = 20 * time.Millisecond
	maxPause   = time.Second
)

// idleInTransaction is how long the head may stay locked by a process that was stopped.
const idleInTransaction = 2 * time.Second

// writer commits updates, batch after batch, in one goroutine.
type writer struct {
	s       *Store
	conn    *link
	idle    chan struct{} // closed when it has ended
	known   cache
	waiting []*update // taken from the queue, and not answered

	// What the database may have as the last commit of this process, and whether the batch in doubt took place if it
	// has that. Without a doubt there is one.
	possible map[string]bool
	happened bool // the batch that was in doubt last

	locking int // how many batches will lock the head, because another process came between
}

func newWriter(s *Store) *writer { return &writer{s: s, conn: &link{}, idle: make(chan struct{})} }

// write runs batch after batch until the queue is closed and empty.
func (w *writer) write() {
	for {
		if w.waiting = w.s.queue.Take(w.waiting); len(w.waiting) == 0 {
			w.conn.drop()
			close(w.idle)
			return
		}
		runtime.Gosched() // lets callers that are about to come join this batch instead of the next
		w.transact()
	}
}

// transact brings the first of the waiting updates to an end.
func (w *writer) transact() {
	if err := w.s.Err(); err != nil {
		w.answer(len(w.waiting), err)
		return
	}
	if !w.conn.isUp() {
		if err := w.reconnect(w.s.options.Patience, w.waiting); err != nil {
			w.answer(len(w.waiting), err)
			return
		}
	}
	b := newBatch(w)
	ended := false
	defer func() {
		if !ended { // runtime.Goexit cannot be stopped, so a successor goes on
			w.conn.drop()
			w.answer(len(w.waiting), errGoexit)
			w.s.ended.Go(w.write)
		}
	}()
	err := w.settle(b)
	ended = true
	if err != nil {
		w.answer(len(w.waiting), err)
		return
	}
	w.answer(len(b.updates), nil)
}

// settle runs a batch until it is committed, or cannot be.
func (w *writer) settle(b *batch) error {
	for {
		err := b.attempt()
		switch {
		case errors.Is(err, errLost):
			w.locking = lockedBatches
			continue
		case err == nil:
			w.locking = max(0, w.locking-1)
			return nil
		case session.Refused(err):
			if w.conn.leave(); session.StateOf(err) != stateReadOnly {
				return w.noteRoom(err)
			}
			w.conn.drop() // a server that is the primary no more
		default:
			w.conn.drop()
		}
		inDoubt := len(w.possible) > 1
		patience := w.s.options.Patience
		if inDoubt {
			patience = w.s.options.Doubt
		}
		failure := w.reconnect(patience, nil)
		if failure != nil && inDoubt && w.s.Err() == nil {
			failure = unknown(w.s.config.Place(), failure)
			return w.s.fail(failure)
		}
		if failure != nil {
			return failure
		}
		if inDoubt && w.happened {
			return nil
		}
	}
}

// noteRoom remembers that the disk of the database is full.
func (w *writer) noteRoom(err error) error {
	if errors.Is(err, fault.InsufficientStorage) {
		w.s.full.Store(&err)
	}
	return err
}

func unknown(place string, cause error) error {
	return fault.New(fault.Unavailable, "store_commit", "%s: a commit has no answer; its changes may be there or not",
		place).
		WithFix("remove the cause, then start the process again").
		Because(errors.Join(store.ErrCommit, cause))
}

// reconnect makes a new connection, and finds out whether a commit without an answer took place. It gives up when its
// time is over, or the store has failed. Meanwhile callers may give up updates that wait.
func (w *writer) reconnect(patience time.Duration, waiting []*update) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return w.s.retry(ctx, func() error {
		if len(waiting) > 0 && !slices.ContainsFunc(waiting, (*update).isWaiting) {
			return errGivenUp
		}
		return w.connect(ctx)
	})
}

// errGivenUp ends attempts that nobody waits for.
var errGivenUp = errors.New("pgstore: nobody waits any more")

// connect makes a connection and joins the writers by it.
func (w *writer) connect(ctx context.Context) error {
	c, err := w.s.connect(ctx, roleWrite)
	if err != nil {
		return err
	}
	defer c.Limit(min(time.Until(deadline(ctx)), w.s.options.answer()))()
	if err := w.join(c); err != nil {
		c.Close()
		w.s.config.Turn()
		return err
	}
	w.conn.c = c
	w.conn.used()
	return nil
}

func deadline(ctx context.Context) time.Time {
	at, has := ctx.Deadline()
	if !has {
		at = time.Now().Add(time.Minute)
	}
	return at
}

// join locks the head, looks which of the possible commits of this process was its last, and moves the head on. What an
// earlier session may still do fails then, and all that was read is on the standby, if commits wait for one.
//
// Implements: ORC-342, ORC-343
func (w *writer) join(c *session.Conn) error {
	before := w.s.highest.Load()
	got, err := c.Do(session.Call{Statement: sqlBegin}, session.Call{Statement: sqlLock},
		session.Call{Statement: sqlMine, Params: [][]byte{w.s.id}})
	if err != nil {
		return err
	}
	if len(got[1]) != 1 {
		return fault.New(fault.Unavailable, schema.CodeForeign, "%s: the table head is empty", w.s.config.Place()).
			WithFix("name an empty schema, or restore a backup")
	}
	rev, nonce := session.Number(got[1][0][0]), got[1][0][1]
	last := ""
	if len(got[2]) == 1 {
		last = string(got[2][0][0])
	}
	happened, expected := w.possible[last]
	if rev < before || w.possible != nil && !expected {
		return w.s.fail(rolledBack(w.s.config.Place(), rev, before))
	}
	name := random()
	if w.possible == nil {
		w.possible = map[string]bool{last: false}
	}
	w.possible[string(name)] = happened
	got, err = c.Do(
		session.Call{Statement: sqlJoin, Params: [][]byte{w.s.id, name}},
		session.Call{Statement: sqlCommit},
	)
	if err == nil && c.Warning() != "" {
		err = notReplicated(w.s.config.Place(), c.Warning())
	}
	if err != nil {
		return err
	}
	w.s.raise(session.Number(got[0][0][0]))
	w.certain(name, happened)
	if string(nonce) == string(w.known.nonce) {
		w.known.nonce = name
	} else {
		w.known.reset(name)
	}
	return nil
}

// certain notes the name of the last commit of this process.
func (w *writer) certain(name []byte, happened bool) {
	clear(w.possible)
	w.possible[string(name)] = false
	w.happened = happened
}

// codeNotReplicated is the code of a commit that the standby may lack.
const codeNotReplicated fault.Code = "store_not_replicated"

func notReplicated(place, warning string) error {
	return fault.New(fault.Unavailable, codeNotReplicated, "%s: the server warns of a commit: %s", place, warning).
		WithFix("see that the standby that commits wait for can be reached").After(time.Second)
}

// answer gives each of the first n waiting updates its own outcome, or err if there is one.
func (w *writer) answer(n int, err error) {
	batch := w.waiting[:n]
	var ok uint64
	for _, u := range batch {
		if err != nil && u.mine() {
			u.err = err
		}
		if u.err == nil {
			ok++
		}
	}
	w.s.updates.Add(ok)
	w.s.refused.Add(uint64(len(batch)) - ok)
	for _, u := range batch {
		u.done <- u.err
	}
	w.waiting = slices.Delete(w.waiting, 0, n)
}
