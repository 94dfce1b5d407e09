package record

import (
	"maps"
	"slices"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// readers decode the data of each kind of record.
var readers = map[string]func(store.Getter, audit.Record) (any, error){
	KindWorkflowChosen: readAs[WorkflowChosen],
	KindImported:       readAs[Imported],
	KindRenamed:        readAs[Renamed],
	KindChanged:        readAs[Proposed],
	KindRefused:        readAs[Proposed],
	KindUnchanged:      readAs[Proposed],
	KindClaimed:        readAs[Claimed],
	KindReleased:       readAs[Released],
	KindRolledBack:     readAs[RolledBack],
	KindAuditKeyChosen: readAs[AuditKeyChosen],
	KindEvidenceChosen: readAs[EvidenceChosen],
	KindBranchChosen:   readAs[BranchChosen],
	KindRechecked:      readAs[Rechecked],
	KindKeysForgotten:  readAs[KeysForgotten],
	KindRequestRefused: readAs[RequestRefused],
	KindRestored:       readAs[Restored],
	KindFolded:         readAs[RefusalsFolded],
	KindTokensChanged:  readAs[TokensChanged],
}

func readAs[T any](blobs store.Getter, from audit.Record) (any, error) {
	return ledger.DataOf[T](blobs, from)
}

// Kinds returns the kinds of records that Read can read, in no order.
func Kinds() []string { return slices.Collect(maps.Keys(readers)) }

// Read decodes the data of a record of one of Kinds, as a value of the type that belongs to the kind. blobs has data
// too large for a record.
func Read(blobs store.Getter, from audit.Record) (any, error) {
	return readers[from.Kind](blobs, from)
}
