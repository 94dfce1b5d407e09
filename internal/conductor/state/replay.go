package state

import (
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Replay works out again what the conductor knows. What a step says is the conductor's word. Its zero value has seen no
// record; it is a ledger.Replay.
type Replay struct {
	rows map[string][]byte // by place; nil before the first
}

// Kinds makes Replay a ledger.Replay.
func (r *Replay) Kinds() []string { return []string{KindStepped} }

// Read makes Replay a ledger.Replay.
func (r *Replay) Read(blobs store.Getter, from audit.Record) (any, error) {
	return ledger.DataOf[Stepped](blobs, from)
}

// Apply takes over the rows of a step.
func (r *Replay) Apply(from audit.Record, data any) error {
	if r.rows == nil {
		r.rows = map[string][]byte{}
	}
	return data.(Stepped).Apply(from, func(key string, value jsontext.Value) { r.rows[placeOf(key)] = value })
}

// Tables makes Replay a ledger.Replay.
func (r *Replay) Tables() ([]ledger.Contents, error) {
	return []ledger.Contents{ledger.StoredContents(Table.Name, r.rows)}, nil
}
