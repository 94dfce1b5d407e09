package requirements

import (
	"bytes"
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
)

// Switched is what became of a switch of the workflow.
type Switched struct {
	To        string
	Before    string // the workflow that was in force
	Unchanged bool   // it is in force still: nothing was recorded
	Exported  projection.Exported
	Receipt   Receipt
}

// SwitchWorkflow puts another workflow in force, on record. It refuses one that strands a requirement.
func (s *Service) SwitchWorkflow(ctx context.Context, w choices.Switch, asked Refused) (Switched, error) {
	w.RequestID = asked.RequestID
	err := w.Check()
	if err == nil {
		err = decision.RefuseSecrets(decision.SecretsIn("/reason", "the reason", w.Reason))
	}
	var out Switched
	if err == nil {
		err = s.ledger.Update(ctx, func(tx *ledger.Tx) (err error) {
			index := tx.Seq()
			before, err := w.Apply(tx, s.standing(tx))
			out = Switched{To: w.To, Before: before, Unchanged: before == w.To, Receipt: receiptOf(tx, index)}
			return err
		})
	}
	if err != nil {
		return Switched{}, s.Refuse(ctx, w.By, asked, err)
	}
	out.Exported = s.exporter.Wait(ctx, out.Receipt.Size, s.options.ExportWait)
	return out, nil
}

// standing finds where requirements stand in a transaction. What the snapshot holds as well is not decoded.
func (s *shared) standing(tx store.Getter) func(id string) (choices.Standing, error) {
	return func(id string) (choices.Standing, error) {
		raw, err := tx.Get(projection.TableRequirements.Name, id)
		if err != nil {
			return choices.Standing{}, err
		}
		if e, found := s.current.Load().Find(id); found && bytes.Equal(e.Raw, raw) {
			return choices.Standing{Status: e.Summary.Status, Retired: e.Summary.Retired}, nil
		}
		req, _, err := projection.TableRequirements.Decode(id, raw)
		return choices.Standing{Status: req.Status, Retired: req.Retired}, err
	}
}
