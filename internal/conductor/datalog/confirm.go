package datalog

import (
	"context"
	"fmt"
	"slices"

	"orchestrator/internal/fault"
)

// Confirm checks an answer without the engine that gave it. Each step of the proof must be a given fact, or an instance
// of a rule whose body the earlier steps are; each answer must be a step that the query asks for. Then everything is
// derived again, naively: the answers must be all there are. Its error says what differs.
func Confirm(ctx context.Context, p Program, a Answer) error {
	if a.Holds != (a.Count > 0) || len(a.Answers) > a.Count || a.Holds && len(a.Answers) == 0 {
		return fmt.Errorf("%d answers, of which %d are given, do not go with holds = %t", a.Count, len(a.Answers),
			a.Holds)
	}
	if err := checkProof(p, a); err != nil {
		return err
	}
	all, err := deriveAll(ctx, p)
	if a.Holds && tooLong(err) {
		return nil // it is proven; only whether there are more answers is not known
	}
	if err != nil {
		return fmt.Errorf("it cannot be derived again: %w", err)
	}
	var again []string
	for _, row := range all[p.Query.Relation] {
		fact := ground(p.Query.Relation, row)
		if unify(p.Query, fact, map[string]string{}) {
			again = append(again, fact.String())
		}
	}
	slices.Sort(again)
	if len(again) != a.Count || !slices.Equal(again[:len(a.Answers)], a.Answers) {
		return fmt.Errorf("a second deduction gives %d answers", len(again))
	}
	return nil
}

// deriveAll derives naively what follows from the given facts. Where that takes too many rounds, it starts from what
// the engine has found: a set that has the given facts and to which no rule adds anything lacks nothing that follows,
// whoever made it.
func deriveAll(ctx context.Context, p Program) (map[string][][]string, error) {
	all, err := naive(ctx, p, nil, maxNaive)
	if !tooLong(err) {
		return all, err
	}
	e := newEngine(p)
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	var found []Atom
	for number := range e.facts[e.given:] {
		found = append(found, e.atom(int32(e.given+number)))
	}
	return naive(ctx, p, found, maxClosing)
}

// codeTooLong is the code of a deduction that came to its bounds.
const codeTooLong fault.Code = "deduction_too_long"

// tooLong reports whether a deduction came to its bounds.
func tooLong(err error) bool {
	return fault.Is(err, codeTooLong)
}

func ground(relation string, row []string) Atom {
	a := Atom{Relation: relation}
	for _, c := range row {
		a.Terms = append(a.Terms, Term{Text: c})
	}
	return a
}

// unify binds the variables of an atom so that it becomes a fact; it reports whether that can be.
func unify(atom, fact Atom, bound map[string]string) bool {
	if atom.Relation != fact.Relation || len(atom.Terms) != len(fact.Terms) {
		return false
	}
	for i, t := range atom.Terms {
		value := fact.Terms[i].Text
		if t.Var {
			if known, is := bound[t.Text]; is && known != value {
				return false
			}
			bound[t.Text] = value
		} else if t.Text != value {
			return false
		}
	}
	return true
}

func checkProof(p Program, a Answer) error {
	given, rules := map[string]bool{}, map[string]Rule{}
	for _, f := range p.Facts {
		given[f.String()] = true
	}
	for _, r := range p.Rules {
		rules[r.String()] = r
	}
	proven := map[string]bool{}
	var facts []Atom
	for i, s := range a.Proof {
		fact, err := newScanner("proof", i, s.Fact).fact()
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if s.Rule == "" && !given[fact.String()] {
			return fmt.Errorf("step %d: %s is not given", i+1, fact)
		}
		if s.Rule != "" {
			rule, known := rules[s.Rule]
			if !known {
				return fmt.Errorf("step %d: there is no rule %s", i+1, s.Rule)
			}
			if err := checkInstance(rule, fact, s.From, facts); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		facts = append(facts, fact)
		proven[fact.String()] = true
	}
	for _, text := range a.Answers {
		fact, err := newScanner("answers", 0, text).fact()
		if err != nil {
			return err
		}
		if !proven[fact.String()] || !unify(p.Query, fact, map[string]string{}) {
			return fmt.Errorf("%s is not proven, or not asked for", fact)
		}
	}
	return nil
}

// checkInstance checks that a rule derives a fact from the facts of the steps that it cites.
func checkInstance(r Rule, fact Atom, from []int, facts []Atom) error {
	if len(from) != len(r.Body) {
		return fmt.Errorf("%s comes from %d facts where the rule wants %d", fact, len(from), len(r.Body))
	}
	bound := map[string]string{}
	for i, step := range from {
		if step < 1 || step > len(facts) {
			return fmt.Errorf("%s comes from step %d, which is no earlier one", fact, step)
		}
		if !unify(r.Body[i], facts[step-1], bound) {
			return fmt.Errorf("%s is no instance of %s", facts[step-1], r.Body[i])
		}
	}
	if !unify(r.Head, fact, bound) {
		return fmt.Errorf("%s is not what the rule makes of that", fact)
	}
	return nil
}
