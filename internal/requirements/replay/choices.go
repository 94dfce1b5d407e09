package replay

import (
	"fmt"
	"slices"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// workflowChosen takes a workflow over. Before lifecycle.Rules4 every start could choose one; since then the first
// start does, and a pm switches it where that strands nothing.
func (r *Replay) workflowChosen(rec audit.Record, data record.WorkflowChosen) error {
	if data.Rules != 0 || r.rules >= lifecycle.Rules4 {
		if _, err := r.rulesOf(data.Rules); err != nil {
			return err
		}
	}
	switched := data.Rules >= lifecycle.Rules4 && data.From != ""
	switch {
	case !switched && rec.Actor != ledger.System():
		return fmt.Errorf("%q chose the workflow, which only an operator can", rec.Actor.Name)
	case switched && rec.Actor.Role != string(lifecycle.PM):
		return fmt.Errorf("%q switched the workflow, in the role %s", rec.Actor.Name, rec.Actor.Role)
	case data.From != r.project.WorkflowName:
		return fmt.Errorf("the workflow before was %q, not %q", r.project.WorkflowName, data.From)
	case switched != (data.Reason != ""):
		return fmt.Errorf("a switch of the workflow has a reason, and the first choice none")
	}
	to, err := lifecycle.ParseWorkflow(data.To)
	if err != nil {
		return err
	}
	if switched {
		err = r.states.checkStranded(r.project.Workflow().ClosedBy(to))
	}
	if err == nil && switched && data.To == data.From {
		err = fmt.Errorf("it switches to the workflow that is in force")
	}
	r.project.WorkflowName = data.To
	return err
}

// checkStranded finds a requirement in a status from which a switch leaves no way to done.
func (s *states) checkStranded(closed []lifecycle.Status) error {
	for id, one := range s.byID {
		if !one.retired && slices.Contains(closed, one.status) {
			return fmt.Errorf("it switches the workflow, which strands %s in status %s", id, one.status)
		}
	}
	return nil
}

func (r *Replay) evidenceChosen(rec audit.Record, data record.EvidenceChosen) (err error) {
	if rec.Actor != ledger.System() {
		err = fmt.Errorf("%q chose what is made of evidence, which only an operator can", rec.Actor.Name)
	}
	if err == nil && data.From != r.project.Evidence {
		err = fmt.Errorf("what was made of evidence before was %q, not %q", r.project.Evidence, data.From)
	}
	r.project.Evidence = data.To
	return err
}

func (r *Replay) branchChosen(rec audit.Record, data record.BranchChosen) (err error) {
	if rec.Actor != ledger.System() {
		err = fmt.Errorf("%q chose the branch, which only an operator can", rec.Actor.Name)
	}
	if err == nil && (data.From != r.project.Branch || data.To == data.From) {
		err = fmt.Errorf("the branch before was %q, and it says %q to %q", r.project.Branch, data.From, data.To)
	}
	r.project.Branch = data.To
	return err
}

func (r *Replay) auditKeyChosen(rec audit.Record, data record.AuditKeyChosen) (err error) {
	if rec.Actor != ledger.System() {
		err = fmt.Errorf("%q chose the key of the log, which only an operator can", rec.Actor.Name)
	}
	if err == nil && (data.From != r.project.AuditKey || (data.From != "") != (data.Reason != "")) {
		err = fmt.Errorf("the key of the log before was %q, not %q, and a change of it needs a reason",
			r.project.AuditKey, data.From)
	}
	r.project.AuditKey = data.To
	r.keys = append(r.keys, record.ChosenKey{Record: rec.Seq, Key: data.To, Reason: data.Reason})
	return err
}

func (r *Replay) rolledBack(rec audit.Record, data record.RolledBack) (err error) {
	if rec.Actor != ledger.System() {
		err = fmt.Errorf("%q gave up a part of the log, which only an operator can", rec.Actor.Name)
	}
	if err == nil && data.Reason == "" {
		err = fmt.Errorf("it gives no reason")
	}
	r.project.Rollbacks = append(r.project.Rollbacks,
		projection.Rollback{Record: r.forkBefore(rec.Seq), Size: data.Size, Root: data.Root})
	return err
}

// rechecked takes over what was found of evidence. What the repository was then cannot be looked at again.
func (r *Replay) rechecked(rec audit.Record, data record.Rechecked) (err error) {
	if rec.Actor != ledger.System() {
		err = fmt.Errorf("%q looked at evidence, which the service does by itself", rec.Actor.Name)
	}
	if err != nil {
		return err
	}
	rules, err := decidedUnder(r, data.Rules, data.Workflow)
	if err != nil {
		return err
	}
	for _, one := range data.Changed {
		req, _, err := r.states.find(one.ID)
		if err != nil {
			return err
		}
		next, changed := req.Rechecked(one.Recheck, rules)
		if !changed {
			return fmt.Errorf("it says that the evidence of %s changed, which it did not", one.ID)
		}
		raw, err := r.states.put(next)
		if err != nil {
			return err
		}
		if ledger.Digest(raw) != one.SHA256 {
			return fmt.Errorf("it gives %s with another digest than it says", one.ID)
		}
	}
	return nil
}

// tokensChanged takes over which tokens are in force.
func (r *Replay) tokensChanged(rec audit.Record, data record.TokensChanged) (err error) {
	if rec.Actor != ledger.System() {
		err = fmt.Errorf("%q accounted for tokens, which the service does by itself", rec.Actor.Name)
	}
	if err != nil {
		return err
	}
	before := r.tokens
	if len(data.Added)+len(data.Revoked) == 0 {
		return fmt.Errorf("it says that tokens changed, and names none")
	}
	for _, c := range data.Revoked {
		if !slices.ContainsFunc(before, c.Same) {
			return fmt.Errorf("it revokes a token of %q, in the role %s, that was not in force", c.Name, c.Role)
		}
	}
	now := record.Without(before, data.Revoked)
	for _, c := range data.Added {
		if slices.ContainsFunc(now, func(other record.Credential) bool { return other.ID == c.ID }) {
			return fmt.Errorf("it adds a token of %q, in the role %s, that was in force already", c.Name, c.Role)
		}
		now = append(now, c)
		r.owners[c.ID] = audit.Actor{Name: c.Name, Role: c.Role}
	}
	r.tokens = record.SortedByID(now)
	return nil
}

// restored changes no table.
func (r *Replay) restored(rec audit.Record, data record.Restored) (err error) {
	if rec.Actor != ledger.System() {
		err = fmt.Errorf("%q restored the log, which only an operator can", rec.Actor.Name)
	}
	if err == nil && (data.Size != rec.Seq || data.Root != r.root) {
		err = fmt.Errorf("it says that the log was restored at %d records with the root %s; it had %d with %s",
			data.Size, data.Root, rec.Seq, r.root)
	}
	if r.restores.end != rec.Seq {
		r.restores.first = rec.Seq
	}
	r.restores.end = rec.Seq + 1
	return err
}

// forkBefore returns the first record of the restored stretch that ends at next, or next where none ends there.
func (r *Replay) forkBefore(next uint64) uint64 {
	if r.restores.end == next {
		return r.restores.first
	}
	return next
}
