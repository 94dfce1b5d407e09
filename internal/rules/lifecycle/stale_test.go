package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// rested is a requirement with every part in order, each resting on evidence that was looked up.
func rested() Requirement {
	stamp := func(revision uint64, by string, role Role) Stamp {
		return Stamp{Revision: revision, By: by, Role: role, At: noon.Add(time.Duration(revision) * time.Minute), Fingerprint: "fp"}
	}
	commit := Evidence{Kind: EvidenceCommit, Commit: "4f2a9c1", Found: &Found{In: InCommit, Commit: "4f2a9c1"}}
	test := Evidence{Kind: EvidenceTest, Name: "T", Result: ResultPass, Report: "r.xml", Found: &Found{
		In: InWorktree, SHA256: "aa", Modified: noon.Add(8 * time.Minute), Counts: &Results{3, 3, 0, 0},
	}}
	return Requirement{
		Definition: Definition{ID: "REQ-1", Fingerprint: "fp"}, Status: TestedPass, Revision: 9, TextSince: noon,
		DesignSpec: []byte(`{}`), Implementation: []byte(`{}`), ImplementationEvidence: []Evidence{commit},
		Test:      &TestRecord{Results: &Results{3, 3, 0, 0}, Evidence: []Evidence{test}},
		Approvals: []Approval{{Stamp: stamp(9, "paula", PM), Decision: Approved}},
		Stamps:    Stamps{stamp(3, "archie", Architect), stamp(5, "cody", Coder), stamp(8, "tess", Tester)},
		History: []HistoryEntry{
			{Stamp: stamp(7, "paula", PM), From: Implemented, To: TestInProgress, Justification: Justification{"go", []Evidence{commit}}},
			{Stamp: stamp(9, "tess", Tester), From: TestInProgress, To: TestedPass, Justification: Justification{"passed", []Evidence{test}}},
		},
	}
}

func reasons(r Requirement) []string {
	var all []string
	for _, s := range r.Stale {
		all = append(all, s.Part+" "+s.Reason)
	}
	return all
}

func TestCitationsAreWhatThePresentStateRestsOn(t *testing.T) {
	var pointers []string
	for _, c := range rested().Citations() {
		pointers = append(pointers, c.Part+" "+c.Pointer)
	}
	require.Equal(t, []string{
		"implementation /implementation_evidence/0", "test /test/evidence/0", "status /history/1/justification/evidence/0",
	}, pointers)
	recorded := rested()
	recorded.ImplementationEvidence[0].Found = nil
	require.Len(t, recorded.Citations(), 2, "what was never looked up cannot be looked at again")
}

func TestCites(t *testing.T) {
	for name, c := range map[string]struct {
		drop func(*Requirement)
		want bool
	}{
		"all":            {func(*Requirement) {}, true},
		"test and moves": {func(r *Requirement) { r.ImplementationEvidence = nil }, true},
		"moves alone":    {func(r *Requirement) { r.ImplementationEvidence, r.Test = nil, nil }, true},
		"a former move alone": {func(r *Requirement) {
			r.ImplementationEvidence, r.Test, r.History[1].Justification = nil, nil, Justification{}
		}, false},
		"nothing": {func(r *Requirement) { *r = Requirement{} }, false},
		"what was not found": {func(r *Requirement) {
			r.Test, r.History = nil, nil
			r.ImplementationEvidence[0].Found = nil
		}, false},
	} {
		r := rested()
		c.drop(&r)
		require.Equal(t, c.want, r.Cites(), name)
		require.Equal(t, c.want, len(r.Citations()) > 0, name)
	}
}

func TestWhatGoesStaleByItself(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Requirement)
		want   []string
	}{
		"nothing":        {func(*Requirement) {}, nil},
		"text":           {func(r *Requirement) { r.Fingerprint, r.Suspect = "new", true }, []string{"design_spec text_changed", "implementation text_changed", "test text_changed", "approvals text_changed"}},
		"accepted text":  {func(r *Requirement) { r.Fingerprint = "new" }, []string{"test text_changed", "approvals text_changed"}},
		"implementation": {func(r *Requirement) { r.Stamps.Implementation.Revision = 9 }, []string{"test implementation_changed"}},
		"test":           {func(r *Requirement) { r.Stamps.Test.Revision = 10 }, []string{"approvals test_changed"}},
		"rejected":       {func(r *Requirement) { r.Approvals[0].Decision, r.Stamps.Test.Revision = Rejected, 10 }, nil},
		"no parts": {func(r *Requirement) {
			*r = Requirement{Definition: Definition{Fingerprint: "new"}, Suspect: true}
		}, nil},
	} {
		r := rested()
		c.change(&r)
		r.restale(LatestRules)
		require.Equal(t, c.want, reasons(r), name)
		for _, s := range r.Stale {
			require.False(t, s.Since.IsZero(), name)
			require.NotEmpty(t, s.Detail, name)
			require.Equal(t, "/"+s.Part, s.Pointer, name)
		}
	}
}

func TestARecheckIsNewsOnce(t *testing.T) {
	r := rested()
	lines := Stale{FieldImplementation, "/implementation_evidence/0", CommitGone, "gone", noon.Add(time.Hour)}
	moved := Relocated{"/test/evidence/0", "b.go:3-4", noon.Add(time.Hour)}
	found := Recheck{Revision: 9, Stale: []Stale{lines}, Moved: []Relocated{moved}}
	_, news := r.Rechecked(Recheck{Revision: 8, Stale: []Stale{lines}}, LatestRules)
	require.False(t, news, "it is of another revision")

	next, news := r.Rechecked(found, LatestRules)
	require.True(t, news)
	require.Equal(t, []uint64{9, 1}, []uint64{next.Revision, next.Rechecks}, "what a change is made from is as it was")
	require.Equal(t, []Stale{lines}, next.Stale)
	require.Equal(t, []Relocated{moved}, next.Moved)
	require.Equal(t, TestedPass, next.Status, "no status moves by itself")
	require.Empty(t, r.Stale)

	_, news = next.Rechecked(Recheck{Revision: 9}, LatestRules)
	require.False(t, news, "another look has overtaken it")

	found.Rechecks = 1
	found.Stale[0].Since, found.Moved[0].Since = noon.Add(2*time.Hour), noon.Add(2*time.Hour)
	found.Stale[0].Detail = "the same, in other words"
	same, news := next.Rechecked(found, LatestRules)
	require.False(t, news, "the same again, found later")
	require.Equal(t, noon.Add(time.Hour), same.Stale[0].Since)

	found.Stale[0].Reason = Unreadable
	other, news := next.Rechecked(found, LatestRules)
	require.True(t, news, "another reason")
	require.Equal(t, noon.Add(2*time.Hour), other.Stale[0].Since)

	still, news := next.Rechecked(Recheck{Revision: 9, Rechecks: 1, Stale: []Stale{lines}}, LatestRules)
	require.True(t, news, "it moved back")
	require.Empty(t, still.Moved)

	back, news := next.Rechecked(Recheck{Revision: 9, Rechecks: 1}, LatestRules)
	require.True(t, news)
	require.Empty(t, back.Stale)
	require.Empty(t, back.Moved)
}

// Before Rules4 a recheck was a revision of its own; since then every change begins anew to count them.
func TestARecheckIsNoRevision(t *testing.T) {
	found := Recheck{Revision: 9, Stale: []Stale{{FieldImplementation, "/implementation_evidence/0", CommitGone, "gone", noon}}}
	older, news := rested().Rechecked(found, Rules3)
	require.True(t, news)
	require.Equal(t, []uint64{10, 0}, []uint64{older.Revision, older.Rechecks})

	next, _ := rested().Rechecked(found, Rules4)
	noted, err := V1.Apply(next, Actor{"paula", PM}, Change{Fields: []string{FieldPMNotes}, PMNotes: []NewNote{{"n"}}}, noon)
	require.NoError(t, err)
	require.Equal(t, []uint64{10, 0}, []uint64{noted.Revision, noted.Rechecks})
	require.Equal(t, next.Stale, noted.Stale)
	retired, _ := Retire(next)
	require.Equal(t, []uint64{10, 0}, []uint64{retired.Revision, retired.Rechecks})
}

func TestARecheckSaysNothingOfTheRequirementItself(t *testing.T) {
	r := rested()
	r.Stamps.Implementation.Revision = 9
	r.restale(LatestRules)
	next, news := r.Rechecked(Recheck{Revision: 9,
		Stale: []Stale{{FieldImplementation, "/implementation_evidence/0", CommitGone, "gone", noon}, {FieldTest, "/test/evidence/7", ReportGone, "gone", noon}},
		Moved: []Relocated{{"/test/evidence/7", "b.go", noon}},
	}, LatestRules)
	require.True(t, news)
	require.Equal(t, []string{"test implementation_changed", "implementation commit_gone"}, reasons(next), "what it knows stays; evidence that it has not is nothing")
	require.Empty(t, next.Moved)
}

func TestAPartWrittenAnewIsNotStale(t *testing.T) {
	r := rested()
	r.Stale = []Stale{
		{FieldImplementation, "/implementation_evidence/0", CommitGone, "gone", noon},
		{FieldTest, "/test/evidence/0", ReportChanged, "changed", noon},
		{PartStatus, "/history/1/justification/evidence/0", ReportChanged, "changed", noon},
	}
	r.Moved = []Relocated{{"/implementation_evidence/0", "b", noon}, {"/test/evidence/0", "b", noon}, {"/history/1/justification/evidence/0", "b", noon}}
	code := Change{Implementation: []byte(`{}`), Names: []Citation{{FieldImplementation, "/implementation/commits/0", Evidence{Kind: EvidenceCommit}}},
		Looked: &Looked{Findings: []Finding{{Pointer: "/implementation/commits/0", Found: &Found{In: InCommit}}}}}
	next := r.applied(Actor{"cody", Coder}, code, noon)
	require.Equal(t, []string{"test implementation_changed", "test report_changed", "status report_changed"}, reasons(next))
	require.Len(t, next.Moved, 2)
	require.Equal(t, InCommit, next.ImplementationEvidence[0].Found.In)

	next = r.applied(Actor{"tess", Tester}, Change{Test: Optional{Sent: true, Record: r.Test}}, noon)
	require.Equal(t, []string{"approvals test_changed", "implementation commit_gone", "test report_changed", "status report_changed"}[0:2], reasons(next)[0:2])
	require.NotContains(t, reasons(next), "test report_changed")

	next = r.applied(Actor{"paula", PM}, Change{Status: Blocked, Justification: &Justification{"wait", nil}}, noon)
	require.Equal(t, []string{"implementation commit_gone", "test report_changed"}, reasons(next))
	require.Len(t, r.Stale, 3, "the requirement that was given stays as it is")
	require.Equal(t, "test", r.Stale[1].Part)
}

// lookedUp is a change to done with everything it needs.
func lookedUp(r Requirement) Change {
	return Change{
		Fields: []string{FieldStatus, FieldJustification}, Status: Done,
		Justification: &Justification{"done", []Evidence{{Kind: EvidenceCommit, Commit: "4f2a9c1"}}},
		Looked: &Looked{
			Findings: []Finding{{Pointer: "/justification/evidence/0", Found: &Found{In: InCommit, Commit: "4f2a9c1f"}}},
			Recheck:  &Recheck{Revision: r.Revision},
		},
	}
}

func TestDoneTakesEvidenceThatHoldsNow(t *testing.T) {
	paula := Actor{"paula", PM}
	r := rested()
	done, err := V1.Apply(r, paula, lookedUp(r), noon)
	require.NoError(t, err)
	require.Equal(t, Done, done.Status)
	require.Equal(t, "4f2a9c1f", done.History[2].Justification.Evidence[0].Found.Commit)

	moved := lookedUp(r)
	moved.Looked.Recheck.Revision--
	_, err = V1.Apply(r, paula, moved, noon)
	require.ErrorIs(t, err, ErrMovedOn)
	moved.Looked.Recheck.Stale = []Stale{{FieldTest, "/test/evidence/0", ReportChanged, "it changed", noon}}
	_, err = V1.Apply(r, paula, moved, noon)
	require.ErrorIs(t, err, ErrMovedOn, "what was found of another revision decides nothing")
	moved.Looked.Recheck = nil
	_, err = V1.Apply(r, paula, moved, noon)
	require.ErrorIs(t, err, ErrMovedOn)

	made := lookedUp(r)
	made.MadeFrom = r.Revision - 1
	_, err = V1.Apply(r, paula, made, noon)
	require.ErrorIs(t, err, ErrMovedOn)
	made.MadeFrom = r.Revision
	_, err = V1.Apply(r, paula, made, noon)
	require.NoError(t, err)

	for part, gate := range map[string]string{FieldTest: "test_evidence_holds", FieldImplementation: "implementation_holds"} {
		stale := lookedUp(r)
		for _, c := range r.Citations() {
			if c.Part == part {
				stale.Looked.Recheck.Stale = []Stale{{part, c.Pointer, ReportChanged, "it changed", noon}}
			}
		}
		_, err := V1.Apply(r, paula, stale, noon)
		require.Equal(t, "gate_unmet", codeOf(t, err))
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		require.Equal(t, gate, string(f.Fields[0].Code))
		require.Contains(t, f.Fields[0].Detail, "it changed")
	}
	status := lookedUp(r)
	status.Looked.Recheck.Stale = []Stale{{PartStatus, "/history/1/justification/evidence/0", ReportChanged, "it changed", noon}}
	done, err = V1.Apply(r, paula, status, noon)
	require.NoError(t, err, "the justification of the move before is not what done rests on")
	require.Empty(t, done.Stale)
}

func TestTestsWhoseEvidenceIsStaleDoNotPass(t *testing.T) {
	r := rested()
	r.Status = TestInProgress
	r.Stale = []Stale{{FieldTest, "/test/evidence/0", ReportChanged, "it changed", noon}}
	require.Equal(t, []string{"test_evidence_holds"}, lacksOf(t, r, Actor{"tess", Tester}, TestedPass))
	require.NotContains(t, lacksOf(t, r, Actor{"tess", Tester}, TestedFail), "test_evidence_holds", "a failure needs no proof that it lasts")
}

func TestAReportOlderThanTheImplementationDoesNotCount(t *testing.T) {
	r := rested()
	r.Test.Evidence[0].Found.Modified = r.Stamps.Implementation.At.Add(-reportSlack)
	require.Empty(t, olderReport(candidate{Requirement: r}), "file systems keep coarse times")
	r.Test.Evidence[0].Found.Modified = r.Stamps.Implementation.At.Add(-reportSlack - 1)
	require.Equal(t, []string{"test_after_implementation"}, lacksOf(t, r, Actor{"paula", PM}, Done))
	r.Status = TestInProgress
	require.Equal(t, []string{"test_of_this_phase"}, lacksOf(t, r, Actor{"tess", Tester}, TestedPass))
	r.Implementation = nil
	require.Empty(t, olderReport(candidate{Requirement: r}))
	r.Test = nil
	require.Empty(t, olderReport(candidate{Requirement: r}))
}

// tested is a change of the test record by tess, with what was found of its evidence.
func tested(record TestRecord, found ...Finding) Change {
	return Change{Fields: []string{FieldTest}, Test: Optional{Sent: true, Record: &record}, Looked: &Looked{Findings: found}}
}

func TestResultsAreCountedInReports(t *testing.T) {
	tess := Actor{"tess", Tester}
	one, other := &Found{SHA256: "a", Counts: &Results{3, 2, 1, 4}}, &Found{SHA256: "b", Counts: &Results{5, 5, 0, 1}}
	evidence := []Evidence{{Kind: EvidenceTest, Name: "A"}, {Kind: EvidenceTest, Name: "B"}, {Kind: EvidenceTest, Name: "C"}, {Kind: EvidenceCommit}}
	findings := []Finding{
		{Pointer: "/test/evidence/0", Found: one}, {Pointer: "/test/evidence/1", Found: one}, {Pointer: "/test/evidence/2", Found: other},
		{Pointer: "/test/evidence/3", Found: &Found{}},
	}
	next, err := V1.Apply(rested(), tess, tested(TestRecord{Evidence: evidence}, findings...), noon)
	require.NoError(t, err)
	require.Equal(t, &Results{8, 7, 1, 5}, next.Test.Results, "each report once")
	require.Equal(t, one, next.Test.Evidence[1].Found)
	require.Nil(t, evidence[1].Found, "the change that was given stays as it is")

	_, err = V1.Apply(rested(), tess, tested(TestRecord{Evidence: evidence, Results: &Results{0, 7, 1, 5}}, findings...), noon)
	require.NoError(t, err)

	for name, c := range map[string]struct {
		change Change
		want   []string
	}{
		"other results": {tested(TestRecord{Evidence: evidence, Results: &Results{0, 8, 0, 4}}, findings...),
			[]string{"/test/results/passed results_differ", "/test/results/failed results_differ", "/test/results/skipped results_differ"}},
		"results without report": {tested(TestRecord{Results: &Results{0, 8, 0, 4}}), []string{"/test/results results_without_report"}},
		"results, and a report not found": {tested(TestRecord{Evidence: evidence[:1], Results: &Results{0, 8, 0, 4}}, Finding{Pointer: "/test/evidence/0", Found: &Found{}}),
			[]string{"/test/results results_without_report"}},
		"not looked up": {tested(TestRecord{Evidence: evidence[:2]}, findings[0]), []string{"/test/evidence/1 not_looked_up"}},
		"another claim": {tested(TestRecord{Evidence: evidence[:1]}, findings[1]), []string{"/test/evidence/0 not_looked_up"}},
		"wrong": {tested(TestRecord{Evidence: evidence[:2]}, Finding{Pointer: "/test/evidence/0", Wrong: &fault.Field{Code: "test_missing", Detail: "no"}}, findings[1]),
			[]string{"/test/evidence/0 test_missing"}},
	} {
		_, err := V1.Apply(rested(), tess, c.change, noon)
		require.Equal(t, "evidence_not_found", codeOf(t, err), name)
		require.ErrorIs(t, err, fault.Invalid)
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		var got []string
		for _, field := range f.Fields {
			got = append(got, field.Pointer+" "+string(field.Code))
		}
		require.Equal(t, c.want, got, name)
	}
	unseen := tested(TestRecord{Results: &Results{0, 8, 0, 4}})
	unseen.Looked = nil
	_, err = V1.Apply(rested(), tess, unseen, noon)
	require.NoError(t, err, "a service that does not look takes the tester's word")
}

func TestNothingPassesOnTestsThatWereNeverLookedUp(t *testing.T) {
	recorded := rested()
	recorded.Test.Evidence[0].Found = nil
	signOff := justified(Done)
	signOff.Looked = &Looked{Findings: []Finding{{Pointer: "/justification/evidence/0", Found: &Found{}}}, Recheck: &Recheck{Revision: 9}}
	_, err := V1.Apply(recorded, Actor{"paula", PM}, signOff, noon)
	require.Equal(t, "gate_unmet", codeOf(t, err))
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, []fault.Field{{Pointer: "/status", Code: "test_evidence_holds", Detail: "/test/evidence/0: it was never looked up"}}, f.Fields)
	_, err = V1.Apply(rested(), Actor{"paula", PM}, signOff, noon)
	require.NoError(t, err)
	signOff.Looked = nil
	_, err = V1.Apply(recorded, Actor{"paula", PM}, signOff, noon)
	require.NoError(t, err, "a service that does not look takes the tester's word")
	recorded.Status = TestInProgress
	passed := justified(TestedPass)
	passed.Looked = &Looked{Findings: []Finding{{Pointer: "/justification/evidence/0", Found: &Found{}}}, Recheck: &Recheck{Revision: 9}}
	_, err = V1.Apply(recorded, Actor{"tess", Tester}, passed, noon)
	require.Equal(t, "gate_unmet", codeOf(t, err))
}

func TestEvidenceThatPointsNowhere(t *testing.T) {
	for name, c := range map[string]struct {
		evidence Evidence
		want     string
	}{
		"path":     {Evidence{Kind: EvidenceFile, Path: "a/../../b"}, "outside_repository"},
		"report":   {Evidence{Kind: EvidenceTest, Report: ".."}, "outside_repository"},
		"lines":    {Evidence{Kind: EvidenceFile, Path: "a", Lines: "40-12"}, "lines_reversed"},
		"one line": {Evidence{Kind: EvidenceFile, Path: "..a/b..", Lines: "12-12"}, ""},
	} {
		change := justified(Blocked)
		change.Justification.Evidence = []Evidence{c.evidence}
		_, err := V1.Apply(rested(), Actor{"paula", PM}, change, noon)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, "invalid_evidence", codeOf(t, err), name)
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		require.Equal(t, c.want, string(f.Fields[0].Code), name)
	}
}

func TestWhatMustBeLookedUp(t *testing.T) {
	for name, c := range map[string]struct {
		change Change
		want   bool
	}{
		"a note":                      {Change{PMNotes: []NewNote{{"n"}}}, false},
		"a design":                    {Change{DesignSpec: []byte(`{}`)}, false},
		"a move":                      {Change{Status: Planned}, true},
		"a test record":               {Change{Test: Optional{Sent: true, Record: &TestRecord{}}}, true},
		"a cleared test record":       {Change{Test: Optional{Sent: true}}, false},
		"an implementation":           {Change{Implementation: []byte(`{}`)}, true},
		"a cleared implementation":    {Change{Implementation: []byte(`null`)}, false},
		"evidence that moves nothing": {Change{Justification: &Justification{"r", []Evidence{{}}}}, true},
	} {
		require.Equal(t, c.want, c.change.NeedsLook(), name)
	}
}

func TestAnImplementationWithoutEvidence(t *testing.T) {
	cody := Actor{"cody", Coder}
	bare := Change{Fields: []string{FieldImplementation}, Implementation: []byte(`{}`), Looked: &Looked{}}
	_, err := V1.Apply(rested(), cody, bare, noon)
	require.Equal(t, "evidence_not_found", codeOf(t, err))
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, "implementation_without_evidence", string(f.Fields[0].Code))
	bare.Implementation = []byte(`null`)
	_, err = V1.Apply(rested(), cody, bare, noon)
	require.NoError(t, err, "to clear it claims nothing")
	bare.Implementation, bare.Looked = []byte(`{}`), nil
	_, err = V1.Apply(rested(), cody, bare, noon)
	require.NoError(t, err, "a service that does not look takes the coder's word")
}
