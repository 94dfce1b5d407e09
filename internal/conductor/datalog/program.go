// Package datalog answers a question from facts and rules, and proves its answers.
//
// The language is positive Datalog: facts such as parent(ann, bob), rules such as grandparent(X, Z) :- parent(X, Y),
// parent(Y, Z). and one atom to ask for. Names that begin with a capital letter or _ are variables; constants are names
// that do not, numbers as they are written (1 and 1.0 are two), and text in quotes ("ann" and ann are one). _ is
// another variable each time it stands. There is no negation, no comparison and no arithmetic, so that every deduction
// ends.
//
// Deduce derives facts from new facts alone, round by round, and notes of each which rule gave it from which facts.
// Confirm checks such a proof step by step, and derives everything again, naively. Both are bounded in facts and steps.
// The package is pure.
//
// It is our own, as github.com/google/mangle brings the runtime of a parser generator (ANTLR) along for a larger
// language, with arithmetic, whose programs need not end; its evaluation is bounded in facts alone, and takes no
// context. What is needed here, a bounded evaluation that keeps a proof for the answer, is a few hundred lines.
package datalog

import (
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// The bounds of a program and of a deduction.
const (
	MaxFacts   = 10_000 // that are given
	MaxDerived = 10_000 // facts beside them
	MaxRules   = 100
	MaxTerms   = 64 // of an atom
	maxBody    = 32 // atoms of a rule
	maxText    = 8_000
	maxName    = 200 // bytes of a relation, a variable or a constant
	maxSteps   = 2_000_000
	maxNaive   = 1_000_000 // steps of the first try to derive everything again, and of the second
	maxClosing = 5_000_000
	maxShown   = 1 << 20 // bytes of the answers and their proof
)

// Term is a variable, or a constant by its text without quotes.
type Term struct {
	Var  bool
	Text string
}

// Atom is a relation between terms; one that has no variables can be a fact.
type Atom struct {
	Relation string
	Terms    []Term
}

// Rule says that its head holds wherever its whole body does.
type Rule struct {
	Head Atom
	Body []Atom
}

// Program is a query with the facts and rules that it is asked of.
type Program struct {
	Facts []Atom
	Rules []Rule
	Query Atom
}

// Read reads and checks a program. Its errors say which text is wrong, and where.
func Read(facts, rules []string, query string) (Program, error) {
	var p Program
	if len(facts) > MaxFacts || len(rules) > MaxRules {
		return p, fault.New(fault.Invalid, "program_too_large",
			"there are %d facts and %d rules; at most %d and %d are taken", len(facts), len(rules), MaxFacts, MaxRules).
			WithFix("send only the facts and rules that the question is about")
	}
	arities := arities{}
	for i, text := range facts {
		s := newScanner("facts", i, text)
		fact, err := s.fact()
		if err != nil {
			return p, err
		}
		if err := arities.check(s, fact); err != nil {
			return p, err
		}
		p.Facts = append(p.Facts, fact)
	}
	for i, text := range rules {
		s := newScanner("rules", i, text)
		rule, err := s.rule()
		if err != nil {
			return p, err
		}
		if err := arities.check(s, append([]Atom{rule.Head}, rule.Body...)...); err != nil {
			return p, err
		}
		p.Rules = append(p.Rules, rule)
	}
	s := newScanner("query", -1, query)
	var err error
	if p.Query, err = s.whole(); err != nil {
		return p, err
	}
	return p, arities.check(s, p.Query)
}

// arities are the numbers of terms of the relations met so far.
type arities map[string]int

func (a arities) check(s *scanner, atoms ...Atom) error {
	for _, atom := range atoms {
		n, known := a[atom.Relation]
		if known && n != len(atom.Terms) {
			return s.fault("relation_terms", "%s has %d terms here and %d before", atom.Relation, len(atom.Terms), n).
				WithFix("give a relation the same number of terms everywhere")
		}
		a[atom.Relation] = len(atom.Terms)
	}
	return nil
}

// String returns a term as programs write it.
func (t Term) String() string {
	if t.Var {
		return shownVar(t)
	}
	if plain(t.Text) {
		return t.Text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t.Text) + `"`
}

// String returns an atom as programs write it.
func (a Atom) String() string {
	if len(a.Terms) == 0 {
		return a.Relation
	}
	terms := make([]string, len(a.Terms))
	for i, t := range a.Terms {
		terms[i] = t.String()
	}
	return a.Relation + "(" + strings.Join(terms, ", ") + ")"
}

// String returns a rule as programs write it.
func (r Rule) String() string {
	body := make([]string, len(r.Body))
	for i, a := range r.Body {
		body[i] = a.String()
	}
	return r.Head.String() + " :- " + strings.Join(body, ", ") + "."
}

// has reports whether an atom has a variable.
func (a Atom) has(variable string) bool {
	return slices.Contains(a.Terms, Term{Var: true, Text: variable})
}
