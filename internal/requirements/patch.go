package requirements

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/premise"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/testruns"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
	"orchestrator/internal/system/jsonobject"
)

// Patch decides a proposal. With nil, the change is durable and on record; with a refusal, it was not applied; with
// fault.Unavailable, it may have been. A dry run decides alike, ignores the Idempotency-Key, and changes nothing. With
// premise.ErrOpen, nothing was decided.
func (s *Service) Patch(ctx context.Context, who lifecycle.Actor, p Proposal) (Answer, error) {
	change, err := decision.Read(p.Body, who.Role)
	switch {
	case s.cannotBe(p.ID) && !s.answered(ctx, who, p):
		err = s.unknown(p.ID)
	case err != nil:
		err = decision.Unreadable(p.Body, err)
	default:
		if err = s.checkConditional(p); err == nil {
			err = refuseSecrets(p, decision.SecretsInJSON(p.Body))
		}
	}
	if err != nil {
		return Answer{}, s.Refuse(ctx, who, p.Refused(), err)
	}
	body := jsonobject.Compact(p.Body)
	change.Size = len(body)
	p.parsed()
	s.look(ctx, who, &change)
	return s.commit(ctx, who, p, func() (lifecycle.Change, record.Proposed, error) {
		err := s.weigh(ctx, p.ID, &change)
		return change, record.Proposed{Change: body}, err
	})
}

// cannotBe reports whether an id names no requirement, and none that there ever could be, or is only a short form: a
// request that is sent again with the whole id may have the same Idempotency-Key.
func (s *shared) cannotBe(id string) bool {
	_, known := s.current.Load().Find(id)
	return !known && (reqid.Valid(id) != nil || len(secret.Find(id)) > 0 || len(s.current.Load().Meant(id)) > 0)
}

// commit decides and records a change in one transaction. The change is drafted before the transaction, since all
// updates share one writer, and anew whenever the requirement moves on meanwhile.
func (s *Service) commit(ctx context.Context, who lifecycle.Actor, p Proposal,
	draft func() (lifecycle.Change, record.Proposed, error)) (Answer, error) {
	for range maxLooks {
		change, data, err := draft()
		data.IfMatch, data.IdempotencyKey, data.BodySHA256, data.Looked = p.IfMatch, p.IdempotencyKey, bodyDigest(p),
			change.Looked
		change.Rules, data.Rules = lifecycle.LatestRules, lifecycle.LatestRules
		out, open := decided{}, premise.Open(ctx)
		switch {
		case err != nil, p.DryRun && open != nil:
			err = cmp.Or(open, err)
		case p.DryRun:
			out, err = s.dryRun(who, p, change)
		default:
			place := &folding.Ticket{}
			err = s.ledger.Update(ctx, func(tx *ledger.Tx) (err error) {
				s.refusals.Restart(place)
				out, err = s.decide(tx, who, p, change, data, place)
				return cmp.Or(premise.Check(ctx, tx), err) // last: what is read is fetched together
			})
			s.refusals.Settle(place, err)
		}
		switch {
		case errors.Is(err, lifecycle.ErrMovedOn):
			continue
		case err != nil:
			return Answer{}, err
		case out.answer.Refusal != nil:
			return Answer{Replayed: out.replayed}, s.refusalOf(out, who, p)
		}
		return Answer{
			Requirement: out.answer.Requirement, Revision: out.answer.Revision, Replayed: out.replayed,
			Unchanged: out.answer.Unchanged, Receipt: out.receipt, Outcome: s.outcomeOf(p.ID, out),
			Exported: s.exporter.Wait(ctx, out.receipt.Size, s.options.ExportWait),
		}, nil
	}
	return Answer{}, s.Refuse(ctx, who, p.Refused(),
		fault.New(fault.Conflict, "changed_meanwhile", "%s kept changing while the change was decided", p.ID).
			WithFix("send the change again as it is, when the others are through"))
}

// refusalOf returns the refusal in a decision, which is on record unless it answers a dry run.
func (s *Service) refusalOf(out decided, who lifecycle.Actor, p Proposal) error {
	if p.DryRun {
		return s.explained(out, who, p)
	}
	return OnRecord{out.receipt, s.explained(out, who, p)}
}

// explained returns a refusal with what only this request makes worth saying.
func (s *Service) explained(out decided, who lifecycle.Actor, p Proposal) error {
	refusal := *out.answer.Refusal
	if e, known := s.current.Load().Find(p.ID); known && !out.replayed {
		refusal = s.around().Explained(e.Requirement(), who, refusal)
	}
	switch {
	case out.replayed && !p.KeyMade:
		refusal.Final = true
		refusal.Fix = "this is the first answer to this Idempotency-Key, given again; to have the change decided anew, send it with a new key"
	case refusal.Code == decision.CodeUnknown:
		refusal = *s.unknown(p.ID)
	}
	if p.IdempotencyKey != "" && !p.DryRun && !p.KeyMade && !out.replayed && !out.receipt.Folded &&
		refusal.Code != decision.CodeKeyReused {
		refusal.Final = true
		refusal.Fix += "; then use a new Idempotency-Key, since this one will give this answer again"
	}
	return &refusal
}

func (s *shared) checkConditional(p Proposal) error {
	if !s.options.RequireIfMatch || len(p.IfMatch) > 0 {
		return nil
	}
	return fault.New(fault.NeedsCondition, "if_match_required", "this service takes changes only with If-Match").
		WithFix("read the requirement, and send its ETag in If-Match")
}

// decided is what one run of the transaction decided.
type decided struct {
	answer   record.FirstAnswer
	next     *lifecycle.Requirement // as the answer has it, where it is at hand
	replayed bool
	receipt  Receipt
}

// decide answers a known Idempotency-Key with its first answer. Everything else is decided by the rules, and put on
// record.
func (s *Service) decide(tx *ledger.Tx, who lifecycle.Actor, p Proposal, change lifecycle.Change, data record.Proposed,
	place *folding.Ticket) (decided, error) {
	first, known, err := recall(tx, who, p.IdempotencyKey, tx.At())
	if err != nil {
		return decided{}, err
	}
	if known && first.BodySHA256 == data.BodySHA256 {
		return decided{answer: first, replayed: true, receipt: receiptOf(tx, first.Seq)}, nil
	}
	out := decided{answer: record.FirstAnswer{At: tx.At(), Seq: tx.Seq(), BodySHA256: data.BodySHA256}}
	change.Record = tx.Seq()
	w, err := projection.InForce(tx)
	if err != nil {
		return decided{}, err
	}
	asked, err := askedIn(tx, who, p, change, known)
	if err != nil {
		return decided{}, err
	}
	if len(asked.Claims) > 0 {
		data.Holder = p.Holder
	}
	data.Workflow = w.Name
	find := decision.Once(s.reader(tx))
	if req, is, err := decision.Repeated(find, asked); err != nil {
		return decided{}, err
	} else if is {
		return s.unchanged(tx, p, asked, req, data, place)
	}
	next, refusal, err := decision.Decide(find, w, asked)
	if err = cmp.Or(err, momentary(refusal)); err != nil {
		return decided{}, err
	}
	event := ledger.Event{Kind: record.KindChanged, Actor: record.Actor(who), Subject: p.ID, RequestID: p.RequestID}
	if refusal != nil {
		data.Refusal, out.answer.Refusal = refusal, refusal
		out.receipt.Folded, err = s.recordRefusal(tx, p, event, data, place)
	} else {
		out.next = &next
		err = recordChange(tx, w, next, event, data, &out.answer)
	}
	if err == nil && p.IdempotencyKey != "" && !known && !out.receipt.Folded {
		_, err = record.TableIdempotency.Put(tx, record.KeyOf(who, p.IdempotencyKey), out.answer)
	}
	folded := out.receipt.Folded
	out.receipt = receiptOf(tx, out.answer.Seq)
	out.receipt.Folded = folded
	return out, err
}

// recordChange stores the requirement as a change makes it, and puts the change on record. It completes the answer.
func recordChange(tx *ledger.Tx, w lifecycle.Workflow, next lifecycle.Requirement, event ledger.Event,
	data record.Proposed, answer *record.FirstAnswer) (err error) {
	if answer.Requirement, err = projection.TableRequirements.Put(tx, next.ID, next); err != nil {
		return err
	}
	answer.Revision, answer.Workflow, answer.Looks = next.Revision, w.Name, w.Looks()
	data.Revision, data.SHA256 = next.Revision, ledger.Digest(answer.Requirement)
	if data.Report, err = testruns.KeepReport(tx, data.Report); err != nil {
		return err
	}
	event.Data = data
	if err := testruns.See(tx, data); err != nil {
		return err
	}
	return tx.Append(event)
}

// recordRefusal puts a refused change on record, unless it is only counted.
func (s *Service) recordRefusal(tx *ledger.Tx, p Proposal, event ledger.Event, data record.Proposed,
	place *folding.Ticket) (folded bool, err error) {
	folded, err = s.refusals.Fold(tx, place, record.RefusalKind{Request: p.Request, Code: data.Refusal.Code}, event)
	if folded || err != nil {
		return folded, err
	}
	event.Kind, event.Data = record.KindRefused, data.Shortened()
	return false, tx.Append(event)
}

// reader finds requirements in a transaction. What the snapshot holds decoded is not decoded again.
func (s *shared) reader(tx store.Getter) decision.Finder {
	return func(id string) (lifecycle.Requirement, int, error) {
		raw, err := tx.Get(projection.TableRequirements.Name, id)
		if err != nil || raw == nil {
			return lifecycle.Requirement{}, 0, err
		}
		if e, found := s.current.Load().Find(id); found && bytes.Equal(e.Raw, raw) {
			return e.Requirement(), len(raw), nil
		}
		req, _, err := projection.TableRequirements.Decode(id, raw)
		return req, len(raw), err
	}
}

// dryRun decides on the published state.
func (s *Service) dryRun(who lifecycle.Actor, p Proposal, change lifecycle.Change) (decided, error) {
	now := s.current.Load()
	change.Record = now.Head.Size
	asked := decision.Request{
		Actor: who, ID: p.ID, IfMatch: p.IfMatch, Change: change, At: s.clock().UTC().Truncate(time.Microsecond),
		Claims: now.ClaimsOn(p.ID), Holder: p.Holder,
	}
	if req, is, err := decision.Repeated(s.reader(now), asked); err != nil {
		return decided{}, err
	} else if is {
		answer, err := answerUnchanged(now.Project.Workflow(), req)
		return decided{answer: answer}, err
	}
	next, refusal, err := decision.Decide(s.reader(now), now.Project.Workflow(), asked)
	if err = cmp.Or(err, momentary(refusal)); err != nil || refusal != nil {
		return decided{answer: record.FirstAnswer{Refusal: refusal}}, err
	}
	raw, err := projection.TableRequirements.Encoding(next)
	w := now.Project.Workflow()
	return decided{answer: record.FirstAnswer{Requirement: raw, Revision: next.Revision, Workflow: w.Name, Looks: w.Looks()}}, err
}
