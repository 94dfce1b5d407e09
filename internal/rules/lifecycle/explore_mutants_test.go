package lifecycle

import (
	"fmt"
	"slices"
	"time"
)

// mutant is the rules with one part left out. It lets through whatever they do, so that what it comes to from a state
// that is reachable under the rules is reachable under it, too.
type mutant struct {
	name   string
	gates  []Gate
	judge  decide
	trying func(step) bool // the steps whose answer it may change
}

// withoutGate is a mutant for each gate.
func withoutGate() (all []mutant) {
	for i, g := range gates {
		all = append(all, mutant{gateName(g), slices.Delete(slices.Clone(gates), i, i+1), byTheRules, moving(g.To)})
	}
	return all
}

func gateName(g Gate) string { return string(g.To) + " " + g.Name }

func moving(to ...Status) func(step) bool {
	return func(s step) bool { return slices.Contains(to, s.offer.to) }
}

// withoutPart are further mutants, made of what the rules are given, or of what they answer.
func withoutPart() []mutant {
	return []mutant{
		{"rights", gates, func(w Workflow, r Requirement, who Actor, c Change, at time.Time) (Requirement, error) {
			c.Fields = nil // there is nothing to hold against the role
			return w.Apply(r, who, c, at)
		}, func(s step) bool { return s.hopeless }},
		{"separation by person", byName(), byTheRules, moving(TestedPass, Done)},
		{"the look before done", gates, func(w Workflow, r Requirement, who Actor, c Change, at time.Time) (Requirement, error) {
			r = situation{req: r}.unaware().req
			if c.Looked != nil {
				c.Looked.Recheck = &Recheck{Revision: r.Revision}
			}
			return w.Apply(r, who, c, at)
		}, moving(Done)},
		{"forgetting what was known of the evidence before", gates, remembering, writing},
		{"doubt about new evidence", gates, func(w Workflow, r Requirement, who Actor, c Change, at time.Time) (Requirement, error) {
			if c.Looked != nil {
				for i := range c.Looked.Findings {
					c.Looked.Findings[i].Against = nil
				}
			}
			return w.Apply(r, who, c, at)
		}, writing},
	}
}

func writing(s step) bool { return s.offer.impl != unsent || s.offer.test != unsent }

// byName are gates that separate duties by the spelling of names.
func byName() []Gate {
	all := slices.Clone(gates)
	for i, g := range all {
		if g.Name == "separation_of_duties" || g.Name == "independent_approval" {
			all[i].lacks = func(c candidate) string {
				c.rules = Rules1
				return g.lacks(c)
			}
		}
	}
	return all
}

// remembering keeps what was known of evidence at a place where there is other evidence now.
func remembering(w Workflow, r Requirement, who Actor, c Change, at time.Time) (Requirement, error) {
	next, err := w.Apply(r, who, c, at)
	for _, s := range r.Stale {
		written := s.Part == FieldTest && c.Test.Sent || s.Part == FieldImplementation && c.Implementation != nil
		if err == nil && written && s.Pointer != "/"+s.Part {
			next.Stale = append(slices.Clone(next.Stale), s)
		}
	}
	next.restale(LatestRules)
	return next, err
}

// sighting is what a mutant did.
type sighting struct {
	class, step int32
	broken      error // the law that shows it
	passed      int   // how often it let through what the rules refuse
	alone       int   // how often nothing else refused
}

// hunt lets a mutant take each step that it may answer otherwise, from each state that is reachable under the rules,
// until a law is broken. The history that leads there is then taken again, without reducing situations to classes.
func (g *graph) hunt(m mutant) (seen sighting) {
	defer func(kept []Gate) { gates = kept }(gates)
	rules := gates
	for n := range g.classes {
		var from view
		for i, s := range g.steps {
			if !m.trying(s) || !g.mayAnswer(g.classes[n], s) {
				continue
			}
			if from.offers == nil {
				from = g.viewOf(g.classes[n].situation())
			}
			gates = m.gates
			to, happened := s.take(g.workflow, from.situation, m.judge)
			err := broken(g.viewOf(from.situation), s, to)
			gates = rules
			if !happened || to.err != nil && err == nil {
				continue
			}
			if err != nil && g.confirms(m, int32(n), s) {
				return sighting{int32(n), int32(i), err, seen.passed, seen.alone}
			}
			if lawful, _ := s.take(g.workflow, from.situation, byTheRules); lawful.err != nil {
				seen.passed++
			}
		}
	}
	return seen
}

// mayAnswer reports whether the table has the move of a step, if it has one.
func (g *graph) mayAnswer(c class, s step) bool {
	from := Statuses()[c.status-1]
	return s.hopeless || s.offer.to == "" || c.held > 0 || among(allowedMoves, s.who.Role, from, s.offer.to) ||
		among(reworkMoves, s.who.Role, from, s.offer.to)
}

// confirms reports whether the history of a class, in all its length, ends with a broken law as well.
func (g *graph) confirms(m mutant, n int32, s step) bool {
	rules := gates
	at := g.replay(g.path(n))
	gates = m.gates
	defer func() { gates = rules }()
	to, happened := s.take(g.workflow, at, m.judge)
	return happened && broken(g.viewOf(at), s, to) != nil
}

func (s sighting) String() string {
	if s.broken != nil {
		return fmt.Sprint(s.broken)
	}
	return fmt.Sprintf("no law is broken; %d steps were let through", s.passed)
}
