package auditor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
)

// ahead is how many tiles are read before they are needed.
const ahead = 4

// piece is one tile of records. err comes after its entries.
type piece struct {
	entries []entry
	err     error
}

// entry is one record with what lies beside the log for it. err says what is wrong with it by itself. The data is read
// when the record's turn comes: a record has 64 KiB at most, but data 64 MiB, and a tile of records may name it 256
// times.
type entry struct {
	raw    []byte
	leaf   audit.Hash // of raw
	record audit.Record
	digest string // of the data beside the log; "" for none
	data   []byte // nil until its turn
	// what can be read of it before its turn; nil where that needs the data, or nothing is decided again
	decoded *replay.Record
	err     error
}

// Get makes entry a store.Getter that has the data beside the log.
func (e entry) Get(table, key string) ([]byte, error) {
	return ledger.Blobs(func(digest string) ([]byte, error) {
		if digest != e.digest {
			return nil, nil
		}
		return e.data, nil
	}).Get(table, key)
}

// readAhead reads all tiles of records in order, on another processor if there is one: while they are decided again,
// the next ones are read, hashed and decoded. It stops after an error, or when ctx ends. Without a replay nothing is
// decided again.
func readAhead(ctx context.Context, src Source, size uint64, replay *replay.Replay) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		ctx, stop := context.WithCancel(ctx)
		pieces := make(chan piece, ahead)
		go func() {
			defer close(pieces)
			for t := range tiles(size) {
				p := readPiece(ctx, src, t)
				if replay != nil {
					p.decode(replay)
				}
				select {
				case pieces <- p:
				case <-ctx.Done():
					return
				}
				if p.err != nil {
					return
				}
			}
		}()
		defer func() {
			stop()
			for range pieces { // until the other has ended
			}
		}()
		for p := range pieces {
			if !yield(p) {
				return
			}
		}
	}
}

func readPiece(ctx context.Context, src Source, t audit.Tile) (p piece) {
	records, failed := readEntries(ctx, src, t)
	hashes := t
	hashes.Entries = false
	leaves, err := read(ctx, src, tilePrefix+hashes.Path())
	if err != nil {
		return piece{err: err}
	}
	if failed == nil && len(leaves) != t.Width*tlog.HashSize {
		failed = bad("log_tile", "%s%s has %d bytes, not %d", tilePrefix, hashes.Path(), len(leaves), t.Width*tlog.HashSize)
	}
	p.entries, p.err = make([]entry, min(len(records), len(leaves)/tlog.HashSize)), failed
	for i := range p.entries {
		p.entries[i] = readEntry(t.Number*audit.TileWidth+uint64(i), records[i],
			leaves[i*tlog.HashSize:][:tlog.HashSize])
	}
	return p
}

// decode reads the data of the records for the replay, up to one that is wrong by itself.
func (p piece) decode(replay *replay.Replay) {
	for i := range p.entries {
		e := &p.entries[i]
		if e.err != nil {
			return
		}
		if e.digest == "" {
			e.decoded = replay.Read(*e, e.record)
		}
	}
}

// readEntry looks at what a record is by itself: whether it is the one that its leaf in the tree stands for, and
// whether it can be read.
func readEntry(n uint64, raw, leaf []byte) entry {
	e := entry{raw: raw, leaf: tlog.RecordHash(raw)}
	if !bytes.Equal(e.leaf[:], leaf) {
		e.err = badRecord(n, "log_record_changed", "record %d and its leaf in the tree differ: one of them was changed", n)
		return e
	}
	if e.record, e.err = audit.Decode(raw); e.err != nil {
		e.err = badRecord(n, "log_record", "record %d cannot be read: %v", n, e.err)
		return e
	}
	e.digest = ledger.BlobOf(e.record)
	return e
}

// readBlob reads data that lies beside the log, checked against the digest that its record names.
func readBlob(ctx context.Context, src Source, digest string) ([]byte, error) {
	if sum, err := hex.DecodeString(digest); err != nil || fmt.Sprintf("%x", sum) != digest || len(sum) != sha256.Size {
		return nil, bad("log_blob", "%q is no digest of data beside the log", digest)
	}
	data, err := read(ctx, src, blobPrefix+digest)
	if err != nil {
		return nil, err
	}
	if ledger.Digest(data) != digest {
		return nil, bad("log_blob", "%s%s was changed", blobPrefix, digest)
	}
	return data, nil
}
