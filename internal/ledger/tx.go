package ledger

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/following"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// maxInline is the most data a record carries itself; more is kept in table blobs, and the record names
// its digest. It leaves room for the record's other members.
const maxInline = audit.MaxRecord - 4_000

// Tx is one update under way.
type Tx struct {
	store   store.Tx
	at      time.Time
	head    audit.Head
	sums    sums
	records []audit.Record
	writes  []Write
	kept    []Write // that the log does not account for

	grown     int       // bytes that the database grows by
	now       time.Time // by the clock: a budget is of the present day
	budget    uint64
	account   audit.Actor // that is charged; the zero value is the actor of the first record
	unbounded bool

	others *following.Pursuit // nil where no other process writes
	trail  following.Trail    // of the commit before
}

// Seq returns the number that the next record of this update will have.
func (tx *Tx) Seq() uint64 { return tx.head.Size }

// Head returns the head of the log with the records that this update has appended so far.
func (tx *Tx) Head() audit.Head { return tx.head }

// At returns what the clock said when this update began, and the time of its records. A clock that was set back gives
// later updates earlier times: the order is that of Seq alone. On a store that several processes share it is the time
// of the last record, if the clock is behind that by less than a minute.
func (tx *Tx) At() time.Time { return tx.at }

// Get makes Tx a store.Getter; it sees the update's own writes.
func (tx *Tx) Get(table, key string) ([]byte, error) { return tx.store.Get(table, key) }

// Event is what a user of the ledger says of a record; the ledger adds number and time.
type Event struct {
	Kind      string
	Actor     audit.Actor
	Subject   string // at most 1,024 bytes
	RequestID string // at most 128 bytes
	Data      any    // encoded as JSON, unless it is Encoded; kept beside the log when large
}

// blobRef stands in a record in place of data that is kept in table blobs.
type blobRef struct {
	Blob string `json:"blob"` // SHA-256 of the data, in hexadecimal
	Size int    `json:"size"` // bytes
}

// Append adds a record to the log.
func (tx *Tx) Append(e Event) error {
	data, err := encodeData(e.Data)
	if err != nil {
		return err
	}
	if len(data) > maxInline {
		if data, err = tx.keepBlob(data); err != nil {
			return err
		}
	}
	r := audit.Record{Seq: tx.head.Size, At: tx.at, Kind: e.Kind, Actor: e.Actor, Subject: e.Subject,
		RequestID: e.RequestID, Data: data}
	if r.Prev, err = tx.follow(e.Subject); err != nil {
		return err
	}
	raw, err := audit.Encode(r)
	if err != nil {
		return err
	}
	return tx.add(r, raw)
}

// add puts a record with the nodes that it completes, and moves the head on.
func (tx *Tx) add(r audit.Record, raw []byte) error {
	head, nodes, err := tx.head.Seal(raw, r.At)
	if err != nil {
		return err
	}
	tx.head, tx.records = head, append(tx.records, r)
	tx.grown += len(raw) + len(nodes)*len(audit.Hash{})
	return tx.store.Put(rows.Table, rows.Key(r.Seq), rows.Of(raw, nodes))
}

var threads = Table[audit.Thread]{Name: tableSubjects}

// follow makes the next record the last of its subject, and returns the one that was.
func (tx *Tx) follow(subject string) (prev uint64, err error) {
	if subject == "" {
		return 0, nil
	}
	t, _, err := threads.Get(tx, subject)
	if err != nil {
		return 0, err
	}
	raw, err := Encode(audit.Thread{Last: tx.head.Size, Count: t.Count + 1})
	if err != nil {
		return 0, err
	}
	if t.Count == 0 {
		tx.grown += len(subject) + len(raw)
	}
	return t.Last, tx.store.Put(tableSubjects, subject, raw)
}

func (tx *Tx) keepBlob(data []byte) (json.RawMessage, error) {
	ref := blobRef{Digest(data), len(data)}
	known, err := tx.store.Get(tableBlobs, ref.Blob)
	if err != nil {
		return nil, err
	}
	if known == nil {
		tx.grown += len(ref.Blob) + len(data)
	}
	if err := tx.store.Put(tableBlobs, ref.Blob, data); err != nil {
		return nil, err
	}
	return Encode(ref)
}

// seal writes the new head and the check sums. An update that only read has nothing to seal.
func (tx *Tx) seal(last *atomic.Pointer[encodedMark]) (*Commit, error) {
	if len(tx.records) == 0 {
		if len(tx.writes) > 0 {
			return nil, fmt.Errorf("ledger: %d writes without an audit record", len(tx.writes))
		}
		return nil, nil
	}
	spender, spent, err := tx.charge()
	if err != nil {
		return nil, err
	}
	m := mark{Head: tx.head, Sums: tx.sums}
	raw, err := putMark(tx.store, m)
	if err != nil {
		return nil, err
	}
	c := &Commit{
		Head:    tx.head,
		Records: tx.records,
		Writes:  append(tx.writes, tx.kept...),
		Spender: spender,
		Spent:   spent,
	}
	left := following.Trail{}
	if tx.others != nil {
		if left, err = tx.others.Leave(tx.store, tx.trail, c); err != nil {
			return nil, err
		}
	}
	last.Store(&encodedMark{raw, m, left})
	return c, nil
}

// Table is a table of JSON values of one type.
type Table[T any] struct {
	Name   string
	Encode func(*T) ([]byte, error) // returns what the function Encode would; nil means that function
}

// Get reads a value; found is false when the key is absent.
func (t Table[T]) Get(from store.Getter, key string) (value T, found bool, err error) {
	raw, err := from.Get(t.Name, key)
	if err != nil || raw == nil {
		return value, false, err
	}
	return t.Decode(key, raw)
}

// Decode reads the bytes of a value that Put has written.
func (t Table[T]) Decode(key string, raw []byte) (value T, found bool, err error) {
	if err := decode(raw, &value); err != nil {
		return value, false, store.Damaged("table %s, key %q cannot be read", t.Name, key).Because(err)
	}
	return value, true, nil
}

// Put writes a value and returns its bytes. Equal values have equal bytes; do not change them. A jsontext.Value is one
// that Encode has returned, and is not encoded again.
func (t Table[T]) Put(tx *Tx, key string, value T) ([]byte, error) {
	object := &value // a pointer, since a value is copied wherever it is passed as any
	if encoded, is := any(value).(jsontext.Value); is {
		return encoded, tx.write(Write{Table: t.Name, Key: key, Value: encoded, Object: object})
	}
	raw, err := t.encode(object)
	if err != nil {
		return nil, err
	}
	return raw, tx.write(Write{Table: t.Name, Key: key, Value: raw, Object: object})
}

// Encoding returns the bytes of a value, as Put writes them.
func (t Table[T]) Encoding(value T) ([]byte, error) { return t.encode(&value) }

func (t Table[T]) encode(value *T) ([]byte, error) {
	if t.Encode == nil {
		return Encode(value)
	}
	raw, err := t.Encode(value)
	if err != nil {
		return nil, fmt.Errorf("ledger: encode %T: %w", value, err)
	}
	return raw, nil
}

// Delete removes a value.
func (t Table[T]) Delete(tx *Tx, key string) error { return tx.write(Write{Table: t.Name, Key: key}) }

// write puts or deletes an entry, and keeps the check sum of its table.
func (tx *Tx) write(w Write) error {
	before, err := tx.store.Get(w.Table, w.Key)
	if err != nil {
		return err
	}
	tx.writes = append(tx.writes, w)
	tx.sums.replace(w.Table, w.Key, before, w.Value)
	tx.grown += max(len(w.Value)-len(before), 0)
	if w.Value == nil {
		return tx.store.Delete(w.Table, w.Key)
	}
	return tx.store.Put(w.Table, w.Key, w.Value)
}

// Scan visits every value in the order of the keys. The raw bytes are only valid during the visit.
func (t Table[T]) Scan(from store.Reader, visit func(key string, raw []byte, value T) error) error {
	return from.Scan(t.Name, "", "", func(key string, raw []byte) error {
		var value T
		if err := decode(raw, &value); err != nil {
			return store.Damaged("table %s, key %q cannot be read", t.Name, key).Because(err)
		}
		return visit(key, raw, value)
	})
}

// Encode encodes a value as all stored values are encoded: deterministically, so that a replay gives the same bytes.
func Encode(v any) ([]byte, error) {
	b, err := jsonv2.Marshal(v, jsonv2.Deterministic(true), trusted)
	if err != nil {
		return nil, fmt.Errorf("ledger: encode %T: %w", v, err)
	}
	return b, nil
}

func decode(raw []byte, v any) error {
	return jsonv2.Unmarshal(raw, v, jsonv2.RejectUnknownMembers(true), trusted)
}

// trusted spares a search for duplicate names: what is encoded here was parsed strictly before, and what is
// decoded here was encoded here.
var trusted = jsontext.AllowDuplicateNames(true)

// Encoded is a value as Encode encodes it.
type Encoded []byte

// Encoder is a value that encodes itself as Encode would. A struct that embeds one is an Encoder too, and needs an
// Encode of its own: that of the embedded value leaves out all else.
type Encoder interface{ Encode() (Encoded, error) }

func encodeData(data any) ([]byte, error) {
	switch data := data.(type) {
	case Encoded:
		return data, nil
	case Encoder:
		return data.Encode()
	}
	return Encode(data)
}

// PutEncoded writes a value as Put would have encoded it. The bytes are the ledger's from then on. What follows the
// commits is given object in place of the value.
func (t Table[T]) PutEncoded(tx *Tx, key string, value Encoded, object any) error {
	return tx.write(Write{Table: t.Name, Key: key, Value: value, Object: object})
}
