package replay

import (
	"cmp"
	"fmt"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// unchanged decides again that a request repeated the last move, and remembers its answer.
func unchanged(r *Replay, rec audit.Record, data request) error {
	r.refusals.note(rec, actorsKind{rec.Actor, record.RefusalKind{Subject: rec.Subject, Code: record.CodeUnchanged}})
	if _, err := decidedUnder(r, data.Rules, data.Workflow); cmp.Or(data.changeErr, err) != nil {
		return cmp.Or(data.changeErr, err)
	}
	who := actorOf(rec)
	key := record.KeyOf(who, data.IdempotencyKey)
	first, known := r.answers[key]
	if data.IdempotencyKey == "" || known && record.Remembered(first.at, rec.At) {
		return fmt.Errorf("it was answered for no Idempotency-Key that was new")
	}
	req, is, err := decision.Repeated(r.states.find, asked(r, rec, data, false))
	switch {
	case err != nil:
		return err
	case !is:
		return fmt.Errorf("it says that nothing was to be changed, which is not so")
	case req.Revision != data.Revision || r.states.digest(req.ID) != data.SHA256:
		return fmt.Errorf("it says that %s is at revision %d, which is at %d", req.ID, data.Revision, req.Revision)
	}
	w := r.project.Workflow()
	return r.remember(key, record.FirstAnswer{At: rec.At, Seq: rec.Seq, BodySHA256: data.BodySHA256,
		Requirement: r.states.raw(req.ID), Workflow: w.Name, Looks: w.Looks(), Revision: req.Revision, Unchanged: true})
}

// asked returns what a record says was asked for.
func asked(r *Replay, rec audit.Record, data request, keyUsed bool) decision.Request {
	return decision.Request{
		Actor: actorOf(rec), ID: rec.Subject, IfMatch: data.IfMatch, KeyUsed: keyUsed, Change: data.change, At: rec.At,
		Claims: r.claims.on(rec), Holder: data.Holder,
	}
}

// checkRepeated finds a decision on what was to be answered as unchanged.
func checkRepeated(r *Replay, of decision.Request) error {
	if of.Change.Rules < lifecycle.Rules4 || of.Change.Status == "" { // a move is repeated, and nothing else
		return nil
	}
	_, is, err := decision.Repeated(r.states.find, of)
	if err == nil && is {
		err = fmt.Errorf("it was decided, but it repeats the last move of %s", of.ID)
	}
	return err
}
