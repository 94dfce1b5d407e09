package requirements

import (
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/renames"
	"orchestrator/internal/rules/renaming"
)

// Renamed is what became of a renaming.
type Renamed struct {
	renames.Done
	Exported projection.Exported // whether the export contains it
	Receipt  Receipt
}

// Rename gives requirements other ids, on record: all that are asked for, or none. A dry run decides alike, ignores the
// Idempotency-Key, and changes nothing.
func (s *Service) Rename(ctx context.Context, a renames.Asked, asked Refused) (out Renamed, err error) {
	if err = a.MayBe(); err == nil {
		err = refuseSecrets(Proposal{IdempotencyKey: a.Key}, decision.SecretsInJSON(asked.Body))
	}
	if err == nil {
		err = a.Check() // which quotes ids
	}
	switch {
	case err != nil:
	case asked.DryRun:
		out.Done, err = a.DryRun(s.current.Load(), s.clock())
	default:
		s.oneImport.Lock() // documents are not read in a form that changes meanwhile
		defer s.oneImport.Unlock()
		err = s.ledger.Update(context.WithoutCancel(ctx), func(tx *ledger.Tx) (err error) {
			done, err := a.Apply(tx)
			out = Renamed{Done: done, Receipt: receiptOf(tx, done.Record)}
			return err
		})
	}
	if err != nil {
		return Renamed{}, s.Refuse(ctx, a.By, asked, err)
	}
	out.Exported = s.exporter.Wait(ctx, out.Receipt.Size, s.options.ExportWait)
	return out, nil
}

// ProposedRenames pairs requirements that the documents no longer have with those that seem to be the same ones under
// other ids.
func (s *Reader) ProposedRenames() renaming.Proposals {
	return s.current.Load().ProposedRenames()
}
