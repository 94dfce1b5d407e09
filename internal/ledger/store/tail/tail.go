// Package tail keeps the newest changes of a file in a write-ahead log (WAL) beside it until the file has them.
//
// One sync of the WAL makes a batch durable, where a commit of the file writes many pages and syncs twice. What the WAL
// has and the file has not lies in two layers over the file: the young one, of the half that batches are appended to,
// and the old one, of the other half, which the file is getting. Whoever reads sees both. The file gets the old layer
// in one commit, with a mark that says how far it has come; then the halves change places.
//
// Nothing depends on the WAL but what is not in the file yet: when another hand takes it away, the file gets everything
// from memory, and batches are committed to the file itself until there is another WAL. A closed file has none. After a
// crash Open reads the one that is there, which must go on where the file ends.
package tail

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
	"orchestrator/internal/ledger/store/wal"
)

const (
	// turnAt is how much of a half is taken when the halves change places.
	turnAt = wal.Half / 2

	// maxBatch is the longest batch that goes to the WAL; a longer one is committed to the file.
	maxBatch = wal.Half / 4

	// after is how many batches are committed to the file before a WAL is made: who writes little needs none.
	after = 64

	// minFree is how much room there must be for a WAL to be made. Less is for the file.
	minFree = 64 << 20
)

// Options of Open. The zero value is ready to use.
type Options struct {
	WAL           bool          // append batches to a WAL
	AcceptMissing bool          // open a file whose WAL is not there, and which may lack its newest changes
	SettleEvery   time.Duration // how long a batch waits for the file to get it, at most about; 0 means 1 s
	After         int           // how many batches the file takes itself before a WAL is made; 0 means 64
	TurnAt        int           // how many bytes of batches the file gets at once, at least; 0 means half of a half
}

// File is the file of a Tail, such as one of package onefile.
type File interface {
	View(ctx context.Context, fn func(store.Reader) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
	// UpdateBeside is an Update during whose commit Views begin. Each sees all of it or nothing.
	UpdateBeside(ctx context.Context, fn func(store.Tx) error) error
	// Number returns the number of the newest state; each Update that writes makes the next one.
	Number() uint64
	// Free returns how many bytes may still be written to the file system, and CheckRoom refuses a change that the file
	// gets later if they are too few. Full returns why the last change was refused for want of room.
	Free() (int64, error)
	CheckRoom() error
	Full() error
	// Failed returns a channel that is closed when nothing works any more, and Err why. FailCommit makes it so after an
	// error that leaves open whether a change is durable, and returns what Err returns from then on.
	Failed() <-chan struct{}
	Err() error
	FailCommit(cause error) error
}

// Tail is a file with the changes that it does not have yet.
type Tail struct {
	file File
	path string // of the WAL

	layers atomic.Pointer[layers] // replaced under swapping
	stuck  atomic.Pointer[error]  // why the file cannot have the old layer for want of room

	writing sync.Mutex // held by Write, and to turn the WAL over
	log     *wal.Log   // nil where batches are committed to the file; guarded by writing
	failed  bool       // the WAL takes no more batches; guarded by writing
	turnAt  int
	after   int           // how many batches are still to be committed before a WAL is made
	wanted  chan struct{} // gets something when a WAL is to be made; nil where there is to be none
	payload []byte        // room for that of the next batch; guarded by writing
	hasWAL  atomic.Bool   // there is a WAL that takes batches
	made    chan *wal.Log // gets one that the next batch can begin with
	turned  chan struct{} // gets something when there is an old layer

	settling sync.Mutex // held while the file gets the old layer
	swapping sync.Mutex
	mark     mark // of the next commit; guarded by writing, and not changed while there is an old layer

	closing chan struct{}
	settler sync.WaitGroup
}

// layers are what the WAL has and the file has not. They are not changed, but replaced.
type layers struct {
	young, old *overlay.Layer
	moves      uint64 // how often the young layer became the old one, or the file got the old one
}

// written returns what was last written at a key, if that is in a layer.
func (l layers) written(table, key string) (value []byte, written bool) {
	if value, written = l.young.Get(table, key); !written {
		value, written = l.old.Get(table, key)
	}
	return value, written
}

func (l layers) isEmpty() bool { return l.young.Len()+l.old.Len() == 0 }

// PathOf returns the path of the WAL of the file at path, which is no link.
func PathOf(path string) string { return path + ".wal" }

// Open takes over the WAL that a crash has left beside a file, and begins another if the options say so. A file that
// is open for reading only is not changed, and its WAL neither.
func Open(file File, path string, readOnly bool, o Options) (*Tail, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	t := &Tail{
		file: file, path: PathOf(real), turnAt: cmp.Or(o.TurnAt, turnAt), after: cmp.Or(o.After, after),
		made: make(chan *wal.Log, 1), turned: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	t.layers.Store(&layers{})
	if err := t.takeOver(readOnly, o.AcceptMissing); err != nil {
		return nil, refusal(path, err)
	}
	if o.WAL && !readOnly {
		t.wanted = make(chan struct{}, 1)
		t.settler.Go(func() { t.keepSettling(cmp.Or(o.SettleEvery, time.Second)) })
	}
	return t, nil
}

// View calls fn on a snapshot, and returns its error.
func (t *Tail) View(ctx context.Context, fn func(store.Reader) error) error {
	for {
		l := *t.layers.Load() // before the View begins, which then has what is no longer in a layer
		if l.isEmpty() {
			return t.file.View(ctx, fn)
		}
		moved := false
		err := t.file.View(ctx, func(r store.Reader) error {
			if moved = t.layers.Load().moves != l.moves; moved {
				return nil // the file may have newer changes, which these layers would hide in part
			}
			return fn(&reader{l, r})
		})
		if !moved {
			return err
		}
	}
}

// HasWAL reports whether the next batch goes to the WAL, if it is not too long for that.
func (t *Tail) HasWAL() bool { return t.hasWAL.Load() || len(t.made) > 0 }

// Full returns why changes are refused for want of room, or nil.
func (t *Tail) Full() error {
	if stuck := t.stuck.Load(); stuck != nil {
		return *stuck
	}
	return t.file.Full()
}

// Close gives the file everything, and removes the WAL. Where the disk has no room for that, the WAL stays, and
// the next Open reads it. The file stays open.
func (t *Tail) Close() error {
	close(t.closing)
	t.settler.Wait()
	t.writing.Lock()
	defer t.writing.Unlock()
	select {
	case j := <-t.made:
		_ = j.Discard()
	default:
	}
	if t.log == nil {
		return nil
	}
	var err error
	if t.file.Err() == nil {
		err = t.closeWAL()
	}
	if t.log != nil {
		_ = t.log.Close() // all of it was synced
	}
	if errors.Is(err, fault.InsufficientStorage) {
		return nil
	}
	return err
}

// Alone gives the file everything, removes the WAL, and calls fn while no batch is written.
func (t *Tail) Alone(fn func() error) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	var err error
	if t.log != nil {
		err = t.closeWAL()
	} else {
		err = t.settleAll()
	}
	if err != nil {
		return err
	}
	return fn()
}

// keepSettling gives the file what the WAL has, when a half of it is full and from time to time.
func (t *Tail) keepSettling(every time.Duration) {
	debug.SetPanicOnFault(true) // the file may be cut while it is written
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-t.closing:
			return
		case <-t.file.Failed():
			return
		case <-t.wanted:
			t.Look()
		case <-t.turned:
			_ = t.settle() // it has ended the file, or it is tried again
		case <-ticks.C:
			t.Look()
		}
	}
}

// Look turns a WAL that has batches over, replaces one that is no longer at its path, and gives the file what it can
// have. It is called from time to time.
func (t *Tail) Look() {
	if t.lookAtWAL() {
		t.makeWAL()
	}
	_ = t.settle() // it has ended the file, or it is tried again
}

// lookAtWAL returns whether another WAL is to be made.
func (t *Tail) lookAtWAL() (none bool) {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.log == nil {
		return t.after <= 0 && len(t.made) == 0
	}
	if t.failed = t.failed || t.log.Check() != nil; t.failed {
		return t.closeWAL() == nil
	}
	t.turn()
	return false
}
