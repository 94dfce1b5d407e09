// Package cited looks at all evidence of a requirement again for a review.
package cited

import (
	"context"

	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Repository is where evidence is looked up.
type Repository interface {
	Recheck(context.Context, []evidence.Subject) (evidence.Checked, error)
}

// Recheck looks at pieces of evidence again, which are tied to the code of an implementation where it is given.
func Recheck(ctx context.Context, in Repository, all []lifecycle.Citation,
	code []lifecycle.Evidence) []review.Rechecked {
	if len(all) == 0 {
		return nil
	}
	subject := evidence.Subject{Cited: make([]lifecycle.Evidence, len(all)), Code: code}
	for i, c := range all {
		subject.Cited[i] = c.Evidence
	}
	checked, err := in.Recheck(ctx, []evidence.Subject{subject})
	found := make([]review.Rechecked, len(all))
	for i, c := range all {
		found[i] = review.Rechecked{Pointer: c.Pointer, Verdict: review.NotLookedUp,
			Detail: "the repository cannot be read now"}
		if err == nil {
			found[i] = judged(c.Pointer, checked.Standings[0][i])
		}
	}
	return found
}

func judged(pointer string, s evidence.Standing) review.Rechecked {
	switch {
	case s.Reason != "":
		return review.Rechecked{Pointer: pointer, Verdict: review.Stale, Reason: s.Reason, Detail: s.Detail}
	case s.MovedTo != "":
		return review.Rechecked{Pointer: pointer, Verdict: review.Moved, Detail: s.MovedTo}
	}
	return review.Rechecked{Pointer: pointer, Verdict: review.Holds}
}
