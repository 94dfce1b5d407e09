// Package record is what the ledger keeps of a boundary's journal: its lines, each once, and how far the files were
// read.
//
// Keys written: boundary/<file of the journal>.
package record

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/thread"
)

// KindRecorded is the kind of the records.
const KindRecorded = "boundary.recorded"

// Subject is what all the records are about, by which they are found again.
const Subject = "boundary/journal"

// Recorded is the data of a record: lines of one file, which are between two offsets of it.
type Recorded struct {
	File      string           `json:"file"`
	From      int64            `json:"from"` // bytes
	To        int64            `json:"to"`
	Cut       bool             `json:"cut,omitzero"`       // the file is shorter than what was read of it: it is read anew
	Gone      bool             `json:"gone,omitzero"`      // the file is not there; what was read of it counts, should it come back
	Malformed int              `json:"malformed,omitzero"` // lines that cannot be read
	Lines     []jsontext.Value `json:"lines"`
}

// Position is how far a file was read.
type Position struct {
	Read int64 `json:"read"` // bytes
	Gone bool  `json:"gone,omitzero"`
}

// After returns the numbers of the records about the journal that come after one, oldest first; after 0 come all. A
// record never changes, and neither does its number: who read up to one reads on after it.
func After(r store.Getter, seq uint64) ([]uint64, error) {
	return thread.Numbers(r, thread.Thread{Subject: Subject, From: seq + 1})
}

// At reads one of the records about the journal. It has nothing if it is a refusal, of a requirement that somebody gave
// the name of the journal's subject.
func At(r store.Getter, seq uint64) (data Recorded, err error) {
	_, record, err := ledger.RecordAt(r, seq)
	if err != nil || record.Kind != KindRecorded {
		return data, err
	}
	return ledger.DataOf[Recorded](r, record)
}

// Table has the positions by the name of the file.
var Table = ledger.Table[Position]{Name: "boundary"}

// Next checks a record against where the one before it ended, and returns where this one does.
func (r Recorded) Next(record audit.Record, before Position) (Position, error) {
	switch {
	case record.Actor != ledger.System():
		return before, fmt.Errorf("%q recorded the boundary's journal, which the service does by itself",
			record.Actor.Name)
	case record.Subject != Subject:
		return before, fmt.Errorf("it has lines of the boundary's journal, and is about %q", record.Subject)
	case r.From != before.Read:
		return before, fmt.Errorf("it has the journal's %s from byte %d on, which was read up to %d", r.File, r.From,
			before.Read)
	case r.Cut && (r.To != 0 || len(r.Lines) > 0):
		return before, fmt.Errorf("it says that %s was cut, and has lines of it", r.File)
	case r.Gone && (r.Cut || r.To != r.From || len(r.Lines) > 0 || before.Gone):
		return before, fmt.Errorf("it says that %s is gone, and has more to say of it, or it was gone before", r.File)
	case !r.Cut && !r.Gone && r.To <= r.From:
		return before, fmt.Errorf("it has nothing of %s", r.File)
	}
	return Position{r.To, r.Gone}, nil
}
