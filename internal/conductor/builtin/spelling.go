package builtin

import (
	"context"
	"strings"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
)

// CodeContradicted is that of facts that cannot all be held.
const CodeContradicted fault.Code = "facts_contradicted"

// checkSpelling refuses facts that say two things where there can be one: two objects for one subject, or names that
// differ only in case or in the blanks about them, which would stand beside one another unseen.
//
// Implements: ORC-242
func (c Call) checkSpelling(ctx context.Context, effects []Effect) error {
	var single []Effect
	for _, e := range effects {
		folded := strings.ToLower(strings.TrimSpace(e.Predicate))
		switch {
		case c.Functional(e.Subject, e.Predicate):
			single = append(single, e)
		case folded != e.Predicate && c.Functional(e.Subject, folded):
			return contradicted("the relation %q is declared as %q", e.Predicate, folded).
				WithFix("write %q; nothing of this obligation was applied", folded)
		}
	}
	for i, e := range single {
		for _, other := range single[:i] {
			if e.Predicate == other.Predicate && alike(e.Subject, other.Subject) &&
				(e.Subject != other.Subject || !state.Equal(e.Object, other.Object)) {
				return contradicted("the %s of %q is given twice, as %v and as %v, and there can be one", e.Predicate,
					e.Subject, other.Object, e.Object).WithFix("say which one it is; nothing of this obligation was applied")
			}
		}
	}
	if len(single) == 0 {
		return nil
	}
	return c.View(ctx, func(v state.View) error {
		return v.EachHeld(func(string, string) bool { return true }, func(a state.Assertion) error {
			for _, e := range single {
				if a.Predicate == e.Predicate && a.Subject != e.Subject && alike(a.Subject, e.Subject) {
					return contradicted("the %s is known of %q, which differs from %q in case or blanks alone",
						e.Predicate, a.Subject, e.Subject).
						WithFix("write the name as it is known, or another one; nothing of this obligation was applied")
				}
			}
			return nil
		})
	})
}

// alike reports whether two names differ at most in case and in the blanks about them. Callers are told apart by the
// bytes of their names.
func alike(a, b string) bool {
	if strings.HasPrefix(a, UserPrefix) || strings.HasPrefix(b, UserPrefix) {
		return a == b
	}
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

func contradicted(format string, args ...any) *fault.Error {
	return fault.New(fault.Conflict, CodeContradicted, format, args...)
}
