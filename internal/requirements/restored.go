package requirements

import (
	"context"
	"fmt"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
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

// restored changes no table.
func (f *fold) restored(record audit.Record, data record.Restored) (err error) {
	if record.Actor != ledger.System() {
		err = fmt.Errorf("%q restored the log, which only an operator can", record.Actor.Name)
	}
	if err == nil && (data.Size != record.Seq || data.Root != f.root) {
		err = fmt.Errorf("it says that the log was restored at %d records with the root %s; it had %d with %s",
			data.Size, data.Root, record.Seq, f.root)
	}
	if f.restores.end != record.Seq {
		f.restores.first = record.Seq
	}
	f.restores.end = record.Seq + 1
	return err
}

// forkBefore is the same as of a store.
func (f *fold) forkBefore(next uint64) uint64 {
	if f.restores.end == next {
		return f.restores.first
	}
	return next
}

// Fill gives the tables that the log amounts to, to a builder that has its records.
func (r *Replay) Fill(ctx context.Context, b *ledger.Builder) error { return r.fold.fill(ctx, b) }

// Compare holds the tables of a store against what the log amounts to.
func (r *Replay) Compare(from store.Reader) error { return r.fold.compare(from) }
