package lifecycle

import (
	"encoding/json"
	"time"
)

// source is what a written implementation or test record rests on.
type source string

const (
	unsent   source = ""
	cleared  source = "null"
	atTip    source = "the tip"
	nearby   source = "another content"   // implementation: uncommitted; test: a commit of the branch with other code
	byCommit source = "a commit"          // implementation
	aside    source = "a commit aside"    // of another branch
	onWord   source = "the sender's word" // the service did not look
	bare     source = "no evidence"       // the service did not look
	failing  source = "a failing run"     // test: of which only a passing test is cited
	early    source = "an early run"      // test: from before the implementation
)

// offer is what a request proposes, before it is put into the words of a situation.
type offer struct {
	name                   string
	to                     Status
	hasty                  bool // without justification
	note, approve, reject  bool
	accept, acceptMistaken bool
	deviate, resolve       bool
	design                 string // JSON
	impl, test             source
}

// change puts an offer into words.
func (o offer) change(s *situation, at time.Time) Change {
	c := Change{Status: o.to, Rules: LatestRules, Record: s.req.Revision + 1}
	sent := func(is bool, field string) {
		if is {
			c.Fields = append(c.Fields, field)
		}
	}
	sent(o.to != "", FieldStatus)
	if o.to != "" && !o.hasty {
		c.Justification = &Justification{"because", []Evidence{{Kind: EvidenceFile, Path: notesFile}}}
		sent(true, FieldJustification)
	}
	o.speak(&c, s.req.Fingerprint)
	sent(c.PMNotes != nil, FieldPMNotes)
	sent(c.Approvals != nil, FieldApprovals)
	sent(c.AcceptFingerprint != "", FieldAcceptFingerprint)
	o.depart(&c, s.req)
	sent(c.Deviations != nil, FieldDeviations)
	if o.design != "" {
		c.DesignSpec = json.RawMessage(o.design)
		sent(true, FieldDesignSpec)
	}
	o.implement(&c, &s.world)
	sent(c.Implementation != nil, FieldImplementation)
	o.record(&c, &s.world)
	sent(c.Test.Sent, FieldTest)
	if c.NeedsLook() && o.impl != onWord && o.test != onWord && o.test != bare {
		c.Looked = s.looked(c, at)
	}
	return c
}

// speak says PM's word.
func (o offer) speak(c *Change, fingerprint string) {
	if o.note {
		c.PMNotes = []NewNote{{"a note"}}
	}
	if o.reject {
		c.Approvals = append(c.Approvals, NewApproval{Decision: Rejected})
	}
	if o.approve {
		c.Approvals = append(c.Approvals, NewApproval{Decision: Approved})
	}
	if o.accept {
		c.AcceptFingerprint = fingerprint
	}
	if o.acceptMistaken {
		c.AcceptFingerprint = otherText(fingerprint)
	}
}

// depart records a new deviation, or resolves the open one.
func (o offer) depart(c *Change, req Requirement) {
	if o.deviate {
		id := PointerTo("D", len(req.Deviations))
		c.Deviations = []DeviationChange{{ID: id, Text: "a departure"}}
	}
	if o.resolve && (!o.approve || req.OpenDeviation() != "") {
		c.Deviations = []DeviationChange{{ID: req.OpenDeviation(), Resolution: &NewResolution{"accepted", "so be it"}}}
	}
}

// implement writes the implementation, and names what it rests on.
func (o offer) implement(c *Change, w *world) {
	var e Evidence
	switch o.impl {
	case unsent:
		return
	case cleared:
		c.Implementation = json.RawMessage(`null`)
		return
	case atTip:
		e = Evidence{Kind: EvidenceFile, Path: codeFile, Lines: string(w.tip)}
	case nearby:
		e = Evidence{Kind: EvidenceFile, Path: codeFile, Lines: string(other(w.tip))}
	case byCommit, aside:
		e = Evidence{Kind: EvidenceCommit, Commit: w.commit(w.tip, o.impl == byCommit)}
	}
	c.Implementation = json.RawMessage(`{}`)
	if e.Kind != "" {
		c.Names = []Citation{{FieldImplementation, "/implementation/names/0", e}}
	}
}

// record writes the test record.
func (o offer) record(c *Change, w *world) {
	if o.test == unsent {
		return
	}
	w.lost = false
	c.Test = Optional{Sent: true}
	if o.test == cleared {
		return
	}
	e := Evidence{Kind: EvidenceTest, Name: green, Result: ResultPass, Report: "report"}
	content := w.tip
	switch o.test {
	case nearby:
		content = other(w.tip)
	case failing:
		e.Name = red
	case early:
		e.Report = "old"
	}
	c.Test.Record = &TestRecord{Plan: "a plan", Evidence: []Evidence{e}}
	if o.test == onWord || o.test == bare {
		c.Test.Record.Results = &Results{Passed: 1}
	}
	if o.test == bare {
		c.Test.Record.Evidence = nil
		return
	}
	c.Test.Record.Evidence[0].ReportCommit = w.commit(content, o.test != aside)
}

// offersOfPM are of one who took no part.
func offersOfPM() []offer {
	all := []offer{
		{name: "note", note: true}, {name: "approve", approve: true}, {name: "reject", reject: true},
		{name: "reject and approve", reject: true, approve: true},
		{name: "approve and accept the text", approve: true, accept: true},
		{name: "note and accept the text", note: true, accept: true},
		{name: "accept the text without a word", accept: true},
		{name: "accept a text that is not there", note: true, acceptMistaken: true},
		{name: "deviate", deviate: true}, {name: "resolve", resolve: true},
		{name: "approve and done", approve: true, to: Done},
		{name: "approve, accept, resolve and done", approve: true, accept: true, resolve: true, to: Done},
		{name: "reject and done", reject: true, to: Done}, {name: "deviate and done", deviate: true, to: Done},
		{name: "done without justification", to: Done, hasty: true},
	}
	for _, to := range Statuses() {
		all = append(all, offer{name: string(to), to: to})
	}
	return all
}

// offersOfSharedPM are of one who also implements or tests: only approvals and done ask who it is.
func offersOfSharedPM() []offer {
	return []offer{
		{name: "approve", approve: true}, {name: "done", to: Done}, {name: "approve and done", approve: true, to: Done},
		{name: "approve, accept, resolve and done", approve: true, accept: true, resolve: true, to: Done},
	}
}

func offersOfTester() []offer {
	var all []offer
	for _, test := range []source{cleared, atTip, nearby, aside, onWord, bare, failing, early} {
		all = append(all, offer{name: "test: " + string(test), test: test})
		if test != onWord && test != bare {
			all = append(all, offer{name: "test: " + string(test) + ", and pass", test: test, to: TestedPass})
		}
	}
	return append(all, offer{name: "test: a failing run, and fail", test: failing, to: TestedFail},
		offer{name: "test: the tip, and fail", test: atTip, to: TestedFail},
		offer{name: "pass", to: TestedPass}, offer{name: "fail", to: TestedFail}, offer{name: "needs_changes", to: NeedsChanges},
		offer{name: "pass without justification", to: TestedPass, hasty: true})
}

// offersOfSharedTester are of one who also implements.
func offersOfSharedTester() []offer {
	return []offer{
		{name: "test: the tip", test: atTip}, {name: "test: a failing run", test: failing}, {name: "pass", to: TestedPass},
		{name: "fail", to: TestedFail}, {name: "test: the tip, and pass", test: atTip, to: TestedPass},
	}
}

func offersOfCoder() (all []offer) {
	for _, impl := range []source{cleared, atTip, nearby, byCommit, aside, onWord} {
		all = append(all, offer{name: "implement: " + string(impl), impl: impl})
	}
	return all
}

func offersOfArchitect() []offer {
	return []offer{{name: "design", design: `{}`}, {name: "clear the design", design: `null`}}
}

// foreign are an offer for each field, to be made by a role that does not own it.
var foreign = map[string]offer{
	FieldStatus: {name: "status", to: Blocked}, FieldPMNotes: {name: "note", note: true},
	FieldDeviations: {name: "deviate", deviate: true}, FieldApprovals: {name: "approve", approve: true},
	FieldAcceptFingerprint: {name: "accept the text", note: true, accept: true},
	FieldDesignSpec:        {name: "design", design: `{}`},
	FieldImplementation:    {name: "implement", impl: atTip}, FieldTest: {name: "test", test: atTip},
}
