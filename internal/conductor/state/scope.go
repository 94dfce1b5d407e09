package state

import (
	"slices"
	"strings"
)

// UserPrefix begins the subjects of assertions on callers.
const UserPrefix = "user:"

// The scopes of assertions.
const (
	ScopeOwn     = "own"     // only its owner sees it
	ScopeProject = "project" // every caller sees it
)

// Own reports whether only its owner sees the assertion. One without a scope is the owner's if it is about a caller.
func (a Assertion) Own() bool {
	if a.Scope == "" {
		return strings.HasPrefix(a.Subject, UserPrefix)
	}
	return a.Scope == ScopeOwn
}

// Owner returns who an assertion belongs to: the caller that it is about, or else in whose run it was made.
func (v View) Owner(a Assertion) (string, error) { return ownerOf(v, a) }

func ownerOf(from rows, a Assertion) (string, error) {
	if name, is := strings.CutPrefix(a.Subject, UserPrefix); is {
		return name, nil
	}
	s, _, err := read[Source](from.get, kindSource, a.Source)
	if err != nil {
		return "", err
	}
	r, _, err := headOf(from, s.Run)
	return r.Caller.Name, err
}

// For returns the view of a caller, who does not see what is only others' own.
//
// Implements: ORC-268
func (v View) For(caller string) View {
	v.caller = caller
	return v
}

// seen returns those of some assertions that the caller of the view sees.
func (v View) seen(all []Assertion, err error) ([]Assertion, error) {
	if err != nil || v.caller == "" {
		return all, err
	}
	all = slices.DeleteFunc(all, func(a Assertion) bool {
		if err != nil || !a.Own() {
			return false
		}
		var owner string
		owner, err = v.Owner(a)
		return owner != v.caller
	})
	return all, err
}

// EachHeld visits what is held about anything but runs, by subject and predicate: of those that are wanted.
func (v View) EachHeld(wanted func(subject, predicate string) bool, visit func(a Assertion) error) error {
	return scanHeld(v, func(subject, predicate string) error {
		if !wanted(subject, predicate) {
			return nil
		}
		held, err := v.Held(subject, predicate)
		for _, a := range held {
			if err == nil {
				err = visit(a)
			}
		}
		return err
	})
}

// End ends assertions on a subject and a predicate.
//
// Implements: ORC-269
func (w *Writer) End(subject, predicate string, ids []string) error {
	held, err := w.Held(subject, predicate)
	if err != nil {
		return err
	}
	left := []string{}
	for _, a := range held {
		if !slices.Contains(ids, a.ID) {
			left = append(left, a.ID)
			continue
		}
		a.Until = w.At
		if err := w.put(a, kindAssertion, a.ID); err != nil {
			return err
		}
	}
	return w.put(left, kindHeld, subject, predicate)
}

// apart reports whether two assertions say nothing of one another: one is everybody's and the other somebody's own, or
// they are two callers' own.
func apart(w *Writer, old, a Assertion) (bool, error) {
	if old.Own() != a.Own() || !a.Own() {
		return old.Own() != a.Own(), nil
	}
	before, err := ownerOf(w, old)
	if err != nil {
		return false, err
	}
	now, err := ownerOf(w, a)
	return before != now, err
}
