package projection

import (
	"orchestrator/internal/ledger"
)

// written returns what was written to a table, decoded if another process has encoded it; nil where it was deleted.
func written[T any](table ledger.Table[T], w ledger.Write) *T {
	if object, is := w.Object.(*T); is || w.Value == nil {
		return object
	}
	value, _, err := table.Decode(w.Key, w.Value)
	if err != nil {
		panic(err) // the ledger stops
	}
	return &value
}
