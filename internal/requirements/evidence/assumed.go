package evidence

import (
	"context"
	"time"

	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/rules/lifecycle"
)

// tick is the coarsest step of the clocks of the file systems that people test on.
const tick = 10 * time.Millisecond

// assumed keeps for a moment which commits tests were tied to: a change may cite many tests of one run.
type assumed struct {
	turn    gitrepo.Turn
	branch  string
	tip     string
	tipAt   time.Time         // before git was asked for the tip
	named   map[string]string // full ids by what evidence names
	namedAt time.Time         // before git was asked for the first of them
}

// tie writes to found which commit was tested: the one that the evidence names, or the tip of the branch.
func (r *Repository) tie(ctx context.Context, e lifecycle.Evidence, found *lifecycle.Found) (err error) {
	a := &r.assumed
	if err := a.turn.Take(ctx); err != nil {
		return err
	}
	defer a.turn.Give()
	if e.ReportCommit != "" {
		found.Commit, err = a.resolve(ctx, r, e.ReportCommit)
		return err
	}
	if err := a.askTip(ctx, r, found.Modified); err != nil {
		return err
	}
	found.Commit, found.Tip = a.tip, a.tip != ""
	return nil
}

// askTip asks for the tip, unless it was asked for a moment ago and the report was there by then: a commit that came
// later is not the one that was tested.
func (a *assumed) askTip(ctx context.Context, r *Repository, written time.Time) error {
	if a.branch == r.git.Branch() && time.Since(a.tipAt) < listingAge && written.Add(tick).Before(a.tipAt) {
		return nil
	}
	now, branch := time.Now(), r.git.Branch()
	tip, err := r.Tip(ctx)
	if err == nil {
		a.tip, a.tipAt, a.branch = tip, now, branch
	}
	return err
}

// resolve returns the full id of a commit that evidence names, which is believed for a moment to be where it was.
func (a *assumed) resolve(ctx context.Context, r *Repository, id string) (string, error) {
	if time.Since(a.namedAt) >= listingAge {
		a.named, a.namedAt = map[string]string{}, time.Now()
	}
	if full, known := a.named[id]; known {
		return full, nil
	}
	full, err := r.resolve(ctx, id)
	if err == nil {
		a.named[id] = full
	}
	return full, err
}
