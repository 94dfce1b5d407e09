// Package pgstore keeps a store in one schema of a PostgreSQL database, which several processes share.
//
// Every commit moves the one row of the table head on, so the commits of all processes have one order. Group commit:
// one goroutine takes all updates that wait, runs each over its own staged writes, drops those that fail, and commits
// the rest at once. It has two ways:
//
//   - Compare and set, one round trip: the updates run on what this process knows of the database at its last commit;
//     the statement that writes does so only if the head is still that one. No lock is held while an update runs.
//   - With a lock, two round trips: after another process came between, the head is locked and all keys are read first.
//
// A commit without an answer is never guessed at: the process locks the head, compares the name of its own last commit,
// moves the head on, and commits that. Whatever the lost session still holds in its socket comes too late then; and
// where commits wait for a standby, this one has waited for it too.
//
// The store fails for good when the database has lost commits that it once had (store_rolled_back), and when the
// outcome of a commit stays unknown for too long; opening it again tells what is there.
package pgstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore/schema"
	"orchestrator/internal/ledger/store/pgstore/session"
	"orchestrator/internal/ledger/store/queue"
)

// CodeRolledBack is the code of a database that has lost commits: another server took over, or an older state came
// back.
const CodeRolledBack fault.Code = "store_rolled_back"

// Options of Open. The zero value is ready to use.
type Options struct {
	ReadOnly bool          // refuse Update, and make no schema
	Migrate  bool          // bring an older schema up to date
	Readers  int           // connections for Views; 0 means 4
	Patience time.Duration // how long a call waits for a server that does not answer; 0 means 10 s
	Doubt    time.Duration // how long the outcome of a commit may stay unknown; 0 means 5 min
	MaxView  time.Duration // how long a View may last; 0 means 1 min
}

func (o *Options) fill() {
	o.Readers = cmp.Or(o.Readers, 4)
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	o.Doubt = cmp.Or(o.Doubt, 5*time.Minute)
	o.MaxView = cmp.Or(o.MaxView, time.Minute)
}

// answer returns how long one answer of the server may take before its connection is given up.
func (o *Options) answer() time.Duration { return min(20*time.Second, o.Doubt/3) }

// Store is an open store. It keeps the contract of store.Shared.
type Store struct {
	options Options
	config  *session.Config
	id      []byte // of this process among the writers
	trips   atomic.Uint64

	queue   *queue.Queue[*update]
	writer  *writer
	readers *pool
	bell    *bell

	highest  atomic.Uint64 // the greatest revision that was seen
	doubting atomic.Bool   // the writer is to find out whether commits were lost
	trouble  atomic.Pointer[error]
	full     atomic.Pointer[error]

	failed  atomic.Pointer[error] // what every call gets after a failure
	failure chan struct{}         // closed when failed is set by one

	closing   context.Context // ends when Close is called and all updates are answered
	close     context.CancelFunc
	closeOnce sync.Once
	ended     sync.WaitGroup

	batches, updates, refused atomic.Uint64
}

var _ store.Shared = (*Store)(nil)

// Open opens the log in the schema that the connection string names, and makes the schema where there is none. A
// database that does not answer is waited for as long as Options.Patience says. No error tells the password.
//
// Implements: ORC-340
func Open(ctx context.Context, connection string, o Options) (*Store, error) {
	config, err := session.Parse(connection)
	if err != nil {
		return nil, err
	}
	o.fill()
	s := &Store{options: o, config: config, id: random(), failure: make(chan struct{})}
	s.closing, s.close = context.WithCancel(context.Background())
	s.queue = queue.New[*update]()
	s.readers = &pool{
		connect: func(ctx context.Context) (*session.Conn, error) { return s.connect(ctx, roleRead) },
		closing: s.closing, places: make(chan struct{}, o.Readers),
	}
	s.writer = newWriter(s)
	s.bell = newBell(s)
	if err := s.open(ctx); err != nil {
		s.writer.conn.drop()
		s.readers.close()
		s.close()
		return nil, err
	}
	if !o.ReadOnly {
		s.ended.Go(s.writer.write)
		s.ended.Go(s.bell.ring)
	}
	s.ended.Go(s.bell.listen)
	return s, nil
}

// open makes the first connections, of which one looks at the schema.
func (s *Store) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Patience)
	defer cancel()
	if s.options.ReadOnly {
		return s.retry(ctx, func() error {
			c, err := s.connect(ctx, roleLook)
			if err != nil {
				return err
			}
			c.Close()
			return nil
		})
	}
	return s.retry(ctx, func() error { return s.writer.connect(ctx) })
}

// Schema returns the statements that make the schema of the store, for an owner who applies them by psql.
func Schema() string { return schema.SQL(0) }

// random returns bytes that nobody else has.
func random() []byte {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	return b
}

// Stats are counts since Open.
type Stats struct {
	Batches uint64 // transactions that were committed
	Updates uint64 // updates committed in them
	Failed  uint64 // updates that returned an error
	Trips   uint64 // round trips of all connections
}

// Stats returns the counts so far. It is cheap and may be called at any time.
func (s *Store) Stats() Stats {
	return Stats{Batches: s.batches.Load(), Updates: s.updates.Load(), Failed: s.refused.Load(), Trips: s.trips.Load()}
}

// Place returns where the log is, as people may read it.
func (s *Store) Place() string { return s.config.Place() }

// Failed returns a channel that is closed when the store can no longer be used.
func (s *Store) Failed() <-chan struct{} { return s.failure }

// Err returns what ended the store, or nil.
func (s *Store) Err() error {
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Full returns the error of updates that are refused for want of room on the disk of the database, or nil.
func (s *Store) Full() error {
	if err := s.full.Load(); err != nil {
		return *err
	}
	return nil
}

// fail ends the store for good with an error, unless it has ended before, and returns what ended it.
func (s *Store) fail(err error) error {
	if s.failed.CompareAndSwap(nil, &err) {
		close(s.failure)
	}
	return s.Err()
}

// raise notes a revision that the database had.
func (s *Store) raise(rev uint64) {
	for {
		highest := s.highest.Load()
		if rev <= highest || s.highest.CompareAndSwap(highest, rev) {
			return
		}
	}
}

func rolledBack(place string, rev, highest uint64) error {
	return fault.New(fault.Unavailable, CodeRolledBack, "%s: the database has lost commits: it is at %d, and was at %d",
		place, rev, highest).
		WithFix("see which server has taken over and what it lacks; docs/postgres.md says how to go on").
		Because(store.ErrCommit)
}

func errOlder(place string, rev, before uint64) error {
	return fault.New(fault.Unavailable, session.CodeUnreachable,
		"%s: the server is at %d, and the log was at %d: another server is the primary now, or commits were lost",
		place, rev, before).
		WithFix("see which server is the primary, and stop the other").After(time.Second)
}

// Update calls fn in a transaction that it shares with other updates, and returns when it is committed. If ctx ends
// before fn starts, Update returns at once; afterwards it waits for the outcome.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.Err(); err != nil {
		return err
	}
	if s.options.ReadOnly {
		return fault.New(fault.Unavailable, "store_read_only", "%s is open for reading only", s.config.Place()).
			WithFix("it was opened so; this is a defect of the program")
	}
	u := newUpdate(ctx, fn)
	if !s.queue.Add(u) {
		return store.ErrClosed
	}
	patience := time.NewTimer(s.options.Patience)
	defer patience.Stop()
	select {
	case err := <-u.done:
		return err
	case <-ctx.Done():
		if u.claim() {
			return ctx.Err()
		}
	case <-patience.C:
		if u.claim() {
			return s.late()
		}
	}
	return <-u.done
}

// late returns the error of a call that waited for as long as it may.
func (s *Store) late() error {
	if err := s.Err(); err != nil {
		return err
	}
	if err := s.trouble.Load(); err != nil {
		return *err
	}
	return fault.New(fault.Unavailable, session.CodeUnreachable, "%s: the database takes no commit in %s",
		s.config.Place(), s.options.Patience).
		WithFix("see whether its commits wait for a standby that is gone, or for a lock; nothing is lost").
		After(time.Second)
}

// Close runs the updates that wait, and ends the store. For a server that does not answer it waits as every call does.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.queue.Close()
		late := time.AfterFunc(s.options.Patience, s.close) // a doubt may last longer
		defer late.Stop()
		if !s.options.ReadOnly {
			<-s.writer.idle
		}
		s.close()
		s.bell.close()
		s.readers.close()
		s.ended.Wait()
	})
	return nil
}
