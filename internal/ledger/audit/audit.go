// Package audit holds the records of the log and the Merkle tree over them.
//
// The log is an RFC 6962 tree: leaf i is RecordHash of the stored bytes of record i, so whoever has the
// bytes can recompute the root. The package is pure; the ledger stores what it computes. A record is at
// most MaxRecord bytes, because the public tile format length-prefixes entries with 16 bits.
package audit

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/system/jsonobject"
)

// MaxRecord is the most bytes one encoded record may have.
const MaxRecord = 60_000

// Actor is who caused a record. Role "system" is the service itself.
type Actor struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// Record is one decision. Data's shape belongs to the Kind and is documented where records of that kind
// are written.
type Record struct {
	Seq       uint64          `json:"seq"` // 0-based index in the log
	At        time.Time       `json:"at"`  // what the clock said; the order is that of Seq alone
	Kind      string          `json:"kind"`
	Actor     Actor           `json:"actor"`
	Subject   string          `json:"subject,omitempty"` // the requirement it is about
	Prev      uint64          `json:"prev,omitzero"`     // the record before it about the same subject
	RequestID string          `json:"request_id,omitempty"`
	Data      json.RawMessage `json:"data"`
}

// Encode gives the bytes that are stored and hashed. Equal records have equal bytes. Their data is what the ledger has
// encoded: it is copied.
func Encode(r Record) ([]byte, error) {
	if r.Data == nil {
		r.Data = json.RawMessage("null")
	}
	encoded, err := jsonobject.Bytes(r.write)
	switch {
	case err != nil:
		return nil, fmt.Errorf("encode audit record %d: %w", r.Seq, err)
	case len(encoded) > MaxRecord:
		return nil, fmt.Errorf("audit record %d has %d bytes, the limit is %d", r.Seq, len(encoded), MaxRecord)
	case !jsontext.Value(encoded).IsValid(jsontext.AllowDuplicateNames(true)): // nobody could read it again
		return nil, fmt.Errorf("encode audit record %d: its data is not JSON, or too deep", r.Seq)
	}
	return encoded, nil
}

func (r *Record) write(w *jsonobject.Writer) {
	w.B = slices.Grow(w.B, len(r.Data)+256) // that of an import has many megabytes
	w.Begin()
	w.Uint("seq", r.Seq)
	w.Time("at", r.At)
	w.Text("kind", r.Kind)
	w.Object("actor")
	w.Text("name", r.Actor.Name)
	w.Text("role", r.Actor.Role)
	w.End()
	w.SomeText("subject", r.Subject)
	w.SomeUint("prev", r.Prev)
	w.SomeText("request_id", r.RequestID)
	w.Encoded("data", r.Data)
	w.End()
}

// Decode reads a stored record, strictly.
func Decode(b []byte) (Record, error) {
	var r Record
	if err := jsonv2.Unmarshal(b, &r, jsonv2.RejectUnknownMembers(true)); err != nil {
		return Record{}, fmt.Errorf("decode audit record: %w", err)
	}
	return r, nil
}

// Hash is a node of the tree.
type Hash = tlog.Hash

// Head is the log at one size: its root, and the frontier (the roots of its maximal complete subtrees,
// left to right) that the next append needs. The zero Head is the empty log.
type Head struct {
	Size     uint64    `json:"size"`
	Root     Hash      `json:"root"`
	At       time.Time `json:"at"` // of the last record
	Frontier []Hash    `json:"-"`  // not kept: the stored nodes have it (HeadAt)
}

// Equal reports whether two heads are the same in every part.
func (h Head) Equal(other Head) bool {
	return h.Size == other.Size && h.Root == other.Root && h.At.Equal(other.At) &&
		slices.Equal(h.Frontier, other.Frontier)
}

// StoredHash is a node to keep, at its index in the order of tlog.StoredHashIndex.
type StoredHash struct {
	Index uint64
	Hash  Hash
}

// clocksDiffer is by how much the clocks of processes that write to one log may differ.
const clocksDiffer = time.Minute

// Dated returns what the time is where several processes write to the log: not before its last record, if the clock is
// behind that by less than a minute. What the clock of one has dated is not of the future for another.
func (h Head) Dated(now time.Time) time.Time {
	if ahead := h.At.Sub(now); ahead > 0 && ahead < clocksDiffer {
		return h.At
	}
	return now
}

// Seal appends the bytes of record number h.Size, dated at, and returns the new head with the nodes that became
// complete.
func (h Head) Seal(record []byte, at time.Time) (Head, []StoredHash, error) {
	return h.seal(tlog.RecordHash(record), at)
}

// seal appends a record that has a hash.
func (h Head) seal(leaf Hash, at time.Time) (Head, []StoredHash, error) {
	if subtrees := bits.OnesCount64(h.Size); len(h.Frontier) != subtrees {
		return Head{}, nil, fmt.Errorf("seal audit record %d: a log of %d records has %d subtrees, not %d", h.Size,
			h.Size, subtrees, len(h.Frontier))
	}
	node := StoredHash{uint64(tlog.StoredHashIndex(0, int64(h.Size))), leaf}
	left, stored := h.Frontier, []StoredHash{node}
	for n := h.Size; n&1 == 1; n >>= 1 { // two subtrees of one size become one
		node = StoredHash{node.Index + 1, tlog.NodeHash(left[len(left)-1], node.Hash)}
		left, stored = left[:len(left)-1], append(stored, node)
	}
	next := Head{Size: h.Size + 1, At: at, Frontier: append(slices.Clip(left), node.Hash)}
	next.Root = rootOf(next.Frontier)
	return next, stored, nil
}

// rootOf returns the root over the maximal complete subtrees of a log that is not empty.
func rootOf(frontier []Hash) Hash {
	root := frontier[len(frontier)-1]
	for _, left := range slices.Backward(frontier[:len(frontier)-1]) {
		root = tlog.NodeHash(left, root)
	}
	return root
}

// FrontierIndexes returns the stored-hash indexes of the maximal complete subtrees of a log, left to right.
func FrontierIndexes(size uint64) []int64 {
	var indexes []int64
	var start uint64
	for level := 62; level >= 0; level-- {
		if size&(1<<level) != 0 {
			indexes = append(indexes, tlog.StoredHashIndex(level, int64(start>>level)))
			start += 1 << level
		}
	}
	return indexes
}

// HeadAt rebuilds the head of a log from its stored nodes, and checks nothing but that they are there.
func HeadAt(size uint64, at time.Time, nodes tlog.HashReader) (Head, error) {
	h := Head{Size: size, At: at}
	if size == 0 {
		return h, nil
	}
	frontier, err := nodes.ReadHashes(FrontierIndexes(size))
	if err != nil {
		return Head{}, err
	}
	h.Frontier, h.Root = frontier, rootOf(frontier)
	return h, nil
}
