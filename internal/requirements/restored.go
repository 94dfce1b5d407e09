package requirements

import (
	"context"
	"fmt"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/record"
)

// PutRestored appends the record that says so to a log that was just rebuilt from a copy.
func PutRestored(ctx context.Context, l *ledger.Ledger, of record.Restored) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		if head := tx.Head(); head.Size != of.Size || head.Root != of.Root {
			return fmt.Errorf("the log has %d records with the root %s, the copy had %d with %s", head.Size,
				head.Root, of.Size, of.Root)
		}
		return tx.Append(ledger.Event{Kind: record.KindRestored, Actor: ledger.System(), Data: of})
	})
}
