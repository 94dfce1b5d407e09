package datalog

import (
	"strconv"

	"orchestrator/internal/fault"
)

// sort is the sort of the constants of a column: numbers, words or, in one column, both.
type sort uint8

const (
	numbers sort = 1 << iota
	words
)

func (s sort) String() string {
	if s == numbers {
		return "a number"
	}
	return "a word"
}

// sortOf returns the sort of a constant. A number in quotes is the same constant as one without.
func sortOf(t Term) sort {
	if number().FindString(t.Text) == t.Text {
		return numbers
	}
	return words
}

// column is a place of a relation, from 0.
type column struct {
	relation string
	place    int
}

// sorts are the sorts that may stand in a column; of one that has none, nothing is known.
type sorts map[column]sort

// CheckSense refuses a program whose query nothing can answer: no fact and no rule is about its relation, or its rules
// or its query compare numbers with words. It would be answered with no, though the question is at fault.
//
// Implements: ORC-243
func (p Program) CheckSense() error {
	if len(p.Rules) == 0 {
		return fault.New(fault.Invalid, "rules_missing", "there are no rules to deduce anything from").
			WithFix("send rules such as grandparent(X, Z) :- parent(X, Y), parent(Y, Z).")
	}
	if !p.defines(p.Query.Relation) {
		return newScanner("query", -1, "").fault("relation_unknown", "no fact and no rule has the relation %s",
			p.Query.Relation).WithFix("ask for a relation that the facts or the rules have; check how it is written")
	}
	known, constants := p.inferSorts(), p.constants()
	for i, r := range p.Rules {
		if err := known.check(newScanner("rules", i, ""), constants, r.Body); err != nil {
			return err
		}
	}
	return known.check(newScanner("query", -1, ""), constants, []Atom{p.Query})
}

// constants returns the constants of the facts.
func (p Program) constants() map[string]bool {
	all := map[string]bool{}
	for _, f := range p.Facts {
		for _, t := range f.Terms {
			all[t.Text] = true
		}
	}
	return all
}

// defines reports whether a fact or a rule has a relation.
func (p Program) defines(relation string) bool {
	for _, f := range p.Facts {
		if f.Relation == relation {
			return true
		}
	}
	for _, r := range p.Rules {
		for _, a := range append([]Atom{r.Head}, r.Body...) {
			if a.Relation == relation {
				return true
			}
		}
	}
	return false
}

// inferSorts returns the sorts of the constants that facts have, and rules can derive.
func (p Program) inferSorts() sorts {
	known := sorts{}
	for _, f := range p.Facts {
		for i, t := range f.Terms {
			known[column{f.Relation, i}] |= sortOf(t)
		}
	}
	for grew := true; grew; {
		grew = false
		for _, r := range p.Rules {
			bound := known.variables(r.Body)
			for i, t := range r.Head.Terms {
				at, before := column{r.Head.Relation, i}, known[column{r.Head.Relation, i}]
				if t.Var {
					known[at] |= bound[t.Text]
				} else {
					known[at] |= sortOf(t)
				}
				grew = grew || known[at] != before
			}
		}
	}
	return known
}

// variables returns the sorts that the variables of a body may have: what all of their columns have.
func (s sorts) variables(body []Atom) map[string]sort {
	bound := map[string]sort{}
	for _, a := range body {
		for i, t := range a.Terms {
			of := s[column{a.Relation, i}]
			if !t.Var || of == 0 {
				continue
			}
			if before, is := bound[t.Text]; is {
				of &= before
			}
			bound[t.Text] = of
		}
	}
	return bound
}

// check refuses atoms of which a term can never fit: a constant of the wrong sort for its column, or a variable of
// columns whose sorts differ. A variable with the name of a constant is refused too: its quotes were forgotten.
func (s sorts) check(at *scanner, constants map[string]bool, atoms []Atom) error {
	first := map[string]column{}
	for _, a := range atoms {
		for i, t := range a.Terms {
			here := column{a.Relation, i}
			have := s[here]
			switch before, met := first[t.Text]; {
			case t.Var && constants[t.Text]:
				return at.fault("variable_quoted", "%s is a variable here, and a constant in quotes in the facts", t).
					WithFix("put it in quotes here too, as %q: names that begin with a capital letter are variables", t.Text)
			case have == 0:
			case !t.Var && have&sortOf(t) == 0:
				return at.mismatch("%s is %s, and %s is %s everywhere else", t, sortOf(t), here, have)
			case t.Var && met && s[before]&have == 0:
				return at.mismatch("%s stands for %s, which is %s, and for %s, which is %s", t, before, s[before], here, have)
			case t.Var && !met:
				first[t.Text] = here
			}
		}
	}
	return nil
}

func (c column) String() string { return "term " + strconv.Itoa(c.place+1) + " of " + c.relation }

func (s *scanner) mismatch(format string, args ...any) error {
	return s.fault("type_mismatch", format, args...).
		WithFix("compare numbers with numbers, and words with words")
}
