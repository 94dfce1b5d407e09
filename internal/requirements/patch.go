package requirements

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
)

// Proposal is one change request as it arrived.
type Proposal struct {
	Request        string // method and route, for the record of a refusal
	ID             string
	Body           []byte
	IfMatch        []string // the entity tags of If-Match, unquoted; "*" is any; none when not sent
	IdempotencyKey string
	KeyMade        bool // the key was made for a caller who does not know of it: answers do not speak of it
	DryRun         bool
	RequestID      string
	Parsed         func() // called when the body is read and checked, and the commit comes next; may be nil

	ticket *ticket // set while it is decided
}

// Answer is an accepted change.
type Answer struct {
	Requirement []byte // as stored
	Revision    uint64
	Replayed    bool // the first answer to this Idempotency-Key, again
	Exported    bool // the export that contains it is written
	Receipt     Receipt
}

// Patch decides a proposal. nil means that the change is durable and audited; an error of the kinds that
// map to 4xx means that it was not applied, and is audited too; fault.Unavailable means that the outcome
// is unknown. A dry run gives the same verdict, and changes and records nothing.
func (s *Service) Patch(ctx context.Context, who lifecycle.Actor, p Proposal) (Answer, error) {
	change, err := s.read(who.Role, p)
	if err != nil {
		return Answer{}, s.Refuse(ctx, who, p.Refused(), err)
	}
	body := compact(p.Body)
	change.Size = len(body)
	p.parsed()
	s.look(ctx, who, &change)
	return s.propose(ctx, who, p, func() (lifecycle.Change, proposed, error) {
		err := s.lookAgain(ctx, p.ID, &change)
		return change, proposed{Change: body}, err
	})
}

func (p Proposal) parsed() {
	if p.Parsed != nil {
		p.Parsed()
	}
}

// propose has a change decided, made and decided anew whenever the requirement moves on while it is made. It is made
// before the transaction, since all updates share one writer.
func (s *Service) propose(ctx context.Context, who lifecycle.Actor, p Proposal,
	draft func() (lifecycle.Change, proposed, error)) (Answer, error) {
	for range maxLooks {
		change, data, err := draft()
		data.IfMatch, data.IdempotencyKey, data.BodySHA256, data.Looked = p.IfMatch, p.IdempotencyKey, bodyDigest(p),
			change.Looked
		change.Rules, data.Rules = lifecycle.LatestRules, lifecycle.LatestRules
		var answer Answer
		switch {
		case err != nil:
		case p.DryRun:
			answer, err = s.dryRun(who, p, change)
		default:
			answer, err = s.commit(ctx, who, p, change, data)
		}
		if !errors.Is(err, lifecycle.ErrMovedOn) {
			return answer, err
		}
	}
	return Answer{}, s.Refuse(ctx, who, p.Refused(),
		fault.New(fault.Conflict, "changed_meanwhile", "%s kept changing while its evidence was looked at", p.ID).
			WithFix("read the requirement again, and send the change when the others are through"))
}

func (s *Service) commit(ctx context.Context, who lifecycle.Actor, p Proposal, change lifecycle.Change,
	data proposed) (Answer, error) {
	var out decision
	p.ticket = &ticket{}
	err := s.ledger.Update(ctx, func(tx *ledger.Tx) (err error) {
		s.refusals.restart(p.ticket)
		out, err = s.decideOnce(tx, who, p, change, data)
		return err
	})
	s.refusals.settle(p.ticket, err)
	if err != nil {
		return Answer{}, err
	}
	if out.answer.Refusal != nil {
		return Answer{Replayed: out.replayed}, OnRecord{out.receipt, s.explained(out, p)}
	}
	return Answer{
		Requirement: out.answer.Requirement, Revision: out.answer.Revision, Replayed: out.replayed,
		Receipt:  out.receipt,
		Exported: s.exporter.Wait(ctx, out.receipt.Size, s.options.ExportWait),
	}, nil
}

// explained is a refusal with what only this request makes worth saying.
func (s *Service) explained(out decision, p Proposal) error {
	refusal := *out.answer.Refusal
	switch {
	case out.replayed && !p.KeyMade:
		refusal.Fix = "this is the first answer to this Idempotency-Key, given again; to have the change decided anew, send it with a new key"
	case refusal.Code == codeUnknown:
		refusal = *s.unknown(p.ID)
	}
	if p.IdempotencyKey != "" && !p.KeyMade && !out.replayed && !out.receipt.Folded &&
		refusal.Code != codeKeyReused {
		refusal.Fix += "; then use a new Idempotency-Key, since this one will give this answer again"
	}
	return &refusal
}

// read checks what can be checked without the state.
func (s *Service) read(role lifecycle.Role, p Proposal) (lifecycle.Change, error) {
	if _, known := s.current.Load().Find(p.ID); !known && (reqdoc.ValidID(p.ID) != nil || len(secret.Find(p.ID)) > 0) {
		return lifecycle.Change{}, s.unknown(p.ID)
	}
	change, err := ParseChange(p.Body, role)
	if err != nil {
		return change, unreadable(p.Body, err)
	}
	if err = s.checkConditional(p); err == nil {
		err = refuseSecrets(p, secretsInJSON(p.Body))
	}
	return change, err
}

func (s *Service) checkConditional(p Proposal) error {
	if !s.options.RequireIfMatch || len(p.IfMatch) > 0 {
		return nil
	}
	return fault.New(fault.NeedsCondition, "if_match_required", "this service takes changes only with If-Match").
		WithFix("read the requirement, and send its ETag in If-Match")
}

// decision is what one run of the transaction came to.
type decision struct {
	answer   firstAnswer
	replayed bool
	receipt  Receipt
}

// decideOnce answers a known Idempotency-Key with its first answer, and decides everything else.
func (s *Service) decideOnce(tx *ledger.Tx, who lifecycle.Actor, p Proposal, c lifecycle.Change,
	data proposed) (decision, error) {
	first, found, err := recall(tx, who, p.IdempotencyKey, tx.At())
	if err != nil {
		return decision{}, err
	}
	if found && first.BodySHA256 == data.BodySHA256 {
		return decision{answer: first, replayed: true, receipt: receiptOf(tx, first.Seq)}, nil
	}
	if found {
		if data.Refusal, err = s.keyReused(s.reader(tx), p.ID); err != nil {
			return decision{}, err
		}
	}
	answer, err := s.decideAndRecord(tx, who, p, c, data)
	if err == nil && p.IdempotencyKey != "" && !found && !p.ticket.folded {
		_, err = tableIdempotency.Put(tx, keyOf(who, p.IdempotencyKey), answer)
	}
	receipt := receiptOf(tx, answer.Seq)
	receipt.Folded = p.ticket.folded
	return decision{answer: answer, receipt: receipt}, err
}

func (s *Service) decideAndRecord(tx *ledger.Tx, who lifecycle.Actor, p Proposal, c lifecycle.Change,
	data proposed) (firstAnswer, error) {
	event := ledger.Event{Kind: kindChanged, Actor: auditActor(who), Subject: p.ID, RequestID: p.RequestID}
	answer := firstAnswer{At: tx.At(), Seq: tx.Seq(), BodySHA256: data.BodySHA256}
	c.Record = tx.Seq()
	next := lifecycle.Requirement{}
	if data.Refusal == nil {
		var err error
		if next, err = decide(s.reader(tx), s.options.Workflow, who, p.ID, data.IfMatch, c, tx.At()); err != nil {
			err = momentary(err)
			if data.Refusal = asRefusal(err); data.Refusal == nil {
				return answer, err
			}
		}
	}
	if data.Refusal != nil {
		answer.Refusal = data.Refusal
		if folded, err := s.refusals.fold(tx, p.ticket, p.Request, string(data.Refusal.Code), event); folded || err != nil {
			return answer, err
		}
		event.Kind, event.Data = kindRefused, data.shortened()
		return answer, tx.Append(event)
	}
	raw, err := projection.TableRequirements.Put(tx, p.ID, next)
	if err != nil {
		return answer, err
	}
	answer.Requirement, answer.Revision = raw, next.Revision
	data.Revision, data.SHA256 = next.Revision, digestOf(raw)
	if data.Report, err = keepReport(tx, data.Report); err != nil {
		return answer, err
	}
	event.Data = data
	return answer, tx.Append(event)
}

// finder finds a requirement by its id, and how many bytes it has; 0 when there is none.
type finder func(id string) (req lifecycle.Requirement, size int, err error)

// reader finds requirements in a transaction. What the snapshot holds decoded is not decoded again.
func (s *Service) reader(tx store.Getter) finder {
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

// decide is the verdict on one change in the present state: unknown id, stale condition, then the rules.
// A replay of the log calls it too.
func decide(from finder, w lifecycle.Workflow, who lifecycle.Actor, id string, ifMatch []string, c lifecycle.Change,
	at time.Time) (lifecycle.Requirement, error) {
	req, size, err := from(id)
	if err != nil {
		return req, err
	}
	if size == 0 {
		return req, fault.New(fault.NotFound, codeUnknown, "there is no requirement %q", id).
			WithFix("GET /requirements lists the ids; they are compared letter by letter")
	}
	if err := checkCondition(req, ifMatch); err != nil {
		return req, w.At(req, err)
	}
	next, err := w.Apply(req, who, c, at)
	if err == nil && c.Rules == lifecycle.Rules1 && size > maxRequirement && c.Size > smallChange {
		err = w.At(req, fault.New(fault.Invalid, "requirement_full",
			"%s has %d bytes; beyond %d only small changes are taken", id, size, maxRequirement).
			WithFix("keep notes short, and cite files instead of copying them; changes of up to %d bytes are taken",
				smallChange))
	}
	return next, err
}

// Under lifecycle.Rules1 a requirement that has grown beyond maxRequirement bytes takes changes of up to smallChange
// bytes. Later versions limit the share of each role.
const (
	maxRequirement = 2 << 20
	smallChange    = 4 << 10
)

func checkCondition(req lifecycle.Requirement, ifMatch []string) error {
	if len(ifMatch) == 0 {
		return nil
	}
	for _, tag := range ifMatch {
		if tag == "*" || tag == strconv.FormatUint(req.Revision, 10) {
			return nil
		}
	}
	err := fault.New(fault.Stale, "stale_revision", "%s is at revision %d, which If-Match does not name", req.ID,
		req.Revision).
		WithFix("read the requirement again, look at what changed, and send the change with its present ETag")
	err.Current = &fault.Current{Status: string(req.Status), Revision: req.Revision}
	return err
}

// dryRun decides on the published state.
func (s *Service) dryRun(who lifecycle.Actor, p Proposal, c lifecycle.Change) (Answer, error) {
	c.Record = s.current.Load().Head.Size
	next, err := decide(s.reader(s.current.Load()), s.options.Workflow, who, p.ID, p.IfMatch, c,
		s.clock().UTC().Truncate(time.Microsecond))
	if err != nil {
		err = momentary(err)
		if refusal := asRefusal(err); refusal != nil {
			err = s.explained(decision{answer: firstAnswer{Refusal: refusal}}, p)
		}
		return Answer{}, err
	}
	raw, err := ledger.Encode(next)
	return Answer{Requirement: raw, Revision: next.Revision}, err
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
