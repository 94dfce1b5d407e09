package datalog

import (
	"context"
	"encoding/binary"
	"slices"

	"orchestrator/internal/fault"
)

// fact is a row of a relation. Facts are numbered as they are found; those that one came from have smaller numbers.
type fact struct {
	relation *relation
	args     []int32 // constants
	rule     int     // -1: given
	from     []int32 // in the order of the rule's body
}

// relation has its facts in the order of their numbers.
type relation struct {
	name    string
	facts   []int32
	columns []map[int32][]int32 // facts by the constant of a column
	seen    map[string]int32
}

// pattern is an atom with numbers for its terms: constants from 0, variables from -1 downwards.
type pattern struct {
	relation *relation
	terms    []int32
}

// compiledRule is a rule with numbers for its terms, and the orders in which its body is matched.
type compiledRule struct {
	head      pattern
	body      []pattern
	variables int
	orders    [][]int // for each place of the body that new facts come in at, in which order the body is matched
}

const unbound = -1

// engine derives facts.
type engine struct {
	meter     meter
	constants map[string]int32
	names     []string
	relations map[string]*relation
	facts     []fact
	given     int
	rules     []compiledRule

	// of the match under way
	rule     int
	low, top int32 // facts from low are new to this round; those from top are of the next
	binding  []int32
	matched  []int32
}

// meter counts steps, and checks every thousand whether the context has ended.
type meter struct {
	steps int
	most  int
}

func (m *meter) step(ctx context.Context) error {
	m.steps++
	if m.steps > m.most {
		return fault.New(fault.Invalid, codeTooLong, "the deduction takes more than %d steps", m.most).
			WithFix("ask for less: rules whose atoms share variables, or fewer facts")
	}
	if m.steps%1024 == 0 && ctx.Err() != nil {
		return fault.New(fault.Unavailable, "deduction_stopped", "the deduction was stopped after %d steps", m.steps).
			WithFix("give it more time, or fewer facts").Because(context.Cause(ctx))
	}
	return nil
}

func newEngine(p Program) *engine {
	e := &engine{meter: meter{most: maxSteps}, constants: map[string]int32{}, relations: map[string]*relation{}}
	for _, f := range p.Facts {
		at := e.pattern(f, nil)
		e.add(fact{relation: at.relation, args: at.terms, rule: -1})
	}
	e.given = len(e.facts)
	for _, r := range p.Rules {
		variables := map[string]int32{}
		j := compiledRule{}
		for _, a := range r.Body {
			j.body = append(j.body, e.pattern(a, variables))
		}
		j.head = e.pattern(r.Head, variables)
		j.variables = len(variables)
		for first := range j.body {
			j.orders = append(j.orders, j.order(first))
		}
		e.rules = append(e.rules, j)
	}
	return e
}

// pattern numbers the terms of an atom.
func (e *engine) pattern(a Atom, variables map[string]int32) pattern {
	rel, known := e.relations[a.Relation]
	if !known {
		rel = &relation{name: a.Relation, seen: map[string]int32{}}
		for range a.Terms {
			rel.columns = append(rel.columns, map[int32][]int32{})
		}
		e.relations[a.Relation] = rel
	}
	terms := make([]int32, len(a.Terms))
	for i, t := range a.Terms {
		if t.Var {
			if _, known := variables[t.Text]; !known {
				variables[t.Text] = int32(-1 - len(variables))
			}
			terms[i] = variables[t.Text]
			continue
		}
		number, known := e.constants[t.Text]
		if !known {
			number = int32(len(e.names))
			e.constants[t.Text] = number
			e.names = append(e.names, t.Text)
		}
		terms[i] = number
	}
	return pattern{rel, terms}
}

// order begins with one atom, and goes on with the one of which the most terms are known by then.
func (r compiledRule) order(first int) []int {
	order := []int{first}
	known := map[int32]bool{}
	for len(order) < len(r.body) {
		for _, t := range r.body[order[len(order)-1]].terms {
			known[t] = true
		}
		best, most := -1, -1
		for i, atom := range r.body {
			if slices.Contains(order, i) {
				continue
			}
			n := 0
			for _, t := range atom.terms {
				if t >= 0 || known[t] {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		order = append(order, best)
	}
	return order
}

// add adds a fact, and reports whether it is new.
func (e *engine) add(f fact) bool {
	key := make([]byte, 0, 4*len(f.args))
	for _, a := range f.args {
		key = binary.LittleEndian.AppendUint32(key, uint32(a))
	}
	if _, known := f.relation.seen[string(key)]; known {
		return false
	}
	number := int32(len(e.facts))
	e.facts = append(e.facts, f)
	f.relation.seen[string(key)] = number
	f.relation.facts = append(f.relation.facts, number)
	for i, a := range f.args {
		f.relation.columns[i][a] = append(f.relation.columns[i][a], number)
	}
	return true
}

// run derives until a round finds nothing new. In each match at least one atom of the body meets a fact of the last
// round.
func (e *engine) run(ctx context.Context) error {
	for e.low < int32(len(e.facts)) {
		e.top = int32(len(e.facts))
		for r, j := range e.rules {
			e.rule = r
			e.binding = slices.Repeat([]int32{unbound}, j.variables)
			e.matched = make([]int32, len(j.body))
			for first := range j.body {
				if err := e.join(ctx, j, first, 0); err != nil {
					return err
				}
			}
		}
		e.low = e.top
	}
	return nil
}

// join matches the atoms of a body from a place of its order on. The atoms before the one that meets new facts meet old
// ones alone, so that no match is made twice.
func (e *engine) join(ctx context.Context, j compiledRule, first, place int) error {
	if place == len(j.body) {
		return e.derive(j)
	}
	at := j.orders[first][place]
	from, to := int32(0), e.top
	if at == first {
		from = e.low
	} else if at < first {
		to = e.low
	}
	var trail [MaxTerms]int32
	for _, number := range between(e.candidates(j.body[at]), from, to) {
		if err := e.meter.step(ctx); err != nil {
			return err
		}
		bound, fits := e.match(j.body[at].terms, e.facts[number].args, trail[:0])
		if fits {
			e.matched[at] = number
			if err := e.join(ctx, j, first, place+1); err != nil {
				return err
			}
		}
		for _, v := range bound {
			e.binding[v] = unbound
		}
	}
	return nil
}

// candidates returns the facts that an atom may match: those of its bound column with the fewest, or all.
func (e *engine) candidates(p pattern) []int32 {
	fewest := p.relation.facts
	for i, t := range p.terms {
		if t < 0 {
			t = e.binding[-1-t]
		}
		if t == unbound {
			continue
		}
		if facts := p.relation.columns[i][t]; len(facts) < len(fewest) {
			fewest = facts
		}
	}
	return fewest
}

func between(numbers []int32, from, to int32) []int32 {
	i, _ := slices.BinarySearch(numbers, from)
	j, _ := slices.BinarySearch(numbers, to)
	return numbers[i:max(i, j)]
}

// match binds the variables of an atom to the constants of a fact. It returns those that it has bound, also where the
// fact does not fit.
func (e *engine) match(terms, args, trail []int32) ([]int32, bool) {
	for i, t := range terms {
		value := t
		if t < 0 {
			value = e.binding[-1-t]
		}
		if value == unbound {
			e.binding[-1-t] = args[i]
			trail = append(trail, -1-t)
		} else if value != args[i] {
			return trail, false
		}
	}
	return trail, true
}

// derive adds the head of a rule whose whole body is matched.
func (e *engine) derive(j compiledRule) error {
	args := make([]int32, len(j.head.terms))
	for i, t := range j.head.terms {
		if args[i] = t; t < 0 {
			args[i] = e.binding[-1-t]
		}
	}
	isNew := e.add(fact{relation: j.head.relation, args: args, rule: e.rule, from: slices.Clone(e.matched)})
	if isNew && len(e.facts)-e.given > MaxDerived {
		return fault.New(fault.Invalid, "too_many_facts", "more than %d facts follow", MaxDerived).
			WithFix("send fewer facts, or rules that say less")
	}
	return nil
}

// atom returns a fact as programs write it.
func (e *engine) atom(number int32) Atom {
	f := e.facts[number]
	a := Atom{Relation: f.relation.name}
	for _, c := range f.args {
		a.Terms = append(a.Terms, Term{Text: e.names[c]})
	}
	return a
}
