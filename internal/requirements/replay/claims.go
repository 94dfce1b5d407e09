package replay

import (
	"fmt"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// claimBook is the table of claims; nil before the first.
type claimBook map[string][]claiming.Claim

// Get makes claimBook a claims.Book.
func (b *claimBook) Get(key string) ([]claiming.Claim, error) { return (*b)[key], nil }

// Put makes claimBook a claims.Book.
func (b *claimBook) Put(key string, all []claiming.Claim) error {
	switch {
	case len(all) == 0:
		delete(*b, key)
		return nil
	case *b == nil:
		*b = claimBook{}
	}
	(*b)[key] = all
	return nil
}

func (b *claimBook) table() (ledger.Contents, error) {
	return ledger.ContentsOf(claims.Table, map[string][]claiming.Claim(*b))
}

// on returns the claims on a requirement that count when a record was made.
func (b *claimBook) on(rec audit.Record) []claiming.Claim {
	return claiming.Live((*b)[claims.KeyOn(rec.Subject)], rec.At)
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

// checkHolder refuses a record whose actor claims by a token of somebody else, as far as the log knows the tokens. One that
// was revoked may still have been at work. A run is nobody's token.
func checkHolder(owners map[string]audit.Actor, rec audit.Record, holder string) error {
	if holder == "" || claiming.IsRun(holder) || len(owners) == 0 {
		return nil
	}
	if owner, known := owners[holder]; !known || owner != rec.Actor {
		return fmt.Errorf("it is of %q in the role %s, and the token %s is not", rec.Actor.Name, rec.Actor.Role, holder)
	}
	return nil
}

func actorOf(rec audit.Record) lifecycle.Actor {
	return lifecycle.Actor{Name: rec.Actor.Name, Role: lifecycle.Role(rec.Actor.Role)}
}
