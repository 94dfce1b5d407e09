package renames

import (
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Done is what became of a renaming.
type Done struct {
	DryRun    bool            `json:"dry_run"`
	Unchanged bool            `json:"unchanged"` // all have these ids already, and nothing was recorded
	Renames   []renaming.Pair `json:"renames"`   // that were made
	Suspect   []string        `json:"suspect"`   // new ids of those whose text is another: a pm must accept it
	Qualify   string          `json:"qualify,omitempty"`
	Record    uint64          `json:"record,omitzero"`

	Replayed bool `json:"-"` // the first answer to this Idempotency-Key, again
}

// Apply renames in a transaction. Nothing is recorded if all is so already.
func (a Asked) Apply(tx *ledger.Tx) (Done, error) {
	if first, known, err := a.recall(tx); err != nil || known {
		return first, err
	}
	p, _, err := projection.TableProject.Get(tx, projection.KeyProject)
	if err != nil {
		return Done{}, err
	}
	on := func(id string) ([]claiming.Claim, error) { return claims.On(tx, id) }
	out, err := a.decide(tx, on, p, tx.Seq(), tx.At())
	if err != nil || !a.changes(p, out) {
		return Done{Unchanged: true, Renames: []renaming.Pair{}, Suspect: []string{}}, err
	}
	done := a.done(out)
	done.Record = tx.Seq()
	return done, a.write(tx, p, out)
}

// DryRun finds out what Apply would do to the state of a snapshot.
func (a Asked) DryRun(on *projection.Snapshot, at time.Time) (Done, error) {
	claimed := func(id string) ([]claiming.Claim, error) { return on.ClaimsOn(id), nil }
	out, err := a.decide(on, claimed, on.Project, on.Head.Size, at)
	done := a.done(out)
	done.DryRun, done.Unchanged = true, err == nil && !a.changes(on.Project, out)
	return done, err
}

func (a Asked) decide(from store.Getter, on func(id string) ([]claiming.Claim, error), p projection.Project, seq uint64,
	at time.Time) (renaming.Outcome, error) {
	if a.Qualify != "" && p.Form("") == a.Qualify {
		return renaming.Outcome{}, nil
	}
	return Decide(renaming.State{
		Find: func(id string) (lifecycle.Requirement, bool, error) {
			return projection.TableRequirements.Get(from, id)
		},
		Claims: func(id string) ([]claiming.Claim, error) {
			all, err := on(id)
			return claiming.Live(all, at), err
		},
	}, p, a.Renames, a.Qualify, seq, lifecycle.LatestRules)
}

// changes reports whether there is anything to record. Another form is worth a record even if no id has another one in
// it.
func (a Asked) changes(p projection.Project, out renaming.Outcome) bool {
	return len(out.Pairs) > 0 || a.Qualify != "" && p.Form("") != a.Qualify
}

func (a Asked) done(out renaming.Outcome) Done {
	return Done{Renames: append([]renaming.Pair{}, out.Pairs...), Suspect: append([]string{}, Suspects(out)...),
		Qualify: a.Qualify}
}

// write moves the lives and the claims, and puts the renaming on record.
func (a Asked) write(tx *ledger.Tx, p projection.Project, out renaming.Outcome) error {
	for _, pair := range out.Pairs {
		if err := projection.TableRequirements.Delete(tx, pair.From); err != nil {
			return err
		}
	}
	for _, next := range out.Next {
		if _, err := projection.TableRequirements.Put(tx, next.ID, next); err != nil {
			return err
		}
	}
	if _, err := projection.TableProject.Put(tx, projection.KeyProject, After(p, out, a.Qualify)); err != nil {
		return err
	}
	if err := claims.Rename(claims.InTable(tx), out.Pairs, tx.At()); err != nil {
		return err
	}
	if a.Key != "" {
		first := record.FirstAnswer{At: tx.At(), Seq: tx.Seq(), BodySHA256: a.Digest}
		if _, err := record.TableIdempotency.Put(tx, record.KeyOf(a.By, a.Key), first); err != nil {
			return err
		}
	}
	data := record.Renamed{Rules: lifecycle.LatestRules, Workflow: p.WorkflowName, Renames: out.Pairs,
		Suspect: Suspects(out), Qualify: a.Qualify, Reason: a.Reason, IdempotencyKey: a.Key, BodySHA256: a.Digest}
	return tx.Append(ledger.Event{Kind: record.KindRenamed, Actor: record.Actor(a.By), RequestID: a.RequestID,
		Data: data})
}

// recall returns the first answer to a key that is still remembered, from its record. A key that was used with another
// request is refused.
func (a Asked) recall(tx *ledger.Tx) (Done, bool, error) {
	if a.Key == "" {
		return Done{}, false, nil
	}
	first, found, err := record.TableIdempotency.Get(tx, record.KeyOf(a.By, a.Key))
	if err != nil || !found || !record.Remembered(first.At, tx.At()) {
		return Done{}, false, err
	}
	if first.BodySHA256 != a.Digest {
		return Done{}, true, fault.New(fault.Invalid, decision.CodeKeyReused,
			"this Idempotency-Key was used with another request").WithFix("use a new key for a new request")
	}
	_, rec, err := ledger.RecordAt(tx, first.Seq)
	if err != nil {
		return Done{}, true, err
	}
	data, err := ledger.DataOf[record.Renamed](tx, rec)
	return Done{Renames: data.Renames, Suspect: append([]string{}, data.Suspect...), Qualify: data.Qualify,
		Record: first.Seq, Replayed: true}, true, err
}
