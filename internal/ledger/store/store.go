// Package store is the contract between the ledger and whatever keeps its bytes.
//
// A store holds named tables of keys and values, both opaque bytes. It gives strictly serialisable
// transactions: View reads one snapshot, Update reads and writes and either happens wholly or not at all.
//
//   - The function given to View or Update may run more than once, on any goroutine; only its last run
//     counts. It must therefore only assign to what it captures: no append, no I/O, no log line.
//   - It must not call the store that runs it: that may wait for ever.
//   - What it is given to read and write with is for one goroutine at a time.
//   - Bytes handed out are valid until the function returns, and must not be changed; copy what you keep.
//     They may be given to Put of the same transaction.
//   - Bytes given to Put are the store's from then on; do not change them.
//   - A table exists as soon as it is named. Keys are ordered bytewise. CheckKey and CheckValue say which
//     names, keys and values are possible; Get, Put and Delete refuse the others.
//   - When Update returns nil, the change is durable. View shows nothing that is not durable.
//   - An error that wraps ErrCommit means: it is unknown whether the change happened. Every other error
//     of Update means that it did not. After such an error a store may refuse every further call.
//
// storetest.Run holds a store to this contract.
package store

import (
	"context"
	"errors"

	"orchestrator/internal/fault"
)

// The codes of errors that keep a store from being opened or read.
const (
	CodeLocked      fault.Code = "store_locked"       // another process has it open
	CodeDenied      fault.Code = "store_denied"       // this user may not open it
	CodeMissing     fault.Code = "store_missing"      // there is none
	CodeNotFile     fault.Code = "store_not_file"     // something other than a file is in its place
	CodeIO          fault.Code = "store_io"           // the disk failed
	CodeDamaged     fault.Code = "store_damaged"      // what it holds is not what was written
	CodeHeadDamaged fault.Code = "store_head_damaged" // its last commit may be lost; the one before it is there
	CodeWALMissing  fault.Code = "store_wal_missing"  // its newest commits may be lost with its WAL
	CodeRolledBack  fault.Code = "store_rolled_back"  // commits are lost that it has confirmed
)

// ErrCommit marks an Update whose outcome is unknown. A process that meets it must stop and check itself.
var ErrCommit = errors.New("store: commit failed, the change may or may not be there")

// ErrClosed is returned by every call on a closed store.
var ErrClosed = errors.New("store: closed")

// ErrStop ends a Scan early without an error.
var ErrStop = errors.New("store: stop scanning")

// Getter reads single keys.
type Getter interface {
	// Get returns the value, or nil when the key is absent. A present, empty value is not nil.
	Get(table, key string) ([]byte, error)
}

// Reader is a snapshot of the store.
type Reader interface {
	Getter
	// Scan visits the keys from <= key < to in ascending order; to == "" means to the end of the table.
	// An error of visit ends the scan and is returned, ErrStop as nil.
	Scan(table, from, to string, visit func(key string, value []byte) error) error
}

// Tx is one read-write transaction; it sees its own writes. It has no Scan, so that a store that detects
// conflicts key by key can keep the contract.
type Tx interface {
	Getter
	Put(table, key string, value []byte) error
	Delete(table, key string) error // deleting an absent key is not an error
}

// Store keeps bytes.
type Store interface {
	// View calls fn on a snapshot and returns its error (a panic as an error). If ctx has ended, fn is not called.
	View(ctx context.Context, fn func(Reader) error) error
	// Update calls fn in a transaction and commits what it wrote. If fn returns an error or panics, or
	// ctx ends before fn starts, nothing is written and the error is returned (a panic as an error).
	Update(ctx context.Context, fn func(Tx) error) error
	// Close ends the store after the transactions under way; it may be called twice.
	Close() error
}
