package adoption

import (
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ticked is a requirement that its document calls finished.
func ticked(t *testing.T, id string) lifecycle.Requirement {
	t.Helper()
	req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: id, Title: "Log in", Text: "A user logs in.", Kind: "requirement",
		Fingerprint: "sha256:" + strings.Repeat("a", 64), Source: lifecycle.Source{Path: "R.md", Line: 3, EndLine: 4,
			Tick: reqdoc.TickTicked}}, noon.Add(-time.Hour), lifecycle.LatestRules)
	return req
}

// passed is the report of a run without a time, in which tests of passed.
const passed = `<testsuite><testcase name="TestA_R1"/><testcase name="TestB"/></testsuite>`

func reportOf(t *testing.T, content string) Report {
	t.Helper()
	r, err := ReadReport("r.xml", []byte(content), "", noon)
	require.NoError(t, err)
	return r
}

// whole is a project of one requirement that has all it needs.
func whole(t *testing.T, w lifecycle.Workflow) Project {
	return Project{Rules: At(w, noon), Requirements: []lifecycle.Requirement{ticked(t, "R-1")},
		Material: map[string]Material{"R-1": {Files: []guidance.File{{Path: "a.go", Lines: "3-7"}}, Tests: []string{"a_test.go:5"}}},
		Reports:  []Report{reportOf(t, passed)}, Finder: idmatch.New([]string{"R-1", "R-2"}),
		Cited: func(path string) string { return "sub/" + path }}
}

func rolesOf(lines []Line) (words []string) {
	for _, l := range lines {
		what := "report"
		if l.Report == nil {
			var body guidance.Body
			_ = jsonv2.Unmarshal(l.Request, &body)
			switch what = string(body.Status); {
			case body.DesignSpec != nil:
				what = "design"
			case body.Implementation != nil:
				what = "implementation"
			}
		}
		words = append(words, string(l.Role)+" "+what)
	}
	return words
}

// No row of the table and no gate is left out, whether evidence is looked up or not; the pm's word is, unless it is
// asked for.
func TestAPlanHasEveryStep(t *testing.T) {
	steps := []string{"pm planned", "pm design_in_progress", "architect design", "pm design_ready", "pm implementation_in_progress",
		"coder implementation", "pm implemented", "pm test_in_progress", "tester report", "tester tested_pass"}
	for _, w := range []lifecycle.Workflow{lifecycle.V1, lifecycle.Rework, lifecycle.V1.Looking(true), lifecycle.Rework.Looking(true)} {
		p := whole(t, w)
		r := p.Plan()
		require.Equal(t, steps, rolesOf(r.Lines))
		for n, l := range r.Lines {
			require.Equal(t, uint64(n+1), l.Revision)
			require.NotEmpty(t, l.Why)
		}
		require.Equal(t, []Outcome{{ID: "R-1", Title: "Log in", From: "not_started", To: "tested_pass", Lines: 10, Lacks: []Lack{},
			Awaits: true, Doubts: []string{}}}, r.Outcomes)
		require.Equal(t, Counts{Finished: 1, Awaiting: 1}, r.Counts())
		require.Equal(t, "R-1", r.Awaiting())
		require.Contains(t, string(r.Lines[0].Request), `"path":"sub/R.md","lines":"3-4"`)
		require.Contains(t, string(r.Lines[2].Request), `"files":[{"path":"sub/R.md","lines":"3-4"}]`)
		p.Approve = true
		r = p.Plan()
		require.Equal(t, append(steps[:10:10], "pm done"), rolesOf(r.Lines))
		require.Equal(t, Counts{Finished: 1, Done: 1}, r.Counts())

		again, accepted, err := p.Rehearse(p.Requirements[0], r.Lines, func(ReportFile) (Report, error) { return p.Reports[0], nil }, p.Finder)
		require.NoError(t, err, "the rules accept the lines as they stand")
		require.Equal(t, 11, accepted)
		require.Equal(t, lifecycle.Done, again.Status)
	}
}

// A plan goes on from where a requirement stands.
func TestAPlanGoesOn(t *testing.T) {
	p := whole(t, lifecycle.V1.Looking(true))
	first := p.Plan()
	req := p.Requirements[0]
	for n, l := range first.Lines[:8] {
		next, err := p.Decide(req, l.Role, l.Request)
		require.NoError(t, err)
		req = next
		p.Requirements = []lifecycle.Requirement{req}
		require.Equal(t, rolesOf(first.Lines[n+1:]), rolesOf(p.Plan().Lines))
	}
}

// What is lacking ends the way of a requirement, and is said with who supplies it.
func TestWhatAPlanLacks(t *testing.T) {
	edit := func(change func(*Material)) func(*Project) {
		return func(p *Project) {
			m := p.Material["R-1"]
			change(&m)
			p.Material["R-1"] = m
		}
	}
	set := func(change func(*lifecycle.Requirement)) func(*Project) {
		return func(p *Project) { change(&p.Requirements[0]) }
	}
	timed := strings.Replace(passed, "<testsuite>", `<testsuite timestamp="2026-03-01T11:59:00Z">`, 1)
	for name, c := range map[string]struct {
		change func(*Project)
		to     lifecycle.Status
		lacks  []string
	}{
		"no mark": {edit(func(m *Material) { m.Files = nil }), lifecycle.ImplementationInProgress, []string{"coder: no file has a mark of it"}},
		"nothing": {func(p *Project) { p.Material, p.Reports = nil, nil }, lifecycle.ImplementationInProgress,
			[]string{"coder: no file has a mark of it", "tester: no test names it"}},
		"no test":   {func(p *Project) { p.Reports = nil; edit(func(m *Material) { m.Tests = nil })(p) }, lifecycle.TestInProgress, []string{"tester: no test names it"}},
		"no report": {func(p *Project) { p.Reports = nil }, lifecycle.TestInProgress, []string{"tester: a test names it, and no report of a run is given"}},
		"other report": {func(p *Project) {
			p.Reports = []Report{reportOf(t, `<testsuite><testcase name="TestR2"/></testsuite>`)}
		}, lifecycle.TestInProgress, []string{"tester: a test names it, and no report has a run of it"}},
		"failed": {func(p *Project) {
			p.Reports = append(p.Reports, reportOf(t, `<testsuite><testcase name="TestC_R1"><failure/></testcase></testsuite>`))
		}, lifecycle.TestInProgress, []string{"tester: the test TestC_R1 failed in r.xml"}},
		"old report":    {func(p *Project) { p.Reports = []Report{reportOf(t, timed)} }, lifecycle.TestInProgress, []string{"tester: the tests in r.xml ran before the implementation was recorded"}},
		"deferred":      {set(func(r *lifecycle.Requirement) { r.Status = lifecycle.Deferred }), lifecycle.Deferred, []string{"pm: the pm put it aside: it is deferred"}},
		"needs changes": {set(func(r *lifecycle.Requirement) { r.Status = lifecycle.NeedsChanges }), lifecycle.NeedsChanges, []string{"pm: it is needs_changes, which somebody has said of it here"}},
		"suspect":       {set(func(r *lifecycle.Requirement) { r.Suspect = true }), lifecycle.NotStarted, []string{"pm: its text changed after work began, and the pm has not accepted it"}},
		"deviation":     {set(func(r *lifecycle.Requirement) { r.Deviations = []lifecycle.Deviation{{ID: "D-1"}} }), lifecycle.NotStarted, []string{"pm: deviation D-1 is open"}},
		"rejected": {set(func(r *lifecycle.Requirement) {
			r.Approvals = []lifecycle.Approval{{Decision: lifecycle.Rejected}}
		}), lifecycle.NotStarted, []string{"pm: the pm's last word on it is a rejection"}},
	} {
		p := whole(t, lifecycle.V1.Looking(true))
		c.change(&p)
		r := p.Plan()
		require.Len(t, r.Outcomes, 1, name)
		require.Equal(t, c.to, r.Outcomes[0].To, name)
		var lacks []string
		for _, l := range r.Outcomes[0].Lacks {
			lacks = append(lacks, string(l.By)+": "+l.What)
			require.NotEmpty(t, l.With, name)
		}
		require.Equal(t, c.lacks, lacks, name)
		require.Len(t, r.Lines, r.Outcomes[0].Lines, name)
		require.Equal(t, Counts{Finished: 1, Lacking: 1}, r.Counts(), name)
		require.Empty(t, r.Awaiting())
		require.Equal(t, "R-1", r.Lacking()[0].Named())
	}
}

// Evidence that could be made of nothing is named, and no plan approves it.
func TestNoPlanApprovesWhatIsDoubtful(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Project, *Material)
		doubt  string
	}{
		"a mark alone": {func(_ *Project, m *Material) { m.Bare = []string{"a.go"} }, "the files with its mark hold nothing but marks and comments"},
		"no test":      {func(_ *Project, m *Material) { m.Tests = nil }, "the tests that the report names for it stand in no file"},
		"one for all": {func(p *Project, _ *Material) {
			p.Reports = []Report{reportOf(t, `<testsuite><testcase name="Test_R1_R2"/></testsuite>`)}
		}, "its tests name several requirements"},
	} {
		p := whole(t, lifecycle.V1)
		p.Approve = true
		require.Equal(t, Counts{Finished: 1, Done: 1}, p.Plan().Counts(), name)
		require.Empty(t, p.Plan().Doubtful())
		m := p.Material["R-1"]
		c.change(&p, &m)
		p.Material["R-1"] = m
		r := p.Plan()
		require.Equal(t, Counts{Finished: 1, Awaiting: 1}, r.Counts(), name)
		require.Equal(t, c.doubt, r.Doubtful()[0].What, name)
		require.Equal(t, "R-1", r.Doubtful()[0].Named())
	}
	require.True(t, Bare([]byte("// Implements: R-1\n\n")))
	require.False(t, Bare([]byte("// Implements: R-1\nvar x = 1\n")))
	require.False(t, Bare(nil), "what cannot be read is not judged")
}

// What is done, retired or not ticked is no matter of a plan.
func TestWhatIsNotPlanned(t *testing.T) {
	p := whole(t, lifecycle.V1)
	open, done, retired := ticked(t, "R-2"), ticked(t, "R-3"), ticked(t, "R-4")
	open.Source.Tick, done.Status, retired.Retired = reqdoc.TickOpen, lifecycle.Done, true
	p.Requirements = []lifecycle.Requirement{open, done, retired}
	require.Empty(t, p.Plan().Outcomes)
}

// A mark that says what verifies a requirement chooses the tests whose names it stands above.
func TestTestsAreChosenByMarks(t *testing.T) {
	p := whole(t, lifecycle.V1.Looking(true))
	p.Requirements = []lifecycle.Requirement{ticked(t, "R-2")}
	p.Material["R-2"] = Material{Files: p.Material["R-1"].Files, Tests: []string{"a_test.go:9"},
		Verified: []string{"// Verifies: R-2\nfunc TestB(t *testing.T) {}\nfunc TestA_R1x() {}\n"},
		Designs:  []guidance.File{{Path: "plan.md"}}}
	r := p.Plan()
	require.Equal(t, lifecycle.TestedPass, r.Outcomes[0].To, "%+v", r.Outcomes)
	require.Equal(t, "^(TestB)$", r.Lines[8].Report.Tests)
	require.Contains(t, string(r.Lines[2].Request), "the design is in plan.md")
	require.Contains(t, string(r.Lines[9].Request), `"name":"TestB"`)
}

func TestWordsInTexts(t *testing.T) {
	for text, want := range map[string]bool{"func TestA(t)": true, "TestAB TestA": true, "TestAB": false, "xTestA": false, "": false, "TestA": true} {
		require.Equal(t, want, hasWord(text, "TestA"), text)
	}
}

// A rehearsal stops at the first line that the rules refuse.
func TestARehearsalRefuses(t *testing.T) {
	p := whole(t, lifecycle.V1.Looking(true))
	req, lines := p.Requirements[0], p.Plan().Lines
	read := func(ReportFile) (Report, error) { return p.Reports[0], nil }
	for name, c := range map[string]struct {
		lines    []Line
		accepted int
		kind     error
	}{
		"a row is left out":      {[]Line{lines[0], {Role: "pm", Request: lines[3].Request}}, 1, fault.Conflict},
		"another role":           {[]Line{{Role: "coder", Request: lines[0].Request}}, 0, fault.Forbidden},
		"another revision":       {lines[1:], 0, fault.Stale},
		"no test of that name":   {append(append([]Line{}, lines[:8]...), Line{Role: "tester", Report: &ReportFile{Tests: "^None$"}}), 8, fault.Invalid},
		"a report by the pm":     {[]Line{{Role: "pm", Report: &ReportFile{}}}, 0, fault.Forbidden},
		"what breaks the schema": {[]Line{{Role: "pm", Request: []byte(`{"status":"planned","x":1}`)}}, 0, fault.Invalid},
	} {
		_, accepted, err := p.Rehearse(req, c.lines, read, p.Finder)
		require.ErrorIs(t, err, c.kind, name)
		require.Equal(t, c.accepted, accepted, name)
	}
	p.Reports[0] = reportOf(t, `<testsuite><testcase name="TestZ"/></testsuite>`)
	_, accepted, err := p.Rehearse(req, lines[:9], read, p.Finder)
	require.NoError(t, err, "where no test names it, the service takes any")
	require.Equal(t, 9, accepted)
}
