package replay

import (
	"fmt"
	"slices"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/claims"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/renames"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// renamed decides a renaming again, and gives the requirements their ids.
func renamed(r *Replay, rec audit.Record, data record.Renamed) error {
	rules, err := decidedUnder(r, data.Rules, data.Workflow)
	switch {
	case err != nil:
		return err
	case rec.Actor.Role != string(lifecycle.PM):
		return fmt.Errorf("%q renamed requirements, in the role %s", rec.Actor.Name, rec.Actor.Role)
	case data.Reason == "":
		return fmt.Errorf("it gives no reason")
	case data.Qualify != "" && (data.Qualify == r.project.Form("") || qualify.Check(data.Qualify) != nil):
		return fmt.Errorf("it gives the ids the form %q, and they have the form %q", data.Qualify, r.project.Form(""))
	case data.Qualify == "" && len(data.Renames) == 0:
		return fmt.Errorf("it renames nothing")
	}
	out, err := renames.Decide(stateAt(r, rec), r.project, data.Renames, data.Qualify, rec.Seq, rules)
	if err != nil {
		return fmt.Errorf("it was made, but the rules refuse it: %w", err)
	}
	if !slices.Equal(out.Pairs, data.Renames) || !slices.Equal(renames.Suspects(out), data.Suspect) {
		return fmt.Errorf("it renames other requirements, or makes others suspect, than it says")
	}
	for _, pair := range out.Pairs {
		r.states.remove(pair.From)
	}
	for _, next := range out.Next {
		if err := r.put(next); err != nil {
			return err
		}
	}
	r.project = renames.After(r.project, out, data.Qualify)
	if err := claims.Rename(&r.claims, out.Pairs, rec.At); err != nil {
		return err
	}
	return rememberRenaming(r, rec, data)
}

// stateAt finds what a renaming depends on as it was when the record was made.
func stateAt(r *Replay, rec audit.Record) renaming.State {
	return renaming.State{
		Find: func(id string) (lifecycle.Requirement, bool, error) {
			req, size, err := r.states.find(id)
			return req, size > 0, err
		},
		Claims: func(id string) ([]claiming.Claim, error) {
			return claiming.Live(r.claims[claims.KeyOn(id)], rec.At), nil
		},
	}
}

// rememberRenaming keeps the answer to an Idempotency-Key, which must be new.
func rememberRenaming(r *Replay, rec audit.Record, data record.Renamed) error {
	if data.IdempotencyKey == "" {
		return nil
	}
	key := record.KeyOf(actorOf(rec), data.IdempotencyKey)
	if first, known := r.answers[key]; known && record.Remembered(first.at, rec.At) {
		return fmt.Errorf("it was made for an Idempotency-Key that was used before")
	}
	return r.remember(key, record.FirstAnswer{At: rec.At, Seq: rec.Seq, BodySHA256: data.BodySHA256})
}
