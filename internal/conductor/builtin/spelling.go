package builtin

import (
	"context"
	"strings"
	"unicode"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/actorname"
	"orchestrator/internal/rules/planning"
)

// CodeContradicted is that of facts that cannot all be held.
const CodeContradicted fault.Code = "facts_contradicted"

// read returns the form in which names are compared: two that a person reads as the same have the same. They may differ
// in case, in the width of characters, in how an accent is encoded, in blanks, and in characters that nobody sees.
func read(name string) string {
	seen := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, name)
	return actorname.Fold(strings.Join(strings.Fields(seen), " "))
}

// readSubject is read for a subject. Callers are told apart by the bytes of their names.
func readSubject(subject string) string {
	if strings.HasPrefix(subject, UserPrefix) {
		return subject
	}
	return read(subject)
}

// reserved reports whether a subject is read as one that only the conductor, or a user, may assert facts about.
func reserved(subject string) bool {
	as := read(subject)
	return strings.HasPrefix(as, state.RunPrefix) || strings.HasPrefix(as, UserPrefix)
}

// place is where at most one object is held: a predicate, and a subject as it is read.
type place struct{ predicate, subject string }

// checkSpelling refuses facts that say two things where there can be one: two objects for one subject, or names that are
// read as the same, which would stand beside one another unseen. What is another caller's own is not seen either way.
//
// Implements: ORC-242
func (c Call) checkSpelling(ctx context.Context, effects []Effect) error {
	single := map[place]Effect{}
	declared := c.declared()
	for _, e := range effects {
		if !c.Functional(e.Subject, e.Predicate) {
			if as := c.meant(e, declared); as != "" {
				return contradicted("the relation %q is declared as %q", e.Predicate, as).
					WithFix("write %q; nothing of this obligation was applied", as)
			}
			continue
		}
		at := place{e.Predicate, readSubject(e.Subject)}
		other, given := single[at]
		if given && (e.Subject != other.Subject || !state.Equal(e.Object, other.Object)) {
			return contradicted("the %s of %q is given twice, as %v and as %v, and there can be one", e.Predicate,
				e.Subject, other.Object, e.Object).WithFix("say which one it is; nothing of this obligation was applied")
		}
		single[at] = e
	}
	if len(single) == 0 {
		return nil
	}
	return c.checkKnown(ctx, single)
}

// checkKnown refuses a subject that is read as another one of which the relation is known.
func (c Call) checkKnown(ctx context.Context, single map[place]Effect) error {
	predicates := map[string]bool{}
	for at := range single {
		predicates[at.predicate] = true
	}
	wanted := func(subject, predicate string) bool {
		if !predicates[predicate] {
			return false
		}
		e, given := single[place{predicate, readSubject(subject)}]
		return given && e.Subject != subject
	}
	return c.View(ctx, func(v state.View) error {
		return v.EachHeld(wanted, func(a state.Assertion) error {
			return contradicted("the %s is known of %q, which is read as %q", a.Predicate, a.Subject,
				single[place{a.Predicate, readSubject(a.Subject)}].Subject).
				WithFix("write the name as it is known, or another one; nothing of this obligation was applied")
		})
	})
}

// declared returns the functional relations that contracts declare, by how they are read.
func (c Call) declared() map[string]string {
	all := map[string]string{}
	for predicate, relation := range c.Relations {
		if as := read(predicate); relation == planning.Functional && (all[as] == "" || predicate < all[as]) {
			all[as] = predicate
		}
	}
	return all
}

// meant returns the functional relation that the predicate of an effect is read as; "" where it is none, or is declared
// itself.
func (c Call) meant(e Effect, declared map[string]string) string {
	if _, itself := c.Relations[e.Predicate]; itself {
		return ""
	}
	as := read(e.Predicate)
	if as == PredicateName && c.Functional(e.Subject, as) {
		return as
	}
	return declared[as]
}

func contradicted(format string, args ...any) *fault.Error {
	return fault.New(fault.Conflict, CodeContradicted, format, args...)
}
