package requirements

import (
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// askedIn returns what a proposal asks for in a transaction.
func askedIn(tx *ledger.Tx, who lifecycle.Actor, p Proposal, change lifecycle.Change,
	keyUsed bool) (decision.Request, error) {
	on, err := claims.On(tx, p.ID)
	return decision.Request{
		Actor: who, ID: p.ID, IfMatch: p.IfMatch, KeyUsed: keyUsed, Change: change, At: tx.At(),
		Claims: claiming.Live(on, tx.At()), Holder: p.Holder,
	}, err
}

// unchanged answers who repeats a move that was made: it is so. Only an Idempotency-Key makes it worth a record, since
// the answer to it is remembered.
func (s *Service) unchanged(tx *ledger.Tx, p Proposal, asked decision.Request, req lifecycle.Requirement,
	data record.Proposed, place *folding.Ticket) (decided, error) {
	w, err := projection.InForce(tx)
	if err != nil {
		return decided{}, err
	}
	answer, err := answerUnchanged(w, req)
	out := decided{answer: answer, receipt: receiptOf(tx, req.History[len(req.History)-1].Record)}
	if err != nil {
		return decided{}, err
	}
	if p.IdempotencyKey == "" {
		return out, nil
	}
	out.answer.At, out.answer.Seq, out.answer.BodySHA256 = tx.At(), tx.Seq(), data.BodySHA256
	data.Looked, data.Report = nil, nil
	data.Revision, data.SHA256 = req.Revision, ledger.Digest(out.answer.Requirement)
	event := ledger.Event{Kind: record.KindUnchanged, Actor: record.Actor(asked.Actor), Subject: p.ID,
		RequestID: p.RequestID, Data: data}
	folded, err := s.refusals.Fold(tx, place, record.RefusalKind{Request: p.Request, Code: record.CodeUnchanged}, event)
	if err != nil || folded {
		out.receipt.Folded = folded
		return out, err
	}
	if err := tx.Append(event); err != nil {
		return out, err
	}
	out.receipt = receiptOf(tx, out.answer.Seq)
	_, err = record.TableIdempotency.Put(tx, record.KeyOf(asked.Actor, p.IdempotencyKey), out.answer)
	return out, err
}

// answerUnchanged returns the answer with a requirement as it is.
func answerUnchanged(w lifecycle.Workflow, req lifecycle.Requirement) (record.FirstAnswer, error) {
	raw, err := projection.TableRequirements.Encoding(req)
	return record.FirstAnswer{Requirement: raw, Revision: req.Revision, Workflow: w.Name, Looks: w.Looks(), Unchanged: true}, err
}

// ETag returns the entity tag of the requirement as it was answered.
func (a Answer) ETag() string {
	now := lifecycle.Requirement{Revision: a.Revision}
	if a.Unchanged { // it was looked at since, perhaps; a change begins anew
		now, _, _ = projection.TableRequirements.Decode("", a.Requirement)
	}
	return projection.ETagOf(now)
}
