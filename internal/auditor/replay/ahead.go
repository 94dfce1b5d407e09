package replay

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Record is a record whose data is read ahead of its turn.
type Record struct {
	record    audit.Record
	subsystem ledger.Replay // that wrote the record; nil for the one that begins a log
	once      sync.Once     // for the data
	data      any           // as the subsystem has read it
	err       error
}

// Read begins to read a record for Apply, which says what is wrong with it when its turn comes. blobs has data too
// large for a record, which is read before Read returns; all else is read on whichever processor has the time, by Apply
// at the latest. It is safe for concurrent use.
func (r *Replay) Read(blobs store.Getter, from audit.Record) *Record {
	next := &Record{record: from, subsystem: r.byKind[from.Kind]}
	switch {
	case next.subsystem == nil:
		if from.Kind != ledger.KindCreated {
			next.err = errors.New("no such kind of record is known")
		}
	case ledger.BlobOf(from) != "":
		next.read(blobs)
	default:
		r.reading.begin(next)
	}
	return next
}

// read reads the data, once: it waits for whoever has begun to.
func (n *Record) read(blobs store.Getter) {
	n.once.Do(func() {
		err := store.Call(func(blobs store.Getter) (err error) {
			n.data, err = n.subsystem.Read(blobs, n.record)
			return err
		}, blobs)
		n.err, n.record.Data = err, nil
	})
}

// reading has the records that nobody has read yet. Its goroutines end when there is none: a record that they miss is
// read when it is applied.
type reading struct {
	unread chan *Record
	most   int32        // goroutines
	now    atomic.Int32 // goroutines
}

// maxUnread is how many records wait for a goroutine.
const maxUnread = 256

func newReading() *reading {
	return &reading{unread: make(chan *Record, maxUnread), most: int32(max(1, runtime.GOMAXPROCS(0)-1))}
}

// begin has a record read by some goroutine, if any comes to it before it is applied.
func (r *reading) begin(next *Record) {
	select {
	case r.unread <- next:
	default:
		return
	}
	if r.now.Add(1) > r.most {
		r.now.Add(-1)
		return
	}
	go r.run()
}

func (r *reading) run() {
	defer r.now.Add(-1)
	for {
		select {
		case next := <-r.unread:
			next.read(nil)
		default:
			return
		}
	}
}
