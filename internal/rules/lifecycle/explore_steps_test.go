package lifecycle

import (
	"slices"
	"time"
)

// Three people have a role each, with the architect, and two of them have further tokens: cody's for PM spells the name
// otherwise.
var (
	paula  = Actor{"paula", PM}
	archie = Actor{"archie", Architect}
	cody   = Actor{"cody", Coder}
	tess   = Actor{"tess", Tester}
)

// stepsOf lists everything that can happen. Without broad, what is rare is left out.
func stepsOf(broad bool) (all []step) {
	for _, of := range []struct {
		who    Actor
		alone  bool
		offers []offer
	}{
		{paula, true, offersOfPM()}, {archie, true, offersOfArchitect()}, {cody, true, offersOfCoder()},
		{tess, true, offersOfTester()}, {Actor{"Cody", PM}, false, offersOfSharedPM()},
		{Actor{"tess", PM}, false, offersOfSharedPM()}, {Actor{"tess", Coder}, false, offersOfCoder()},
		{Actor{"cody", Tester}, false, offersOfSharedTester()},
	} {
		for _, o := range of.offers {
			all = append(all, step{name: saying(o, of.who), who: of.who, offer: o, helps: of.alone})
		}
	}
	for _, e := range events() {
		if broad || !e.rare {
			all = append(all, step{name: e.name, event: &e, helps: e.helps})
		}
	}
	return append(all, hopeless()...)
}

func saying(o offer, who Actor) string {
	return o.name + ", by " + who.Name + " as " + string(who.Role)
}

// hopeless lists steps that no state makes acceptable: a field of another role.
func hopeless() (all []step) {
	for _, who := range []Actor{paula, archie, cody, tess, {"vera", Viewer}} {
		for _, field := range fieldNames() {
			if !slices.Contains(FieldsOf(who.Role), field) {
				all = append(all, step{name: saying(foreign[field], who), who: who, offer: foreign[field], hopeless: true})
			}
		}
	}
	return all
}

func fieldNames() []string {
	return []string{FieldStatus, FieldPMNotes, FieldDeviations, FieldApprovals, FieldAcceptFingerprint, FieldDesignSpec,
		FieldImplementation, FieldTest}
}

// step is one thing that can happen: who proposes offer, or an event.
type step struct {
	name     string
	who      Actor
	offer    offer
	event    *event
	helps    bool // it may be part of a way to done: by one of three people with a role each, or an event that helps
	hopeless bool // it names a field of another role
}

// isHopeless reports whether a step is refused from a status whatever the requirement is: a narrow exploration tries one
// such step in each state, in turn.
func (s step) isHopeless(from Requirement) bool {
	return s.hopeless || s.offer.to != "" && from.HeldFrom == "" &&
		!among(allowedMoves, s.who.Role, from.Status, s.offer.to) && !among(reworkMoves, s.who.Role, from.Status, s.offer.to)
}

// clock gives each revision its minute; what happens at a revision happens after it was made.
func clock(revision uint64) time.Time { return noon.Add(time.Duration(revision) * time.Minute) }

// outcome is what became of a step.
type outcome struct {
	situation
	change Change
	err    error // the refusal
}

func (o outcome) refused() bool { return o.err != nil }

// decide judges a change; a mutant of the rules takes its place.
type decide func(w Workflow, req Requirement, who Actor, c Change, at time.Time) (Requirement, error)

func byTheRules(w Workflow, req Requirement, who Actor, c Change, at time.Time) (Requirement, error) {
	return w.Apply(req, who, c, at)
}

// take takes a step; happened is false where it is none.
func (s step) take(w Workflow, from situation, judge decide) (to outcome, happened bool) {
	at := clock(from.req.Revision + 1)
	to.situation = from
	if s.event != nil {
		return to, s.event.does(&to.situation, at)
	}
	if s.offer.deviate && from.req.OpenDeviation() != "" {
		return to, false // a second open deviation asks for the same again
	}
	to.change = s.offer.change(&to.situation, at)
	next, err := judge(w, from.req, s.who, to.change, at)
	if err != nil {
		to.situation, to.err = from, err
		return to, true
	}
	to.req = next
	return to, true
}
