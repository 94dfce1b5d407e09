package requirements

import (
	"cmp"
	"fmt"

	"orchestrator/internal/boundary/record"
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

// dataOf reads the data of every kind that a replay knows; nil where the replay needs none.
var dataOf = map[string]func(store.Getter, audit.Record) (any, error){
	kindWorkflowChosen: dataAs[workflowChosen],
	kindImported:       dataAs[imported],
	kindChanged:        dataAs[proposed],
	kindRefused:        dataAs[proposed],
	kindRolledBack:     dataAs[rolledBack],
	kindAuditKeyChosen: dataAs[auditKeyChosen],
	kindEvidenceChosen: dataAs[evidenceChosen],
	kindRechecked:      dataAs[rechecked],
	kindKeysForgotten:  dataAs[keysForgotten],
	kindRequestRefused: dataAs[requestRefused],
	kindRestored:       dataAs[Restored],
	kindFolded:         dataAs[refusalsFolded],
	kindTokensChanged:  dataAs[tokensChanged],
	ledger.KindCreated: nil,

	record.KindRecorded: dataAs[record.Recorded],
	state.KindStepped:   dataAs[state.Stepped],
}

func dataAs[T any](blobs store.Getter, record audit.Record) (any, error) {
	return ledger.DataOf[T](blobs, record)
}

// ReadStep reads a record for Replay.Step, which says what is wrong with it when its turn comes. blobs has data too
// large for a record. It is safe for concurrent use.
func ReadStep(blobs store.Getter, record audit.Record) *Step {
	s := &Step{record: record}
	readData, known := dataOf[record.Kind]
	switch {
	case !known:
		s.err = fmt.Errorf("no such kind of record is known")
	case readData != nil:
		s.data, s.err = readData(blobs, record)
	}
	s.record.Data = nil // it was read
	if data, is := s.data.(proposed); is && s.err == nil && (data.Change != nil || data.Refusal == nil) {
		s.change, s.changeErr = parseRecorded(data.Change, lifecycle.Role(record.Actor.Role))
		s.change.Size, s.change.Looked, s.change.Record = len(data.Change), data.Looked, record.Seq
		if s.change.Rules = cmp.Or(data.Rules, lifecycle.Rules1); !s.change.Rules.Known() {
			s.changeErr = fmt.Errorf("it was decided by version %d of the rules, which this program does not know",
				data.Rules)
		}
	}
	return s
}
