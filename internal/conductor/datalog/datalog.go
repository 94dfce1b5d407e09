package datalog

import (
	"context"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// Answer is the answer to a query. Proof proves each of the answers; it is a tree, or several that share branches,
// written as a list: each fact is in it once, after those that it comes from.
type Answer struct {
	Holds   bool
	Answers []string // facts that the query asks for, in order; at most as many as fit in a MiB with their proof
	Count   int      // how many there are, also where some do not fit
	Proof   []Step
}

// Step is a given fact, or what a rule derives from the facts of earlier steps.
type Step struct {
	Fact string
	Rule string // as Rule.String writes it; "" for a fact that is given
	From []int  // numbers of steps, from 1, in the order of the rule's body
}

// Deduce answers the query of a program. The same program gives the same answer and proof. It stops with its context.
func Deduce(ctx context.Context, p Program) (Answer, error) {
	e := newEngine(p)
	if err := e.run(ctx); err != nil {
		return Answer{}, err
	}
	found, err := e.query(ctx, p.Query)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Holds: len(found) > 0, Count: len(found), Answers: []string{}, Proof: []Step{}}
	steps, size := map[int32]int{}, 0
	for i, f := range found {
		needed := e.needed(f.number, steps)
		size += len(f.text)
		for _, number := range needed {
			size += len(e.atom(number).String()) + e.ruleSize(p, number)
		}
		if size > maxShown && i > 0 {
			break
		}
		if size > maxShown {
			return Answer{}, fault.New(fault.Invalid, "proof_too_large", "the proof has more than %d bytes", maxShown).
				WithFix("ask for a nearer fact, or use shorter names")
		}
		a.Answers = append(a.Answers, f.text)
		for _, number := range needed {
			steps[number] = len(a.Proof) + 1
			a.Proof = append(a.Proof, e.explain(p, number, steps))
		}
	}
	return a, nil
}

type found struct {
	number int32
	text   string
}

// query finds the facts that an atom asks for, in the order of their text.
func (e *engine) query(ctx context.Context, atom Atom) ([]found, error) {
	variables := map[string]int32{}
	p := e.pattern(atom, variables)
	e.binding = slices.Repeat([]int32{unbound}, len(variables))
	var all []found
	for _, number := range e.candidates(p) {
		if err := e.meter.step(ctx); err != nil {
			return nil, err
		}
		bound, fits := e.match(p.terms, e.facts[number].args, nil)
		if fits {
			all = append(all, found{number, e.atom(number).String()})
		}
		for _, v := range bound {
			e.binding[v] = unbound
		}
	}
	slices.SortFunc(all, func(a, b found) int { return strings.Compare(a.text, b.text) })
	return all, nil
}

// needed returns the facts that a proof of goal lacks, in the order of their numbers: a fact is derived after those
// that it comes from.
func (e *engine) needed(goal int32, have map[int32]int) []int32 {
	var lacking []int32
	seen := map[int32]bool{}
	for todo := []int32{goal}; len(todo) > 0; {
		number := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[number] || have[number] > 0 {
			continue
		}
		seen[number] = true
		lacking = append(lacking, number)
		todo = append(todo, e.facts[number].from...)
	}
	slices.Sort(lacking)
	return lacking
}

func (e *engine) ruleSize(p Program, number int32) int {
	if rule := e.facts[number].rule; rule >= 0 {
		return len(p.Rules[rule].String())
	}
	return 0
}

func (e *engine) explain(p Program, number int32, steps map[int32]int) Step {
	f := e.facts[number]
	s := Step{Fact: e.atom(number).String()}
	if f.rule >= 0 {
		s.Rule = p.Rules[f.rule].String()
	}
	for _, from := range f.from {
		s.From = append(s.From, steps[from])
	}
	return s
}
