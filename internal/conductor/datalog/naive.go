package datalog

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// naive derives everything from everything until nothing is new, beginning with the given facts and others that are
// said to follow from them. It returns the rows of each relation.
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

// fill substitutes the values of a row for the variables of an atom.
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

// admits reports whether a row has the constants of an atom, and the same value wherever a variable is repeated.
func admits(atom Atom, row []string) bool {
	for i, t := range atom.Terms {
		if !t.Var && t.Text != row[i] || t.Var && row[atom.place(t.Text)] != row[i] {
			return false
		}
	}
	return true
}

// place returns the index of the first use of a variable in an atom.
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
