package replay

import (
	"cmp"
	"fmt"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// request is the data of a decided request, with its change as it was read.
type request struct {
	record.Proposed
	change    lifecycle.Change
	changeErr error // why there is none
}

// Kinds makes Replay a ledger.Replay.
func (r *Replay) Kinds() []string { return record.Kinds() }

// Read makes Replay a ledger.Replay.
func (r *Replay) Read(blobs store.Getter, from audit.Record) (any, error) {
	data, err := record.Read(blobs, from)
	proposed, is := data.(record.Proposed)
	if !is || err != nil {
		return data, err
	}
	decided := request{Proposed: proposed}
	if decided.decides() {
		decided.change, decided.changeErr = readChange(from, proposed)
	}
	return decided, nil
}

// decides reports whether the record has what the decision was about.
func (r request) decides() bool { return r.Change != nil || r.Refusal == nil }

// readChange reads the change of a record as it was read when it was decided.
func readChange(from audit.Record, data record.Proposed) (lifecycle.Change, error) {
	change, err := decision.ReadRecorded(data.Change, lifecycle.Role(from.Actor.Role))
	change.Size, change.Looked, change.Record = len(data.Change), data.Looked, from.Seq
	if change.Rules = cmp.Or(data.Rules, lifecycle.Rules1); !change.Rules.Known() {
		err = fmt.Errorf("it was decided by version %d of the rules, which this program does not know", data.Rules)
	}
	return change, err
}
