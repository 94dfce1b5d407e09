package lifecycle

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"orchestrator/internal/fault"
)

// view is a situation with what Next offers there to whom.
type view struct {
	situation
	workflow Workflow
	offers   map[Actor]Next
}

func (g *graph) viewOf(s situation) view { return view{s, g.workflow, map[Actor]Next{}} }

func (v view) next(who Actor) Next {
	next, known := v.offers[who]
	if !known {
		next = v.workflow.Next(v.req, who)
		v.offers[who] = next
	}
	return next
}

// law checks one step: what it came to, of where it began. Laws say what the rules are for in their own words, and ask
// neither the gates nor what is derived from them.
type law func(from view, s step, to outcome) error

var laws = []law{refusalsExplain, changesCount, everyoneKeepsToHisOwn, nothingIsLost, entriesAreEarned, staleIsExact, nextIsRight}

func broken(from view, s step, to outcome) error {
	for _, holds := range laws {
		if err := holds(from, s, to); err != nil {
			return err
		}
	}
	return nil
}

func refusalsExplain(from view, s step, to outcome) error {
	if to.err == nil {
		return nil
	}
	var refusal *fault.Error
	if !errors.As(to.err, &refusal) || refusal.Current == nil || refusal.Current.Revision != from.req.Revision || refusal.Fix == "" {
		return fmt.Errorf("%s: the refusal says too little: %w", s.name, to.err)
	}
	return nil
}

// changesCount: an accepted change is one revision, and so is an event that changes the requirement.
func changesCount(from view, s step, to outcome) error {
	by := to.req.Revision - from.req.Revision
	if to.err == nil && by != 1 && (s.event == nil || by != 0) {
		return fmt.Errorf("%s: from revision %d to %d", s.name, from.req.Revision, to.req.Revision)
	}
	return nil
}

// partsOf says who may change which part of a requirement. What the service keeps of evidence is no part.
var partsOf = []struct {
	part string
	role Role // "" is the document alone
	same func(a, b Requirement) bool
}{
	{"design", Architect, func(a, b Requirement) bool {
		return bytes.Equal(a.DesignSpec, b.DesignSpec) && a.Stamps.DesignSpec == b.Stamps.DesignSpec
	}},
	{"implementation", Coder, func(a, b Requirement) bool {
		return bytes.Equal(a.Implementation, b.Implementation) && a.Stamps.Implementation == b.Stamps.Implementation &&
			sameEvidence(a.ImplementationEvidence, b.ImplementationEvidence)
	}},
	{"test", Tester, func(a, b Requirement) bool { return a.Test == b.Test && a.Stamps.Test == b.Stamps.Test }},
	{"notes", PM, func(a, b Requirement) bool { return len(a.PMNotes) == len(b.PMNotes) }},
	{"deviations", PM, func(a, b Requirement) bool { return slices.Equal(a.Deviations, b.Deviations) }},
	{"approvals", PM, func(a, b Requirement) bool { return slices.Equal(a.Approvals, b.Approvals) }},
	{"acceptance of the text", PM, func(a, b Requirement) bool { return a.Suspect == b.Suspect }},
	{"definition", "", func(a, b Requirement) bool { return a.Definition.sameAs(b.Definition) && a.Retired == b.Retired }},
}

func sameEvidence(a, b []Evidence) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func everyoneKeepsToHisOwn(from view, s step, to outcome) error {
	if to.refused() {
		return nil
	}
	for _, o := range partsOf {
		fromDocument := s.event != nil && (o.role == "" || o.part == "acceptance of the text")
		if !fromDocument && (s.event != nil || o.role != s.who.Role) && !o.same(from.req, to.req) {
			return fmt.Errorf("%s: it changed what is not its own: %s", s.name, o.part)
		}
	}
	moved := from.req.Status != to.req.Status
	own := s.who.Role == PM || s.who.Role == Tester && from.req.Status == TestInProgress && (to.req.Status == TestedPass || to.req.Status == TestedFail)
	if moved && (s.event != nil || !own) {
		return fmt.Errorf("%s: it moved the requirement from %s to %s", s.name, from.req.Status, to.req.Status)
	}
	if s.event == nil && from.req.Status == Done && s.who.Role != PM {
		return fmt.Errorf("%s: it changed what is done", s.name)
	}
	return nil
}

// nothingIsLost of what was appended, and each move leaves an entry.
func nothingIsLost(from view, s step, to outcome) error {
	a, b := from.req, to.req
	moves := 0
	if a.Status != b.Status {
		moves = 1
	}
	kept := func(n int, same func(i int) bool) bool {
		for i := range n {
			if !same(i) {
				return false
			}
		}
		return true
	}
	if len(b.History) != len(a.History)+moves || len(b.Approvals) < len(a.Approvals) || len(b.PMNotes) < len(a.PMNotes) ||
		len(b.Deviations) < len(a.Deviations) ||
		!kept(len(a.History), func(i int) bool { return a.History[i].Stamp == b.History[i].Stamp }) ||
		!kept(len(a.Approvals), func(i int) bool { return a.Approvals[i] == b.Approvals[i] }) ||
		!kept(len(a.Deviations), func(i int) bool { return a.Deviations[i].Stamp == b.Deviations[i].Stamp }) {
		return fmt.Errorf("%s: something that was on record is gone", s.name)
	}
	return nil
}

// entriesAreEarned: a status is entered only with what it promises, as things are in the world.
func entriesAreEarned(from view, s step, to outcome) error {
	if to.refused() || from.req.Status == to.req.Status {
		return nil
	}
	for _, p := range promises {
		if p.to == to.req.Status && !p.kept(to.situation, s.who) {
			return fmt.Errorf("%s: %s was entered without %s", s.name, p.to, p.of)
		}
	}
	return nil
}

// promises are what the entry into a status tells a reader.
var promises = []struct {
	to   Status
	of   string
	kept func(s situation, mover Actor) bool
}{
	{DesignReady, "a design", func(s situation, _ Actor) bool { return s.req.DesignSpec != nil }},
	{Implemented, "an implementation that the branch has", func(s situation, _ Actor) bool { return s.implemented() }},
	{TestedPass, "tests that pass", func(s situation, _ Actor) bool { return s.passed() }},
	{TestedPass, "tests of this phase", func(s situation, _ Actor) bool { return s.inPhase() }},
	{TestedPass, "tests by another person", func(s situation, _ Actor) bool { return s.testedByAnother() }},
	{TestedFail, "a test that failed", func(s situation, _ Actor) bool { return s.req.Test.Results.Failed > 0 }},
	{TestedFail, "tests of this phase", func(s situation, _ Actor) bool { return s.inPhase() }},
	{Done, "a design older than the implementation", func(s situation, _ Actor) bool {
		return s.req.DesignSpec != nil && s.req.Stamps.DesignSpec.Revision < s.req.Stamps.Implementation.Revision
	}},
	{Done, "an implementation that the branch has", func(s situation, _ Actor) bool { return s.implemented() }},
	{Done, "tests that pass", func(s situation, _ Actor) bool { return s.passed() }},
	{Done, "tests of this implementation", func(s situation, _ Actor) bool {
		return s.req.Stamps.Test.Revision > s.req.Stamps.Implementation.Revision && !ranBefore(s.req)
	}},
	{Done, "tests on the present text", func(s situation, _ Actor) bool {
		return s.req.Stamps.Test.Fingerprint == s.req.Fingerprint
	}},
	{Done, "tests by another person", func(s situation, _ Actor) bool { return s.testedByAnother() }},
	{Done, "an approval of these tests and this text, by someone who took no part", func(s situation, _ Actor) bool {
		return s.req.Stamps.Test.Fingerprint == s.req.Fingerprint && approvalOf(s.req) == independent
	}},
	{Done, "a move by someone who took no part", func(s situation, mover Actor) bool { return !tookPart(s.req, mover.Name) }},
	{Done, "all deviations resolved", func(s situation, _ Actor) bool {
		return !slices.ContainsFunc(s.req.Deviations, func(d Deviation) bool { return d.Resolution == nil })
	}},
	{Done, "a text that was accepted, and is there", func(s situation, _ Actor) bool { return !s.req.Suspect && !s.req.Retired }},
}

// implemented reports whether what the implementation names was looked up, and is what the branch has.
func (s situation) implemented() bool {
	r := s.req
	return r.Implementation != nil && len(r.ImplementationEvidence) > 0 &&
		!slices.ContainsFunc(r.ImplementationEvidence, func(e Evidence) bool { return e.Found == nil || s.world.against(e, true) != "" })
}

// passed reports whether tests were seen to pass, on the code that the branch has.
func (s situation) passed() bool {
	t := s.req.Test
	return t != nil && len(t.Evidence) > 0 && t.Results != nil && t.Results.Passed > 0 && t.Results.Failed == 0 &&
		!slices.ContainsFunc(t.Evidence, func(e Evidence) bool {
			return e.Found == nil || e.Found.Counts.Failed > 0 || s.world.against(e, len(s.req.ImplementationEvidence) > 0) != ""
		})
}

func (s situation) inPhase() bool {
	return s.req.Test != nil && s.req.Stamps.Test.Revision > phaseOf(s.req) && !ranBefore(s.req)
}

func (s situation) testedByAnother() bool {
	return person(s.req.Stamps.Test.By) != person(s.req.Stamps.Implementation.By)
}

// staleIsExact: what a requirement says of its evidence is what was found when it was looked at last, and what it says of
// its parts follows from their order and texts.
func staleIsExact(from view, s step, to outcome) error {
	if to.refused() || to.req.Revision == from.req.Revision || s.event == nil && to.change.Looked == nil && to.change.NeedsLook() {
		return nil // what is taken on a sender's word was not looked at
	}
	looked := s.event != nil && s.event.name == "recheck" || to.change.Looked != nil && to.change.Looked.Recheck != nil
	want := map[string]string{}
	for pointer, reason := range to.world.standing(to.req) {
		anew := pointer == "/test/evidence/0" && to.change.Test.Sent ||
			pointer == "/implementation_evidence/0" && to.change.Implementation != nil ||
			pointer[:2] == "/h" && to.change.Status != ""
		if anew || looked {
			want[pointer] = reason
		}
	}
	cited := map[string]bool{}
	for _, c := range to.req.Citations() {
		cited[c.Pointer] = true
	}
	if !looked {
		for _, k := range from.req.Stale {
			rewritten := k.Pointer == "/test/evidence/0" && to.change.Test.Sent ||
				k.Pointer == "/implementation_evidence/0" && to.change.Implementation != nil
			if cited[k.Pointer] && !rewritten {
				want[k.Pointer] = k.Reason
			}
		}
	}
	got := map[string]string{}
	var parts []string
	for _, k := range to.req.Stale {
		if k.Pointer == "/"+k.Part {
			parts = append(parts, k.Part+" "+k.Reason)
		} else {
			got[k.Pointer] = k.Reason
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("%s: stale evidence is %v, and should be %v", s.name, got, want)
	}
	if should := outdatedParts(to.req); !slices.Equal(parts, should) {
		return fmt.Errorf("%s: stale parts are %v, and should be %v", s.name, parts, should)
	}
	return nil
}

// outdatedParts says which parts rest on what has changed since.
func outdatedParts(r Requirement) (parts []string) {
	add := func(is bool, part string) {
		if is {
			parts = append(parts, part)
		}
	}
	design, impl, test := r.Stamps.DesignSpec, r.Stamps.Implementation, r.Stamps.Test
	hasImpl, hasTest := r.Implementation != nil, r.Test != nil
	add(r.Suspect && r.DesignSpec != nil && design.Fingerprint != r.Fingerprint, "design_spec text_changed")
	add(r.Suspect && hasImpl && impl.Fingerprint != r.Fingerprint, "implementation text_changed")
	add(hasTest && test.Fingerprint != r.Fingerprint, "test text_changed")
	add(hasTest && test.Revision < impl.Revision, "test implementation_changed")
	add(hasImpl && impl.Revision < design.Revision, "implementation design_changed")
	add(hasTest && test.Revision < design.Revision, "test design_changed")
	add(hasTest && test.Revision > impl.Revision && ranBefore(r), "test report_older")
	if n := len(r.Approvals); n > 0 && r.Approvals[n-1].Decision == Approved {
		last := r.Approvals[n-1]
		add(last.Fingerprint != r.Fingerprint, "approvals text_changed")
		add(last.Fingerprint == r.Fingerprint && last.Revision < test.Revision, "approvals test_changed")
	}
	return parts
}

// nextIsRight: what Next offers is accepted, and what it does not offer is refused.
func nextIsRight(from view, s step, to outcome) error {
	if s.event != nil {
		return nil
	}
	next := from.next(s.who)
	if s.offer == (offer{name: s.offer.name, to: s.offer.to}) {
		ready := slices.ContainsFunc(next.Moves, func(m NextMove) bool { return m.To == s.offer.to && m.Ready })
		if ready != (to.err == nil) {
			return fmt.Errorf("%s: Next says that it is ready: %v; it is answered with %v", s.name, ready, to.err)
		}
		return nil
	}
	if len(to.change.Fields) == 1 && !s.offer.acceptMistaken && s.offer.to == "" && !s.offer.resolve && !s.offer.accept {
		if offered := slices.Contains(next.Fields, to.change.Fields[0]); offered != (to.err == nil) {
			return fmt.Errorf("%s: Next offers the field: %v; it is answered with %v", s.name, offered, to.err)
		}
	}
	return nil
}

// workGoesOn: waiting_for is empty for what is finished alone, and whoever it names first can do something that is
// accepted.
func workGoesOn(v view) error {
	r, waiting := v.req, v.workflow.WaitingFor(v.req)
	finished := r.Retired && (r.Status == Deferred || r.Status == NotStarted && r.Stamps == (Stamps{})) ||
		!r.Retired && r.Status == Done && !r.Suspect && len(r.Stale) == 0 &&
			!slices.ContainsFunc(r.Deviations, func(d Deviation) bool { return d.Resolution == nil }) &&
			len(r.Approvals) > 0 && r.Approvals[len(r.Approvals)-1].Decision == Approved
	if finished != (len(waiting) == 0) {
		return fmt.Errorf("it waits for %v, at %s; it is finished: %v", waiting, r.Status, finished)
	}
	if finished || v.canAct(waiting[0]) {
		return nil
	}
	return fmt.Errorf("it waits for %s first, at %s, of whom nothing is accepted", waiting[0], r.Status)
}

// canAct reports whether a party can do something that leads on, or that opens a way.
func (v view) canAct(p Party) bool {
	at, r := clock(v.req.Revision+1), v.req
	accepted := func(w Workflow, who Actor, o offer) bool {
		s := v.situation
		_, err := w.Apply(r, who, o.change(&s, at), at)
		return err == nil
	}
	switch p {
	case Operator:
		return v.world.gone || v.world.lost
	case Party(Architect):
		return accepted(v.workflow, archie, offer{design: `{}`})
	case Party(Coder):
		return accepted(v.workflow, cody, offer{impl: atTip})
	case Party(Tester):
		return accepted(v.workflow, tess, offer{test: atTip}) ||
			accepted(v.workflow, tess, offer{to: TestedPass}) || accepted(v.workflow, tess, offer{to: TestedFail})
	}
	if v.workflow.IsDeadEnd(r.Status) && !r.Retired {
		v.workflow = Rework.Looking(true) // after PUT /workflow, which is PM's
		return v.canAct(v.workflow.WaitingFor(r)[0])
	}
	for _, o := range offersOfPM() {
		leads := o.to != "" && v.workflow.leadsOn(r, o.to) || r.Retired && o.to == Deferred || r.Status == Done && o.to == NeedsChanges
		settles := r.Suspect && o.accept || o.approve && (len(r.Standing()) == 0 || approvalOf(r) != independent) || o.resolve && r.OpenDeviation() != ""
		if (leads || settles) && accepted(v.workflow, paula, o) {
			return true
		}
	}
	return false
}
