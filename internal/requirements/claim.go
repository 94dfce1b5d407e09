package requirements

import (
	"context"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// Claim gives an actor a field of a requirement to itself for a while, or renews what it has. The holder is who asks by
// one of its tokens: another token of the actor is somebody else.
func (s *Service) Claim(ctx context.Context, id string, a claiming.Asked, asked Refused) (c claiming.Claim, renewed bool,
	receipt Receipt, err error) {
	err = a.Check()
	if s.cannotBe(id) {
		err = s.unknown(id)
	}
	if err == nil {
		err = s.ledger.Update(ctx, func(tx *ledger.Tx) error {
			req, err := s.claimable(tx, id)
			if err != nil {
				return err
			}
			if c, renewed, err = claims.Take(claims.InTable(tx), req, a, tx.At()); err != nil {
				return err
			}
			receipt, err = s.recordClaim(tx, record.KindClaimed, id, a, asked, func(workflow string) any {
				return record.Claimed{Rules: lifecycle.LatestRules, Workflow: workflow, Holder: c.Holder, Field: c.Field,
					Since: c.Since, Until: c.Until}
			})
			return err
		})
	}
	if err != nil {
		return claiming.Claim{}, false, Receipt{}, s.Refuse(ctx, a.By, asked, err)
	}
	return c, renewed, receipt, nil
}

// claimable finds a requirement in a transaction.
func (s *shared) claimable(tx *ledger.Tx, id string) (lifecycle.Requirement, error) {
	req, size, err := s.reader(tx)(id)
	if err == nil && size == 0 {
		err = s.unknown(id)
	}
	return req, err
}

// Release gives up the claim of a field, or lets a pm break it; found is false where there is none, which is no record.
func (s *Service) Release(ctx context.Context, id string, a claiming.Asked, asked Refused) (found bool, receipt Receipt,
	err error) {
	if s.cannotBe(id) {
		err = s.unknown(id)
	}
	if err == nil {
		err = s.ledger.Update(ctx, func(tx *ledger.Tx) error {
			if _, err := s.claimable(tx, id); err != nil {
				return err
			}
			if !claiming.Claimable(a.Field) {
				return a.Check()
			}
			var c claiming.Claim
			if c, found, err = claims.Release(claims.InTable(tx), id, a.By, a.Holder, a.Field, tx.At()); err != nil || !found {
				return err
			}
			receipt, err = s.recordClaim(tx, record.KindReleased, id, a, asked, func(workflow string) any {
				return record.Released{Rules: lifecycle.LatestRules, Workflow: workflow, Holder: c.Holder, Field: c.Field,
					Broken: c.Holder != a.Holder}
			})
			return err
		})
	}
	if err != nil {
		return false, Receipt{}, s.Refuse(ctx, a.By, asked, err)
	}
	return found, receipt, nil
}

// recordClaim puts on record what became of a claim.
func (s *shared) recordClaim(tx *ledger.Tx, kind, id string, a claiming.Asked, asked Refused,
	data func(workflow string) any) (Receipt, error) {
	w, err := projection.InForce(tx)
	if err != nil {
		return Receipt{}, err
	}
	index := tx.Seq()
	err = tx.Append(ledger.Event{Kind: kind, Actor: record.Actor(a.By), Subject: id, RequestID: asked.RequestID,
		Data: data(w.Name)})
	return receiptOf(tx, index), err
}

// Claims returns the claims that count now, by the ids of their requirements.
func (s *Reader) Claims() map[string][]claiming.Claim { return s.current.Load().Claims(s.clock()) }

// ClaimsOn returns the claims on a requirement that count now.
func (s *Reader) ClaimsOn(id string) []claiming.Claim {
	return claiming.Live(s.current.Load().ClaimsOn(id), s.clock())
}
