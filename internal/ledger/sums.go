package ledger

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/system/jsonobject"
)

// mark is where the ledger stands: the head of its log, and a check sum of each table that is written through
// Table. It is written with every update, so that a start can tell whether the tables are as they were left.
type mark struct {
	audit.Head

	Sums  sums   `json:"sums"`
	Moved string `json:"moved,omitempty"` // the store in which the log goes on; package moved
}

// sums are check sums by table: the sum of the xxHash64 of every entry, so that a write changes it by two terms
// and the order does not matter. They find damage, as disks do it; against malice there is Verify, which replays.
type sums map[string]uint64

var metaMark = Table[mark]{Name: tableMeta}

// checkMoved refuses to write to a log that goes on in another store.
//
// Implements: ORC-377
func (m mark) checkMoved() error {
	if m.Moved != "" {
		return moved.Elsewhere(m.Moved)
	}
	return nil
}

// encodedMark saves decoding what this process has just encoded.
type encodedMark struct {
	raw   []byte
	mark  mark
	trail following.Trail
}

// readMark reads the mark of the store, and on one that several processes share the trail of the last commit. An empty
// store has the zero mark.
func (l *Ledger) readMark(from store.Getter) (m mark, t following.Trail, err error) {
	var stored following.Stored
	if l.others == nil {
		stored.Head, err = from.Get(tableMeta, keyHead)
	} else {
		stored, _, err = following.Read(from)
	}
	if known := l.last.Load(); err == nil && known != nil && bytes.Equal(known.raw, stored.Head) {
		return known.mark, known.trail, nil
	}
	if err == nil {
		t, err = stored.Trail()
	}
	if err != nil || stored.Head == nil {
		return m, t, err
	}
	m, err = decodeMark(t.Nodes(from), stored.Head)
	return m, t, err
}

// putMark writes the mark and returns its bytes.
func putMark(to store.Tx, m mark) ([]byte, error) {
	raw, err := m.encode()
	if err != nil {
		return nil, err
	}
	return raw, to.Put(tableMeta, keyHead, raw)
}

// encode encodes the mark as Encode does; it is written with every update.
func (m mark) encode() ([]byte, error) {
	return jsonobject.Bytes(func(w *jsonobject.Writer) {
		w.Begin()
		w.Uint("size", m.Size)
		w.Text("root", m.Root.String())
		w.Time("at", m.At)
		w.Object("sums")
		for _, table := range slices.Sorted(maps.Keys(m.Sums)) {
			w.Uint(table, m.Sums[table])
		}
		w.End()
		w.SomeText("moved", m.Moved)
		w.End()
	})
}

// decodeMark reads a mark and the frontier of its head, which the stored tree must bear out.
func decodeMark(tree following.Hashes, raw []byte) (mark, error) {
	m, _, err := metaMark.Decode(keyHead, raw)
	if err != nil {
		return m, err
	}
	head, err := audit.HeadAt(m.Size, m.At, tree)
	if err != nil {
		return m, store.Damaged("the tree of the log is incomplete").Because(err)
	}
	if head.Root != m.Root {
		return m, store.Damaged("the head of the log does not match its stored tree")
	}
	m.Head = head
	return m, nil
}

// replace accounts for a value that takes the place of another; nil stands for none.
func (s sums) replace(table, key string, before, after []byte) {
	if before != nil {
		s[table] -= entrySum(key, before)
	}
	if after != nil {
		s[table] += entrySum(key, after)
	}
}

// entrySum counts the key by its length too, so that no part of it can move into the value.
func entrySum(key string, value []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(key)))
	_, _ = d.Write(length[:])
	_, _ = d.WriteString(key)
	_, _ = d.Write(value)
	return d.Sum64()
}

// check reads every table that has a sum.
func (s sums) check(r store.Reader) error {
	for _, table := range slices.Sorted(maps.Keys(s)) {
		var found uint64
		err := r.Scan(table, "", "", func(key string, value []byte) error {
			found += entrySum(key, value)
			return nil
		})
		if err != nil {
			return err
		}
		if found != s[table] {
			return store.Damaged("table %s is not as it was left", table)
		}
	}
	return nil
}
