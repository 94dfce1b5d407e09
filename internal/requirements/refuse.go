package requirements

import (
	"cmp"
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/premise"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
)

// Refused is a request of an authenticated actor that was refused before it was decided by the rules.
type Refused struct {
	Request   string // method and route
	ID        string // that the path has
	Body      []byte // as far as it was read
	RequestID string
	DryRun    bool
	Unasked   bool // by an import that nobody asked for, and charged as one
}

// Refuse puts a refusal on record, or counts it as one of many, and returns it OnRecord. It returns as it is what answers
// a dry run or is no refusal, and a failure of the ledger or premise.ErrOpen instead. No secret that the refusal quotes
// is recorded.
func (s *Service) Refuse(ctx context.Context, who lifecycle.Actor, r Refused, refusal error) error {
	reason := decision.Refusal(refusal)
	if open := premise.Open(ctx); open != nil || reason == nil || r.DryRun {
		return cmp.Or(open, refusal)
	}
	data := record.RequestRefused{Request: r.Request, Refusal: secret.Masked(reason), BodyBytes: len(r.Body)}
	if len(r.Body) > 0 {
		data.BodySHA256 = ledger.Digest(r.Body)
	}
	// A client that broke off its body has ended ctx; its refusal is recorded all the same.
	event, place := ledger.Event{Kind: record.KindRequestRefused, Actor: record.Actor(who), RequestID: r.RequestID},
		&folding.Ticket{}
	if _, known := s.current.Load().Find(r.ID); known { // anything else can be made up
		event.Subject = r.ID
	}
	var receipt Receipt
	err := s.ledger.Update(context.WithoutCancel(ctx), func(tx *ledger.Tx) error {
		if r.Unasked {
			tx.ChargeTo(unaskedAccount)
		}
		index := tx.Seq()
		w, err := projection.InForce(tx)
		if err != nil {
			return err
		}
		event, data := event, data
		data.Workflow = w.Name
		event.Data = data
		folded, err := s.refusals.Fold(tx, place, record.RefusalKind{Request: r.Request, Code: reason.Code}, event)
		if err == nil && !folded {
			err = tx.Append(event)
		}
		receipt = receiptOf(tx, index)
		receipt.Folded = folded
		return err
	})
	s.refusals.Settle(place, err)
	if err != nil {
		return err
	}
	return OnRecord{receipt, refusal}
}

// RefuseSecrets refuses a body, known to be JSON, in which something looks like a secret, however it is written.
func RefuseSecrets(body []byte) error { return decision.RefuseSecrets(decision.SecretsInJSON(body)) }
