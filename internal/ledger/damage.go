package ledger

import (
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
)

// damaged says that a store is not as it was written.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Internal, store.CodeDamaged, format, args...).
		WithFix("run orchestrator verify, and put back the last good copy of the database")
}
