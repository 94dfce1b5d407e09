package replay

import (
	"cmp"
	"fmt"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// Apply makes Replay a ledger.Replay: an accepted change must be legal for its actor at that moment, a refusal must be
// one.
func (r *Replay) Apply(from audit.Record, data any) error {
	switch data := data.(type) {
	case record.WorkflowChosen:
		return r.workflowChosen(from, data)
	case record.Imported:
		return r.imported(from, data)
	case record.Renamed:
		return renamed(r, from, data)
	case request:
		if from.Kind == record.KindUnchanged {
			return unchanged(r, from, data)
		}
		if err := r.noteRefusal(from, "", data.Refusal); err != nil {
			return err
		}
		return r.proposed(from, data)
	case record.Claimed:
		return claimed(r, from, data)
	case record.Released:
		return released(r, from, data)
	case record.RequestRefused:
		return requestRefused(r, from, data)
	case record.RolledBack:
		return r.rolledBack(from, data)
	case record.Restored:
		return r.restored(from, data)
	case record.AuditKeyChosen:
		return r.auditKeyChosen(from, data)
	case record.EvidenceChosen:
		return r.evidenceChosen(from, data)
	case record.BranchChosen:
		return r.branchChosen(from, data)
	case record.Rechecked:
		return r.rechecked(from, data)
	case record.KeysForgotten:
		return r.forgotten(from, data)
	case record.RefusalsFolded:
		return r.refusalsFolded(from, data)
	case record.TokensChanged:
		return r.tokensChanged(from, data)
	}
	return fmt.Errorf("nothing is known of its kind")
}

// claimed decides a claim again.
func claimed(r *Replay, rec audit.Record, data record.Claimed) error {
	if _, err := decidedUnder(r, data.Rules, data.Workflow); err != nil {
		return err
	}
	if err := checkHolder(r.owners, rec, data.Holder); err != nil {
		return err
	}
	req, size, err := r.states.find(rec.Subject)
	if err != nil {
		return err
	}
	if size == 0 {
		return fmt.Errorf("it claims %q, which is no requirement", rec.Subject)
	}
	length := data.Until.Sub(rec.At)
	if length < claiming.Shortest || length > claiming.Longest {
		return fmt.Errorf("it claims %s for %s", rec.Subject, length)
	}
	c, _, err := claims.Take(&r.claims, req, claiming.Asked{By: actorOf(rec), Holder: data.Holder, Field: data.Field, For: length}, rec.At)
	if err != nil {
		return fmt.Errorf("it was claimed, but the rules refuse it: %w", err)
	}
	if !c.Since.Equal(data.Since) {
		return fmt.Errorf("it says that the claim is held since %s; it is since %s", data.Since, c.Since)
	}
	return nil
}

// released decides again whether a claim could be given up or broken.
func released(r *Replay, rec audit.Record, data record.Released) error {
	if _, err := decidedUnder(r, data.Rules, data.Workflow); err != nil {
		return err
	}
	if err := checkHolder(r.owners, rec, data.Holder); err != nil && !data.Broken {
		return err
	}
	if data.Broken && rec.Actor.Role != string(lifecycle.PM) { // a pm may be of the run that holds it
		return fmt.Errorf("nobody but a pm breaks a claim")
	}
	c, found, err := claims.Release(&r.claims, rec.Subject, actorOf(rec), data.Holder, data.Field, rec.At)
	switch {
	case err != nil:
		return fmt.Errorf("it was released, but the rules refuse it: %w", err)
	case !found || c.Holder != data.Holder:
		return fmt.Errorf("it releases a claim on %s of %s that %s does not have", data.Field, rec.Subject, data.Holder)
	}
	return nil
}

// requestRefused takes note of a refusal. The first records name no workflow.
func requestRefused(r *Replay, from audit.Record, data record.RequestRefused) error {
	if data.Workflow != "" && data.Workflow != r.project.WorkflowName {
		return fmt.Errorf("it names workflow %q, and %q is in force", data.Workflow, r.project.WorkflowName)
	}
	return r.noteRefusal(from, data.Request, data.Refusal)
}

func (r *Replay) forgotten(rec audit.Record, data record.KeysForgotten) error {
	for _, key := range data.Keys {
		first, found := r.answers[key]
		if !found || record.Remembered(first.at, rec.At) {
			return fmt.Errorf("it forgets an Idempotency-Key that is not %v old", record.KeepKeys)
		}
		delete(r.answers, key)
	}
	return nil
}

func (r *Replay) imported(rec audit.Record, data record.Imported) error {
	if rec.Actor != ledger.System() && rec.Actor.Role != string(lifecycle.PM) {
		return fmt.Errorf("%q imported, in the role %s", rec.Actor.Name, rec.Actor.Role)
	}
	rules, err := decidedUnder(r, data.Rules, data.Workflow)
	if err != nil {
		return err
	}
	for _, def := range data.Defined {
		req, size, err := r.states.find(def.ID)
		if err != nil {
			return err
		}
		var known *lifecycle.Requirement
		if size > 0 {
			known = &req
		}
		next, drift := lifecycle.Define(known, def, rec.At, rules)
		if drift == lifecycle.Unchanged {
			return fmt.Errorf("it says that %s changed, which it did not", def.ID)
		}
		if err := r.put(next); err != nil {
			return err
		}
	}
	for _, id := range data.Retired {
		req, _, err := r.states.find(id)
		if err != nil {
			return err
		}
		next, drift := lifecycle.Retire(req)
		if drift != lifecycle.Retired {
			return fmt.Errorf("it retires %s, which was retired already", id)
		}
		if err := r.put(next); err != nil {
			return err
		}
	}
	if err := qualified(&r.project, data.Qualify); err != nil {
		return err
	}
	r.project.Name, r.project.Sources = data.Name, data.Sources
	if data.IDs != nil {
		r.project.IDs = data.IDs
	}
	if r.project.Pending, err = pending.Apply(r.project.Pending, data.Pending); err != nil {
		return err
	}
	r.project.Import, err = data.After(r.project.Import, rec.Seq, rec.At, rec.Actor)
	return err
}

// qualified takes note of the form of the ids, which the first import chooses.
func qualified(p *projection.Project, form string) error {
	if form == "" {
		return nil
	}
	if p.Imported() || qualify.Check(form) != nil {
		return fmt.Errorf("it chooses the form %q for ids that have the form %q", form, p.Form(""))
	}
	p.Qualify = form
	return nil
}

// proposed decides again, and holds the decision against the record.
func (r *Replay) proposed(rec audit.Record, data request) error {
	key := ""
	who := lifecycle.Actor{Name: rec.Actor.Name, Role: lifecycle.Role(rec.Actor.Role)}
	if data.IdempotencyKey != "" {
		key = record.KeyOf(who, data.IdempotencyKey)
	}
	first, known := r.answers[key]
	known = known && record.Remembered(first.at, rec.At)
	answer := record.FirstAnswer{At: rec.At, Seq: rec.Seq, BodySHA256: data.BodySHA256, Refusal: data.Refusal}
	if data.decides() {
		if _, err := decidedUnder(r, data.Rules, data.Workflow); cmp.Or(data.changeErr, err) != nil {
			return cmp.Or(data.changeErr, err)
		}
		if err := r.decided(rec, data, who, known, &answer); err != nil {
			return err
		}
		if err := r.seen.attach(rec, data.Proposed); err != nil {
			return err
		}
		if err := r.seen.see(rec, data.Proposed); err != nil {
			return err
		}
	}
	if err := checkWorkflow(data.Rules, data.Workflow, r.project.WorkflowName); err != nil || key == "" || known {
		return err
	}
	return r.remember(key, answer)
}

// decidedUnder returns the rules that a record says it was decided by, and wants it to name the workflow in force.
func decidedUnder(r *Replay, recorded lifecycle.Rules, workflow string) (lifecycle.Rules, error) {
	rules, err := r.rulesOf(recorded)
	return rules, cmp.Or(err, checkWorkflow(rules, workflow, r.project.WorkflowName))
}

// checkWorkflow wants a decision to name the workflow in force, as it does since lifecycle.Rules4.
func checkWorkflow(rules lifecycle.Rules, named, inForce string) error {
	want := ""
	if rules >= lifecycle.Rules4 {
		want = inForce
	}
	if named != want {
		return fmt.Errorf("it names workflow %q, and %q is in force", named, inForce)
	}
	return nil
}

// decided decides a change that the record has, and adds to the answer what it came to.
func (r *Replay) decided(rec audit.Record, data request, who lifecycle.Actor, known bool,
	answer *record.FirstAnswer) error {
	if r.project.Evidence == projection.EvidenceVerified && data.Refusal == nil && data.change.Looked == nil &&
		data.change.NeedsLook() {
		return fmt.Errorf("it was accepted, but nobody looked its evidence up")
	}
	of := asked(r, rec, data, known)
	if err := checkHolder(r.owners, rec, data.Holder); err != nil {
		return err
	}
	if data.Holder != "" && len(of.Claims) == 0 {
		return fmt.Errorf("it names who claims, and %s has no claim", rec.Subject)
	}
	if err := checkRepeated(r, of); err != nil {
		return err
	}
	next, refusal, err := decision.Decide(r.states.find, r.project.Workflow(), of)
	if err != nil {
		return err
	}
	if err := sameDecision(refusal, data.Refusal); err != nil || refusal != nil {
		return err
	}
	raw, err := r.states.putChanged(next)
	if err != nil {
		return err
	}
	sum := r.states.digest(next.ID)
	answer.Requirement, answer.Revision = raw, next.Revision
	if answer.Workflow = data.Workflow; answer.Workflow != "" {
		answer.Looks = r.project.Evidence == projection.EvidenceVerified
	}
	if next.Revision != data.Revision || sum != data.SHA256 {
		return fmt.Errorf("the change gives revision %d with digest %s, not %d with %s", next.Revision, sum,
			data.Revision, data.SHA256)
	}
	return nil
}

func sameDecision(now, then *fault.Error) error {
	switch {
	case now == nil && then != nil:
		return fmt.Errorf("it was refused (%s), but the rules allow it", then.Code)
	case now != nil && then == nil:
		return fmt.Errorf("it was accepted, but the rules refuse it: %s: %s", now.Code, now.Error())
	case now != nil && now.Code != then.Code:
		return fmt.Errorf("it was refused as %s, but the rules refuse it as %s", then.Code, now.Code)
	}
	return nil
}
