package record

import (
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Replay works out again how far the journal was read. What the lines say is the hook's word. Its zero value has seen
// no record; it is a ledger.Replay.
type Replay struct {
	positions map[string]Position // by the file of the journal; nil before the first
}

// Kinds makes Replay a ledger.Replay.
func (r *Replay) Kinds() []string { return []string{KindRecorded} }

// Read makes Replay a ledger.Replay.
func (r *Replay) Read(blobs store.Getter, from audit.Record) (any, error) {
	return ledger.DataOf[Recorded](blobs, from)
}

// Apply takes over how far a file was read, which must go on from where the record before it ended.
func (r *Replay) Apply(from audit.Record, data any) error {
	recorded := data.(Recorded)
	next, err := recorded.Next(from, r.positions[recorded.File])
	if err != nil {
		return err
	}
	if r.positions == nil {
		r.positions = map[string]Position{}
	}
	r.positions[recorded.File] = next
	return nil
}

// Tables makes Replay a ledger.Replay.
func (r *Replay) Tables() ([]ledger.Contents, error) {
	positions, err := ledger.ContentsOf(Table, r.positions)
	return []ledger.Contents{positions}, err
}
