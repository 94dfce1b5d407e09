package requirements

import (
	"cmp"
	"fmt"
	"slices"

	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/record"

	boundary "orchestrator/internal/boundary/record"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/lifecycle"
)

// Step is a record with its data read and checked as far as that needs nothing of the records before it, so that it
// can be done ahead of its turn.
type Step struct {
	record    audit.Record
	data      any // of the type that the kind has; nil when the replay needs none
	err       error
	change    lifecycle.Change // of a proposed
	changeErr error
}

// others read the data of the other subsystems' records; nil where the replay needs none.
var others = map[string]func(store.Getter, audit.Record) (any, error){
	ledger.KindCreated:    nil,
	boundary.KindRecorded: dataAs[boundary.Recorded],
	state.KindStepped:     dataAs[state.Stepped],
}

func dataAs[T any](blobs store.Getter, record audit.Record) (any, error) {
	return ledger.DataOf[T](blobs, record)
}

var kinds = record.Kinds()

// ReadStep reads a record for Replay.Step, which says what is wrong with it when its turn comes. blobs has data too
// large for a record. It is safe for concurrent use.
func ReadStep(blobs store.Getter, rec audit.Record) *Step {
	s := &Step{record: rec}
	readData, known := others[rec.Kind]
	switch {
	case slices.Contains(kinds, rec.Kind):
		s.data, s.err = record.Read(blobs, rec)
	case !known:
		s.err = fmt.Errorf("no such kind of record is known")
	case readData != nil:
		s.data, s.err = readData(blobs, rec)
	}
	s.record.Data = nil // it was read
	if data, is := s.data.(record.Proposed); is && s.err == nil && (data.Change != nil || data.Refusal == nil) {
		s.change, s.changeErr = decision.ReadRecorded(data.Change, lifecycle.Role(rec.Actor.Role))
		s.change.Size, s.change.Looked, s.change.Record = len(data.Change), data.Looked, rec.Seq
		if s.change.Rules = cmp.Or(data.Rules, lifecycle.Rules1); !s.change.Rules.Known() {
			s.changeErr = fmt.Errorf("it was decided by version %d of the rules, which this program does not know",
				data.Rules)
		}
	}
	return s
}
