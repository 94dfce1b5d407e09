package tail

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/overlay"
	"orchestrator/internal/ledger/store/wal"
)

// Where the mark is kept. No other package writes to this table.
const (
	markTable = "store.wal"
	markKey   = "mark"
)

// mark says which WAL goes on where the file ends. Every commit writes it, from the first WAL on.
type mark struct {
	ID      wal.ID
	Applied uint64 // number of the last batch that the file has
	Open    bool   // batches are being appended
	State   uint64 // number of the commit that wrote the mark; at another a program wrote that knows no WAL
}

func (m mark) encode() []byte {
	b := append(make([]byte, 0, 25), m.ID[:]...)
	b = binary.LittleEndian.AppendUint64(b, m.Applied)
	b = binary.LittleEndian.AppendUint64(b, m.State)
	if m.Open {
		return append(b, 1)
	}
	return append(b, 0)
}

func decodeMark(b []byte) (m mark, err error) {
	if len(b) != len(m.ID)+8+8+1 {
		return m, store.Damaged("the mark of the write-ahead log has %d bytes", len(b))
	}
	copy(m.ID[:], b)
	m.Applied = binary.LittleEndian.Uint64(b[8:])
	m.State = binary.LittleEndian.Uint64(b[16:])
	m.Open = b[24] == 1
	return m, nil
}

// stamp writes the mark, if there ever was a WAL.
func (t *Tail) stamp(tx store.Tx) error {
	if t.mark.ID == (wal.ID{}) {
		return nil
	}
	m := t.mark
	m.State = t.file.Number() + 1
	return tx.Put(markTable, markKey, m.encode())
}

// CheckNew refuses to begin a file at path where a WAL lies that belongs to another, which is gone.
func CheckNew(path string) error {
	_, err := os.Stat(path)
	_, failed := os.Lstat(PathOf(path))
	if errors.Is(err, fs.ErrNotExist) && failed == nil {
		return refusal(path, errOther)
	}
	return nil
}

// Why the WAL beside a file cannot be used.
var (
	errMissing = errors.New("the write-ahead log is not there")
	errOther   = errors.New("the write-ahead log goes on from another state")
)

// takeOver reads the WAL that a crash has left. The file gets what it has; where there is no room for that, it stays
// a layer over it.
//
// Implements: ORC-390
func (t *Tail) takeOver(readOnly, acceptMissing bool) error {
	if err := t.readMark(); err != nil {
		return err
	}
	wasOpen := t.mark.Open
	t.mark.Open = false
	kept, err := wal.Read(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		if wasOpen && !acceptMissing {
			return errMissing
		}
		if wasOpen && !readOnly {
			return t.note(t.mark)
		}
		return nil
	}
	if err != nil {
		return err
	}
	left, err := t.leftBy(kept, wasOpen)
	if err != nil {
		return err
	}
	t.layers.Store(&layers{old: left})
	if readOnly {
		return nil
	}
	if left.Len() > 0 {
		err = t.settle()
	} else if wasOpen {
		err = t.note(t.mark)
	}
	if errors.Is(err, fault.InsufficientStorage) {
		return nil
	}
	if err != nil {
		return err
	}
	_ = os.Remove(t.path) // one that stays has nothing that the file has not
	return nil
}

func (t *Tail) readMark() error {
	return t.file.View(context.Background(), func(r store.Reader) error {
		b, err := r.Get(markTable, markKey)
		if err == nil && b != nil {
			t.mark, err = decodeMark(b)
		}
		return err
	})
}

// leftBy returns what a WAL has and the file has not, and notes how far it goes.
func (t *Tail) leftBy(kept wal.Kept, wasOpen bool) (*overlay.Layer, error) {
	left := overlay.New()
	if kept.ID != t.mark.ID {
		if wasOpen || len(kept.Batches) > 0 {
			return nil, errOther
		}
		return left, nil
	}
	batches, err := kept.After(t.mark.Applied)
	switch {
	case err != nil:
	case wasOpen && kept.Last() < t.mark.Applied: // it is an older copy
		err = errOther
	case len(batches) > 0 && (!wasOpen || t.mark.State != t.file.Number()): // the file went on without it
		err = errOther
	}
	for _, b := range batches {
		if err == nil {
			err = b.EachWrite(func(table, key string, value []byte) {
				left.Set(overlay.Write{Table: table, Key: key, Value: value})
			})
		}
		t.mark.Applied = b.Number
	}
	return left, err
}

// Save gives a copy of the file all that the WAL has.
func (t *Tail) Save(copied store.Store) error {
	l := t.layers.Load()
	return copied.Update(context.Background(), func(tx store.Tx) error {
		b, err := tx.Get(markTable, markKey)
		if err != nil || b == nil { // there never was a WAL
			return err
		}
		done, err := decodeMark(b)
		if err != nil {
			return err
		}
		for _, layer := range []*overlay.Layer{l.old, l.young} {
			if err := putAll(tx, layer.All()); err != nil {
				return err
			}
		}
		done.Applied, done.Open = math.MaxUint64, false
		return tx.Put(markTable, markKey, done.encode())
	})
}

// refusal returns why the WAL at the side of the file at path was not taken over, and what to do.
func refusal(path string, err error) error {
	const accept = "accept the state that is left with serve --accept-rollback and the reason"
	switch {
	case errors.Is(err, errMissing):
		return refuse(store.CodeWALMissing, path, err,
			"%s was in use when its process ended, and its write-ahead log is gone: it may lack its newest changes",
			"put that, which has its name and ends in .wal, back beside it; else restore a backup, or "+accept)
	case errors.Is(err, errOther) || errors.Is(err, wal.ErrGap):
		return refuse("store_wal_foreign", path, err,
			"the write-ahead log beside %s does not go on where the database ends",
			"put back the one of them that was replaced; or move the log away if its changes are not wanted")
	case errors.Is(err, wal.ErrDamaged):
		return refuse("store_wal_damaged", path, err, "the write-ahead log beside %s is damaged",
			"keep a copy of both, and restore a backup; or move the log away, and "+accept)
	case fault.Is(err, store.CodeDamaged):
		return err
	}
	return refuse(store.CodeIO, path, err, "the write-ahead log beside %s cannot be read", "look at the cause")
}

func refuse(code fault.Code, path string, cause error, format, fix string) error {
	return fault.New(fault.Unavailable, code, format, path).Because(cause).WithFix("%s", fix)
}
