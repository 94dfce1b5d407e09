package datalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// deriveAll is what follows, derived naively from the given facts. Where that takes too many rounds, it starts from
// what the engine has found: a set that has the given facts and to which no rule adds anything lacks nothing that
// follows, whoever made it.
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

// unify binds the variables of an atom so that it becomes a fact.
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

// checkInstance tells whether a rule makes a fact of those of the steps that it is said to come from.
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

// naive derives everything from everything until nothing is new, beginning with the given facts and others that are
// said to follow from them: the rows of each relation.
func naive(ctx context.Context, p Program, others []Atom, steps int) (map[string][][]string, error) {
	m := meter{most: steps}
	all, seen := map[string][][]string{}, map[string]bool{}
	add := func(relation string, row []string) bool {
		key := relation + "\x00" + strings.Join(row, "\x00")
		if seen[key] {
			return false
		}
		seen[key] = true
		all[relation] = append(all[relation], row)
		return true
	}
	for _, f := range p.Facts {
		add(f.Relation, constants(f))
	}
	most := len(seen) + MaxDerived
	for _, f := range others {
		add(f.Relation, constants(f))
	}
	for grown := true; grown; {
		grown = false
		for _, r := range p.Rules {
			t, err := product(ctx, &m, r, all)
			if err != nil {
				return nil, err
			}
			for _, row := range t.rows {
				if grown = add(r.Head.Relation, t.fill(r.Head, row)) || grown; len(seen) > most {
					return nil, errors.New("more facts follow than can")
				}
			}
		}
	}
	return all, nil
}

func constants(fact Atom) []string {
	row := make([]string, len(fact.Terms))
	for i, t := range fact.Terms {
		row[i] = t.Text
	}
	return row
}

// table has a column for each variable that is still wanted.
type table struct {
	variables []string
	rows      [][]string
}

// fill is an atom with the values of a row for its variables.
func (t table) fill(atom Atom, row []string) []string {
	out := constants(atom)
	for i, term := range atom.Terms {
		if term.Var {
			out[i] = row[slices.Index(t.variables, term.Text)]
		}
	}
	return out
}

// product joins the atoms of a body, one after the other, and keeps only what the rest of the rule asks for.
func product(ctx context.Context, m *meter, r Rule, all map[string][][]string) (table, error) {
	t := table{rows: [][]string{{}}}
	for i, atom := range r.Body {
		rest := append([]Atom{r.Head}, r.Body[i+1:]...)
		var err error
		if t, err = t.join(ctx, m, atom, all[atom.Relation], rest); err != nil || len(t.rows) == 0 {
			return t, err
		}
	}
	return t, nil
}

func (t table) join(ctx context.Context, m *meter, atom Atom, facts [][]string, rest []Atom) (table, error) {
	shared, others := split(atom, t.variables)
	byShared := map[string][][]string{}
	for _, row := range facts {
		if err := m.step(ctx); err != nil {
			return t, err
		}
		if admits(atom, row) {
			key := values(shared, func(v string) string { return row[atom.place(v)] })
			byShared[key] = append(byShared[key], row)
		}
	}
	next := table{}
	var pick []func(old, row []string) string // how the columns of the next table come about
	for i, v := range append(slices.Clone(t.variables), others...) {
		if !slices.ContainsFunc(rest, func(a Atom) bool { return a.has(v) }) {
			continue
		}
		next.variables = append(next.variables, v)
		if i < len(t.variables) {
			pick = append(pick, func(old, _ []string) string { return old[i] })
		} else {
			at := atom.place(v)
			pick = append(pick, func(_, row []string) string { return row[at] })
		}
	}
	seen := map[string]bool{}
	for _, old := range t.rows {
		for _, row := range byShared[values(shared,
			func(v string) string { return old[slices.Index(t.variables, v)] })] {
			if err := m.step(ctx); err != nil {
				return t, err
			}
			wide := make([]string, len(pick))
			for i, of := range pick {
				wide[i] = of(old, row)
			}
			if key := strings.Join(wide, "\x00"); !seen[key] {
				seen[key] = true
				next.rows = append(next.rows, wide)
			}
		}
	}
	return next, nil
}

// admits tells whether a row has the constants of an atom, and the same value wherever a variable stands twice.
func admits(atom Atom, row []string) bool {
	for i, t := range atom.Terms {
		if !t.Var && t.Text != row[i] || t.Var && row[atom.place(t.Text)] != row[i] {
			return false
		}
	}
	return true
}

// place is where a variable of an atom first stands.
func (a Atom) place(variable string) int {
	return slices.Index(a.Terms, Term{Var: true, Text: variable})
}

// split parts the variables of an atom into those that are among others and those that are not.
func split(atom Atom, among []string) (shared, others []string) {
	for _, t := range atom.Terms {
		switch {
		case !t.Var || slices.Contains(shared, t.Text) || slices.Contains(others, t.Text):
		case slices.Contains(among, t.Text):
			shared = append(shared, t.Text)
		default:
			others = append(others, t.Text)
		}
	}
	return shared, others
}

func values(variables []string, of func(string) string) string {
	out := make([]string, len(variables))
	for i, v := range variables {
		out[i] = of(v)
	}
	return strings.Join(out, "\x00")
}
