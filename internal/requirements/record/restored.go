package record

import (
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// Restored says which copy of a log a database was made of. It is the data of the record that a restore appends, so
// that the log says itself that it went on from a copy.
type Restored struct {
	Size    uint64     `json:"size"` // records that the copy had
	Root    audit.Hash `json:"root"`
	SHA256  string     `json:"sha256"`            // of the file, in hexadecimal
	TakenAt time.Time  `json:"taken_at,omitzero"` // as the copy says, which nobody signed
}

// ForkBefore returns the number of the first record after which the log may have gone on otherwise: the next one, or
// the first of the records of restores that stand at its end. next is the number of the next record.
func ForkBefore(r store.Getter, next uint64) (uint64, error) {
	for next > 0 {
		_, record, err := ledger.RecordAt(r, next-1)
		if err != nil || record.Kind != KindRestored {
			return next, err
		}
		next--
	}
	return next, nil
}
