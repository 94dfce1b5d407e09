// Package wal appends batches of changes to a write-ahead log, a file whose room was taken beforehand, so that one sync
// of its bytes makes a batch durable.
//
// The file has a head and two halves. Batches are appended to one half, with consecutive numbers; Turn goes on at the
// start of the other, whose batches must no longer be needed by then. A batch is
//
//	CRC-32C u32 | length of the payload u32 | id of the WAL [8]byte | number u64 | payload
//
// in little-endian order, where the check sum covers all that follows it. What a half still has of its former round
// ends it: those numbers do not follow on.
package wal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// Half is how many bytes of batches fit into one half.
const Half = 4 << 20

const (
	magic     = "orcwal01"
	headSize  = 4096 // of which the first 20 bytes are used: magic, id, CRC-32C of both
	batchHead = 4 + 4 + len(ID{}) + 8
	fileSize  = headSize + 2*Half
)

// ID tells a WAL from all others.
type ID [8]byte

var (
	order   = binary.LittleEndian
	castage = crc32.MakeTable(crc32.Castagnoli)
)

// ErrLost is the error of Append when no path leads to the file any more, or another hand has changed its length.
var ErrLost = errors.New("the write-ahead log is no longer the file that was written")

// Log is open for appending. It is not safe for concurrent use.
type Log struct {
	path string
	file *os.File
	sync func(*os.File) error // makes what was written durable
	id   ID
	last uint64 // number of the last batch
	half int
	used int
	at   int64 // where the last batch begins
	buf  []byte
}

// Create makes a WAL beside path, with all its room, and mode 0600. Install puts it there. One process at a time may
// do so.
func Create(path string) (*Log, error) {
	j := &Log{path: path, sync: datasync}
	_, _ = rand.Read(j.id[:]) // never fails
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	err := os.Remove(name) // what a crash left
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if j.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err
	}
	if err := errors.Join(j.fill(), j.file.Sync()); err != nil {
		return nil, errors.Join(err, j.file.Close(), os.Remove(j.file.Name()))
	}
	return j, nil
}

// fill writes the head, and zeros up to the end: a block that was never written would cost its first batch a second
// sync, of the file's own tables.
func (j *Log) fill() error {
	if _, err := j.file.Write(appendHead(nil, j.id)); err != nil {
		return err
	}
	zeros := make([]byte, Half/4)
	for range 8 {
		if _, err := j.file.Write(zeros); err != nil {
			return err
		}
	}
	return nil
}

func appendHead(b []byte, id ID) []byte {
	b = append(append(b, magic...), id[:]...)
	b = order.AppendUint32(b, crc32.Checksum(b, castage))
	return append(b, make([]byte, headSize-len(b))...)
}

// Install puts the WAL at its path, in the place of whatever is there.
func (j *Log) Install() error {
	if err := os.Rename(j.file.Name(), j.path); err != nil {
		return err
	}
	return errors.Join(syncFolder(j.path), j.Check())
}

// ID returns the id of the WAL.
func (j *Log) ID() ID { return j.id }

// Last returns the number of the last batch, 0 before the first.
func (j *Log) Last() uint64 { return j.last }

// Used returns how many bytes of the present half are taken.
func (j *Log) Used() int { return j.used }

// Fits reports whether a batch with a payload of n bytes fits into what is left of the present half.
func (j *Log) Fits(n int) bool { return j.used+batchHead+n <= Half }

// Turn goes on at the start of the other half.
func (j *Log) Turn() { j.half, j.used = 1-j.half, 0 }

// Append writes the next batch, which must fit, and returns when it is durable. After an error the WAL may or may
// not have the batch, and must not be used any more.
func (j *Log) Append(payload []byte) error {
	j.last++
	j.buf = appendBatch(j.buf[:0], j.id, j.last, payload)
	j.at = int64(headSize + j.half*Half + j.used)
	if _, err := j.file.WriteAt(j.buf, j.at); err != nil {
		return err
	}
	if err := j.sync(j.file); err != nil {
		return err
	}
	j.used += len(j.buf)
	return j.Check()
}

// Retract makes sure, after an error of Append, that the WAL does not have the batch.
func (j *Log) Retract() error {
	if _, err := j.file.WriteAt(make([]byte, batchHead), j.at); err != nil {
		return err
	}
	return datasync(j.file)
}

func appendBatch(b []byte, id ID, number uint64, payload []byte) []byte {
	b = order.AppendUint32(b, 0)
	b = order.AppendUint32(b, uint32(len(payload)))
	b = append(b, id[:]...)
	b = order.AppendUint64(b, number)
	b = append(b, payload...)
	order.PutUint32(b, crc32.Checksum(b[4:], castage))
	return b
}

// Check returns ErrLost unless the path leads to the file, and it has its length.
func (j *Log) Check() error {
	named, err := os.Lstat(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrLost
	}
	if err != nil {
		return err
	}
	opened, err := j.file.Stat()
	if err == nil && (!os.SameFile(named, opened) || opened.Size() != fileSize) {
		err = ErrLost
	}
	return err
}

// Close closes the WAL and leaves its file.
func (j *Log) Close() error { return j.file.Close() }

// Discard closes the WAL and removes its file, wherever that is.
func (j *Log) Discard() error {
	var err error
	for _, path := range []string{j.path, j.file.Name()} {
		named, failed := os.Lstat(path)
		opened, failed2 := j.file.Stat()
		if failed == nil && failed2 == nil && os.SameFile(named, opened) {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return errors.Join(err, j.file.Close())
}

func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
