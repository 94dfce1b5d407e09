package lifecycle

import (
	"encoding/json"
	"slices"
	"strings"
)

// class is all that the rules can tell of a situation: situations of one class have the same future. What classOf drops,
// and why nothing is lost:
//
//   - Revisions, times and records, but for the order of those that are compared.
//   - Names, but for whether the tests are someone else's than the implementation, and whether an approval is of somebody
//     who took no part. Cody and tess have the same tokens, so who implemented is called cody.
//   - Notes, resolved deviations, moves before the last and before the test phase: nothing reads them.
//   - Tests that can never count again, being flawed in two ways or more, of which one is for good: they are as good as
//     none. Those with one flaw stay, because one gate alone stands against them.
//   - Approvals that are older than the tests, of another text than the tests, or before a rejection: they never count
//     again, and nor do approvals of tests that cannot pass.
//   - What the requirement says of its evidence: each move that asks for evidence that holds comes with a new look. In the
//     situation that stands for a class, a look has just been taken; see also unaware.
//   - Which of two texts and of two contents of the code is the present one.
type class struct {
	status, held     uint8 // positions in Statuses, from 1; 0 is none
	suspect, retired bool
	open             bool // a deviation is
	touched          bool // something was written once, of which nothing else tells
	design           bool
	late             bool // the design was written or cleared after the implementation
	impl             source
	written          bool // the implementation was written or cleared
	implHolds        bool
	test             source
	flaw             string // why the tests can never count, or ""
	current          bool   // the tests are on the present text
	at               string // where the tests stand: "", or why they do not count
	approval         string // none, of someone involved, of someone independent
	gone             bool   // the branch
}

const (
	involved    = "involved"
	independent = "independent"
)

// The flaws of tests that are for good.
const (
	beforePhase = "before the test phase"
	outdated    = "before the implementation"
	ranEarly    = "ran before the implementation"
	own         = "by the implementer"
)

func position(s Status) uint8 {
	return uint8(slices.Index(Statuses(), s) + 1)
}

// inTesting are the statuses in which, or blocked from which, tests of the phase can count; every way from another one to
// them begins a new phase.
var inTesting = []Status{TestInProgress, TestedPass, TestedFail, Done}

func classOf(s situation) class {
	r := s.req
	c := class{
		status: position(r.Status), held: position(r.HeldFrom), suspect: r.Suspect, retired: r.Retired,
		open: r.OpenDeviation() != "", design: r.DesignSpec != nil, gone: s.world.gone,
		written: r.Stamps.Implementation.By != "",
	}
	if r.Implementation != nil {
		c.late = r.Stamps.DesignSpec.Revision > r.Stamps.Implementation.Revision
		c.impl, c.implHolds = onWord, false
		for _, e := range r.ImplementationEvidence {
			c.impl = byCommit
			if e.Kind == EvidenceFile {
				c.impl = atTip
			}
			c.implHolds = s.holds(e)
		}
	}
	c.addTests(s)
	c.touched = r.Stamps != Stamps{} && r.hasBegun(NotStarted) && !c.design && !c.written && c.test == unsent
	return c
}

// holds reports whether evidence holds while the branch is there.
func (s situation) holds(e Evidence) bool {
	w := s.world
	w.gone = false
	return w.against(e, len(s.req.ImplementationEvidence) > 0) == ""
}

func (c *class) addTests(s situation) {
	r := s.req
	if r.Test == nil {
		return
	}
	kind := kindOf(*r.Test)
	flaws := flawsOf(r)
	if kind == failing {
		flaws = slices.DeleteFunc(flaws, func(flaw string) bool { return flaw == own }) // whoever finds a failure may say so
		if len(flaws) == 0 || len(flaws) == 1 && flaws[0] == beforePhase {
			c.test, c.flaw = failing, strings.Join(flaws, "")
		}
		return
	}
	current := r.Stamps.Test.Fingerprint == r.Fingerprint
	at := ""
	if kind == atTip {
		w := s.world
		w.gone = false
		at = w.against(r.Test.Evidence[0], len(r.ImplementationEvidence) > 0)
	}
	switch {
	case len(flaws) > 1, len(flaws) == 1 && (kind != atTip || !current || at != ""):
		return
	case len(flaws) == 1:
		c.flaw = flaws[0]
	case kind != atTip && !current:
		return
	case kind == atTip:
		c.approval = approvalOf(r)
	}
	c.test, c.current, c.at = kind, current, at
}

func kindOf(t TestRecord) source {
	switch {
	case t.Results == nil || t.Results.Failed > 0:
		return failing
	case len(t.Evidence) == 0:
		return bare
	case t.Evidence[0].Found == nil:
		return onWord
	}
	return atTip
}

// flawsOf lists what speaks against tests for good.
func flawsOf(r Requirement) (flaws []string) {
	add := func(is bool, flaw string) {
		if is {
			flaws = append(flaws, flaw)
		}
	}
	phase := phaseOf(r)
	add(!r.hasBegun(inTesting...) || r.Stamps.Test.Revision <= phase, beforePhase)
	add(r.Stamps.Test.Revision < r.Stamps.Implementation.Revision, outdated)
	add(ranBefore(r), ranEarly)
	add(person(r.Stamps.Test.By) == person(r.Stamps.Implementation.By), own)
	return flaws
}

// phaseOf returns the revision that began the present test phase; 0 without one.
func phaseOf(r Requirement) uint64 {
	for _, h := range slices.Backward(r.History) {
		if h.To == TestInProgress {
			return h.Revision
		}
	}
	return 0
}

// ranBefore reports whether a test ran before the implementation that is there was written.
func ranBefore(r Requirement) bool {
	return r.Implementation != nil && r.Test != nil && r.Stamps.Test.Revision > r.Stamps.Implementation.Revision &&
		slices.ContainsFunc(r.Test.Evidence, func(e Evidence) bool {
			return e.Found != nil && e.Found.Modified.Before(r.Stamps.Implementation.At)
		})
}

// approvalOf returns the best approval of the tests.
func approvalOf(r Requirement) (best string) {
	for _, a := range r.Approvals {
		switch {
		case a.Decision == Rejected:
			best = ""
		case a.Revision < r.Stamps.Test.Revision || a.Fingerprint != r.Stamps.Test.Fingerprint:
		case !tookPart(r, a.By):
			best = independent
		case best == "":
			best = involved
		}
	}
	return best
}

// tookPart reports whether a person implemented or tested.
func tookPart(r Requirement, name string) bool {
	return person(name) == person(r.Stamps.Implementation.By) || person(name) == person(r.Stamps.Test.By)
}

// The revisions at which the situation of a class was made.
const (
	madeDesign = 2 + iota
	madeImpl
	madeLate  // the design, when it is late
	madeFlawn // tests before their phase
	madePhase
	madeTests
	madeOver // the implementation, when it is newer than its tests
	madeApproval
	made
)

// situation makes a situation of the class.
func (c class) situation() situation {
	s := situation{world: world{tip: 'A', gone: c.gone}}
	r := &s.req
	*r, _ = Define(nil, textOf("one"), noon, LatestRules)
	r.Suspect, r.Retired, r.Revision = c.suspect, c.retired, made
	r.Status = Statuses()[c.status-1]
	if c.held > 0 {
		r.HeldFrom = Statuses()[c.held-1]
	}
	stamp := func(revision uint64, by string, role Role) Stamp {
		return Stamp{revision, revision, LatestRules, by, role, clock(revision), "one"}
	}
	if c.open {
		r.Deviations = append(r.Deviations, Deviation{stamp(made, "paula", PM), "/D/0", "a departure", nil})
	}
	if r.hasBegun(inTesting...) {
		r.History = append(r.History, HistoryEntry{Stamp: stamp(madePhase, "paula", PM), From: Implemented, To: TestInProgress})
	}
	if r.Status != NotStarted {
		r.History = append(r.History, HistoryEntry{Stamp: stamp(made, "paula", PM), To: r.Status})
		if r.Status == TestInProgress {
			r.History = r.History[:1]
		}
	}
	c.design4(&s, stamp)
	c.impl4(&s, stamp)
	c.test4(&s, stamp)
	r.adopt(s.world.recheck(*r, clock(made)))
	r.restale(LatestRules)
	return s
}

// unaware returns the situation as it is before anybody looks at the evidence again.
func (s situation) unaware() situation {
	s.req.Stale = nil
	s.req.restale(LatestRules)
	return s
}

func (c class) design4(s *situation, stamp func(uint64, string, Role) Stamp) {
	r := &s.req
	if c.design {
		r.DesignSpec = json.RawMessage(`{}`)
	}
	switch {
	case c.late:
		r.Stamps.DesignSpec = stamp(madeLate, "archie", Architect)
	case c.design || c.touched:
		r.Stamps.DesignSpec = stamp(madeDesign, "archie", Architect)
	}
}

func (c class) impl4(s *situation, stamp func(uint64, string, Role) Stamp) {
	r := &s.req
	if !c.written {
		return
	}
	at := uint64(madeImpl)
	if c.flaw == outdated {
		at = madeOver
		if c.late {
			r.Stamps.DesignSpec = stamp(madeOver+1, "archie", Architect)
		}
	}
	r.Stamps.Implementation = stamp(at, "cody", Coder)
	if c.impl == unsent {
		return
	}
	r.Implementation = json.RawMessage(`{}`)
	e := Evidence{Kind: EvidenceFile, Path: codeFile, Lines: "A"}
	switch {
	case c.impl == onWord:
		return
	case c.impl == byCommit:
		e = Evidence{Kind: EvidenceCommit, Commit: s.world.commit('A', c.implHolds)}
	case !c.implHolds:
		e.Lines = "B"
	}
	e.Found = s.world.look(e, clock(at))
	r.ImplementationEvidence = []Evidence{e}
}

func (c class) test4(s *situation, stamp func(uint64, string, Role) Stamp) {
	r := &s.req
	if c.test == unsent {
		return
	}
	at, by := uint64(madeTests), "tess"
	if c.flaw == beforePhase {
		at = madeFlawn
	}
	if c.flaw == own {
		by = "cody"
	}
	r.Stamps.Test = stamp(at, by, Tester)
	o := offer{test: c.test}
	switch {
	case c.flaw == ranEarly:
		o.test = early
	case c.at == Elsewhere:
		o.test = aside
	case c.at == CodeChanged:
		o.test = nearby
	}
	var change Change
	o.record(&change, &s.world)
	s.world.lost = c.at == ReportChanged
	if c.test != onWord && c.test != bare {
		change.Looked = s.looked(change, clock(at))
		r.Test = change.Looked.counted(change.Test.Record)
	} else {
		r.Test = change.Test.Record
	}
	if approver := map[string]string{independent: "paula", involved: by}[c.approval]; approver != "" {
		r.Approvals = append(r.Approvals, Approval{Stamp: stamp(madeApproval, approver, PM), Decision: Approved})
	}
	if !c.current && c.test != failing {
		other := "two"
		r.Stamps.Test.Fingerprint = other
		for i := range r.Approvals {
			r.Approvals[i].Fingerprint = other
		}
	}
}
