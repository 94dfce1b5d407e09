package audit

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Next reads the bytes of the record that follows a head, and returns the head after it with the nodes that became
// complete. The number must be the next one.
func (h Head) Next(raw []byte) (Record, Head, []StoredHash, error) {
	record, err := Decode(raw)
	if err != nil {
		return record, h, nil, fmt.Errorf("record %d cannot be read: %w", h.Size, err)
	}
	head, nodes, err := h.Follow(tlog.RecordHash(raw), record)
	return record, head, nodes, err
}

// Follow does what Next does, for a record that was hashed and decoded already.
func (h Head) Follow(leaf Hash, record Record) (Head, []StoredHash, error) {
	if record.Seq != h.Size {
		return h, nil, fmt.Errorf("record %d stands where record %d belongs", record.Seq, h.Size)
	}
	return h.seal(leaf, record.At)
}

// Thread is the chain of records about one subject: each names the one before it.
type Thread struct {
	Last  uint64 `json:"last"`  // the number of its last record
	Count uint64 `json:"count"` // how many there are
}

// Threads are the chains of a log by their subjects.
type Threads map[string]Thread

// Follow adds a record to the chain of its subject, whose last record it must name.
func (t Threads) Follow(record Record) error {
	known := t[record.Subject]
	if record.Prev != known.Last {
		return fmt.Errorf("record %d names record %d as the one before it about %q, which is record %d", record.Seq,
			record.Prev, record.Subject, known.Last)
	}
	if record.Subject != "" {
		t[record.Subject] = Thread{record.Seq, known.Count + 1}
	}
	return nil
}
