// Package moved says of a log that it was moved from one store to another: where it is, and where it goes on.
//
// A log stands in one store at a time. While it is copied, the new store has a note of what is being copied, and no
// head of a log: no ledger opens it. When all is copied, the head of the old store names the new one, and no ledger
// writes there any more; only then does the new store get its head. At every moment at most one of the two is written.
package moved

import (
	"context"
	"fmt"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// The note of a log that is being copied into a store: table and key.
const (
	Table = "migration"
	Key   = "of"
)

// The codes of stores that no ledger may be opened in.
const (
	Code           fault.Code = "log_moved"      // the log goes on in another store
	CodeUnfinished fault.Code = "log_unfinished" // a log is being copied into it
)

// Elsewhere returns the error of a store whose log goes on in another one.
func Elsewhere(to string) error {
	return fault.New(fault.Unavailable, Code, "the log of this database was moved to %s, where it goes on", to).
		WithFix("use that store: name it with --store or ORCHESTRATOR_STORE; orchestrator migrate moves the log back")
}

// Unfinished returns the error of a store into which a log is being copied.
func Unfinished() error {
	return fault.New(fault.Unavailable, CodeUnfinished, "a log is being moved here, and is not whole yet").
		WithFix("repeat the command that was interrupted, orchestrator migrate or restore, with the same places")
}

// Note says which log is being copied.
type Note struct {
	From string     `json:"from"`
	Size uint64     `json:"size"` // of the log when the copying began, and its root
	Root audit.Hash `json:"root"`

	Tables []string `json:"tables"` // that are being copied
}

// Encode returns the value of the note.
func (n Note) Encode() ([]byte, error) { return jsonv2.Marshal(n) }

// ReadNote reads the value of a note.
func ReadNote(raw []byte) (n Note, err error) {
	if err := jsonv2.Unmarshal(raw, &n, jsonv2.RejectUnknownMembers(true)); err != nil {
		return n, fmt.Errorf("the note of a log that is being moved: %w", err)
	}
	return n, nil
}

// Head is the head of a log as a ledger stores it.
type Head struct {
	audit.Head

	Sums  map[string]uint64 `json:"sums"`            // a check sum of each table that the log accounts for
	Moved string            `json:"moved,omitempty"` // the store in which the log goes on
}

// ReadHead reads a stored head.
func ReadHead(raw []byte) (h Head, err error) {
	if err := jsonv2.Unmarshal(raw, &h, jsonv2.RejectUnknownMembers(true)); err != nil {
		return h, fmt.Errorf("the head of the log: %w", err)
	}
	return h, nil
}

// headIn returns the head of the log in a store; the zero Head if there is none.
func headIn(r store.Getter) (Head, error) {
	raw, err := r.Get("meta", "head")
	if err != nil || raw == nil {
		return Head{}, err
	}
	return ReadHead(raw)
}

// To returns where the log of a store goes on; "" if it goes on there, or there is none.
func To(r store.Getter) (string, error) {
	head, err := headIn(r)
	return head.Moved, err
}

// Look returns the head of the log in a store; the zero Head if there is none.
func Look(ctx context.Context, s store.Store) (h Head, err error) {
	err = s.View(ctx, func(r store.Reader) error {
		h, err = headIn(r)
		return err
	})
	return h, err
}

// Encode returns a head as a ledger stores it.
func (h Head) Encode() ([]byte, error) { return jsonv2.Marshal(h, jsonv2.Deterministic(true)) }

// Tables returns the names of all tables that a log has, in their order; more are the tables that it does not account
// for.
func (h Head) Tables(more ...string) []string {
	all := append([]string{"audit", "subjects", "blobs"}, more...)
	for name := range h.Sums {
		all = append(all, name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
