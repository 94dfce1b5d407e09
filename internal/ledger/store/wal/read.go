package wal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"syscall"
)

// ErrDamaged says that a file is no WAL, or that a batch that was confirmed is not as it was written.
var ErrDamaged = errors.New("the write-ahead log is damaged")

// damage is what is wrong, and an ErrDamaged.
type damage string

func (d damage) Error() string { return string(d) }

func (damage) Is(target error) bool { return target == ErrDamaged }

func damaged(format string, args ...any) error { return damage(fmt.Sprintf(format, args...)) }

// Kept is what a WAL file has.
type Kept struct {
	ID      ID
	Batches []Batch // with consecutive numbers
}

// Batch is one batch of a WAL.
type Batch struct {
	Number  uint64
	Payload []byte
}

// Read returns the batches of a WAL file that nobody appends to. One that a crash cut short is not among them: it
// was the last, and was not confirmed. The error is one of the file system, or wraps ErrDamaged.
func Read(path string) (kept Kept, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return kept, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return kept, err
	}
	if !info.Mode().IsRegular() {
		return kept, damaged("the log is not a regular file")
	}
	b := make([]byte, min(info.Size(), fileSize+1))
	if _, err := io.ReadFull(f, b); err != nil {
		return kept, err
	}
	return parse(b)
}

func parse(b []byte) (kept Kept, err error) {
	if len(b) != fileSize {
		return kept, damaged("the log is not %d bytes long", fileSize)
	}
	if string(b[:len(magic)]) != magic {
		return kept, damaged("the file is not a write-ahead log")
	}
	copy(kept.ID[:], b[len(magic):])
	if !bytes.Equal(b[:headSize], appendHead(nil, kept.ID)) {
		return kept, damaged("the header of the log is damaged")
	}
	halves := b[headSize:]
	kept.Batches = join(parseHalf(halves[:Half], kept.ID), parseHalf(halves[Half:], kept.ID))
	return kept, checkBeyond(halves, kept.ID, kept.Last()+1)
}

// parseHalf returns the intact batches that follow one another from the start of a half.
func parseHalf(b []byte, id ID) (list []Batch) {
	for {
		next, ok := parseBatch(b, id)
		if n := len(list); !ok || n > 0 && next.Number != list[n-1].Number+1 {
			return list
		}
		list = append(list, next)
		b = b[batchHead+len(next.Payload):]
	}
}

// parseBatch returns the batch at the start of b, if there is an intact one.
func parseBatch(b []byte, id ID) (Batch, bool) {
	if len(b) < batchHead || !bytes.Equal(b[8:8+len(id)], id[:]) {
		return Batch{}, false
	}
	length := uint64(order.Uint32(b[4:]))
	if length > uint64(len(b)-batchHead) {
		return Batch{}, false
	}
	whole := b[:batchHead+int(length)]
	if crc32.Checksum(whole[4:], castage) != order.Uint32(whole) {
		return Batch{}, false
	}
	return Batch{order.Uint64(whole[8+len(id):]), whole[batchHead:]}, true
}

// join puts the batches of two halves in their order. Where they do not follow on, the older ones are what a batch that
// was cut short has left of a former round.
func join(one, other []Batch) []Batch {
	if len(one) == 0 || len(other) > 0 && other[0].Number < one[0].Number {
		one, other = other, one
	}
	if len(other) > 0 && other[0].Number != one[len(one)-1].Number+1 {
		return other
	}
	return append(one, other...)
}

// checkBeyond refuses a file in which an intact batch with a number above most lies anywhere. A batch is written only
// when the one before it is durable: that one has been damaged since. A file whose batches claim to have many times its
// length is refused as well: it is forged, and would take hours to sum.
func checkBeyond(b []byte, id ID, most uint64) error {
	for left := uint64(4 * len(b)); ; {
		at := bytes.Index(b, id[:])
		if at < 0 {
			return nil
		}
		if at >= 8 {
			found, ok := parseBatch(b[at-8:], id)
			claimed := min(uint64(order.Uint32(b[at-4:])), uint64(len(b)))
			switch {
			case ok && found.Number > most:
				return damaged("batch %d is damaged, and a later one is intact", most)
			case claimed > left:
				return damaged("the batches of the log are longer than the file")
			}
			left -= claimed
		}
		b = b[at+1:]
		// the 8 bytes before the next id must stay
	}
}

// ErrGap says that batches between those of the database and those of the WAL are missing.
var ErrGap = errors.New("the write-ahead log does not go on where the database ends")

// Last returns the number of the last batch, 0 if there is none.
func (k Kept) Last() uint64 {
	if n := len(k.Batches); n > 0 {
		return k.Batches[n-1].Number
	}
	return 0
}

// After returns the batches with numbers above applied, of which the first must be the next.
func (k Kept) After(applied uint64) ([]Batch, error) {
	for i, b := range k.Batches {
		if b.Number > applied {
			if b.Number != applied+1 {
				return nil, ErrGap
			}
			return k.Batches[i:], nil
		}
	}
	return nil, nil
}
