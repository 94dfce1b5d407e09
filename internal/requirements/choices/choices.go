// Package choices puts on record what is chosen for a whole project: the workflow, what is made of evidence, the branch
// that it is held against, the key that signs the log, and to go on from an older log.
//
// What is on record decides: a start takes an operator's choice over where nothing is on record, or where it may be
// chosen anew. The functions write the table project, each with a record of its own.
package choices

import (
	"cmp"
	"context"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

// Evidence puts on record what is made of evidence from here on, and returns it: what was asked for, else what is on
// record, else projection.EvidenceRecorded.
func Evidence(ctx context.Context, l *ledger.Ledger, was, asked string) (string, error) {
	chosen := cmp.Or(asked, was, projection.EvidenceRecorded)
	if was == chosen {
		return chosen, nil
	}
	return chosen, choose(ctx, l, func(p *projection.Project) (e ledger.Event, err error) {
		if p.Evidence != chosen {
			e = ledger.Event{Kind: record.KindEvidenceChosen, Data: record.EvidenceChosen{From: p.Evidence, To: chosen}}
			p.Evidence = chosen
		}
		return e, nil
	})
}

// Branch puts on record whose tip evidence is held against from here on.
func Branch(ctx context.Context, l *ledger.Ledger, chosen string) error {
	return choose(ctx, l, func(p *projection.Project) (e ledger.Event, err error) {
		if p.Branch != chosen {
			e = ledger.Event{Kind: record.KindBranchChosen, Data: record.BranchChosen{From: p.Branch, To: chosen}}
			p.Branch = chosen
		}
		return e, nil
	})
}

// AuditKey puts the key on record that signs the checkpoints. It never changes silently: another one than the log names
// is refused, unless an operator gave a reason, which is recorded.
func AuditKey(ctx context.Context, l *ledger.Ledger, was, now, reason string) error {
	if now == "" || now == was {
		return nil
	}
	if err := CheckKey(was, now, reason); err != nil {
		return err
	}
	return choose(ctx, l, func(p *projection.Project) (e ledger.Event, err error) {
		if err := CheckKey(p.AuditKey, now, reason); err != nil || p.AuditKey == now {
			return e, err
		}
		data := record.AuditKeyChosen{From: p.AuditKey, To: now}
		if p.AuditKey != "" {
			data.Reason = reason
		}
		p.AuditKey = now
		return ledger.Event{Kind: record.KindAuditKeyChosen, Data: data}, nil
	})
}

// CheckKey refuses a key that replaces another: always if its origin differs, otherwise unless a reason is given.
func CheckKey(was, now, reason string) error {
	if was == "" || was == now {
		return nil
	}
	has, other := audit.OriginOf(was), audit.OriginOf(now)
	if has != other {
		return fault.New(fault.Conflict, "audit_origin_changed",
			"the log has the origin %s; the key that is to sign it is of %s", has, other).
			WithFix("put the key file of this log back; an origin is chosen once, at the first start")
	}
	if reason == "" {
		return fault.New(fault.Conflict, "audit_key_changed",
			"the log %s names another key than the one that signs it now", has).
			WithFix("put the key file of this log back, or give --accept-new-key REASON, which is recorded; " +
				"who has kept a checkpoint will then have to trust the new key")
	}
	return nil
}

// KeyOnRecord returns the key that the log says its checkpoints are signed with; "" before the first choice.
func KeyOnRecord(ctx context.Context, l *ledger.Ledger) (string, error) {
	p, err := OnRecord(ctx, l)
	return p.AuditKey, err
}

// EvidenceOnRecord returns what the log says is made of evidence: projection.EvidenceVerified or EvidenceRecorded; ""
// before the first choice.
func EvidenceOnRecord(ctx context.Context, l *ledger.Ledger) (string, error) {
	p, err := OnRecord(ctx, l)
	return p.Evidence, err
}

// BranchOnRecord returns the branch whose tip the log says decides what counts as evidence; "" before the first choice.
func BranchOnRecord(ctx context.Context, l *ledger.Ledger) (string, error) {
	p, err := OnRecord(ctx, l)
	return p.Branch, err
}

// Imported reports whether the log says that documents were imported.
func Imported(ctx context.Context, l *ledger.Ledger) (bool, error) {
	p, err := OnRecord(ctx, l)
	return p.Imported(), err
}

// OnRecord returns what the log says of the project; the zero Project before it says anything.
func OnRecord(ctx context.Context, l *ledger.Ledger) (p projection.Project, err error) {
	err = l.View(ctx, func(r store.Reader) (err error) {
		p, _, err = projection.TableProject.Get(r, projection.KeyProject)
		return err
	})
	return p, err
}

// choose changes the project by itself, and puts on record the event that change returns. The zero event changes
// nothing: another replica has chosen the same meanwhile.
func choose(ctx context.Context, l *ledger.Ledger, change func(*projection.Project) (ledger.Event, error)) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
		if err != nil {
			return err
		}
		event, err := change(&p)
		if err != nil || event.Kind == "" {
			return err
		}
		event.Actor = ledger.System()
		if _, err := projection.TableProject.Put(tx, projection.KeyProject, p); err != nil {
			return err
		}
		return tx.Append(event)
	})
}
