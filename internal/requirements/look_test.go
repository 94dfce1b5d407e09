package requirements

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/premise"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/requirements/testruns"
	"orchestrator/internal/rules/lifecycle"
)

// shelf is a repository of a test: what it has is found, with one report in which 2 tests passed.
type shelf struct {
	mu      sync.Mutex
	missing map[string]bool              // by path, commit or test name
	unread  map[string]bool              // by the same
	verdict map[string]evidence.Standing // by the same
	instead string                       // what stands where something is missing
	failing error
	branch  string            // that the service follows
	run     string            // of every report
	commits map[string]string // in full, by what is cited
	tip     string            // of it
	gone    error             // why there is no tip
	base    string            // of the tip; "" where verdicts may change with nothing else
	checked int               // subjects of rechecks
	dirty   []string          // files with uncommitted changes, besides dirty.go
	looks   atomic.Int32
	during  func() // called while something is rechecked
}

func newShelf() *shelf {
	return &shelf{missing: map[string]bool{}, unread: map[string]bool{}, verdict: map[string]evidence.Standing{},
		tip: strings.Repeat("a", 40)}
}

func (f *shelf) Look(_ context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	f.looks.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unread[e.Path+e.Commit+e.Name] {
		return nil, &fault.Field{Code: "evidence_unreadable", Detail: "git did not answer"}
	}
	if f.missing[e.Path+e.Commit+e.Name] {
		return nil, &fault.Field{Code: "missing", Detail: "there is no such thing" + f.instead}
	}
	found := &lifecycle.Found{In: lifecycle.InHead, SHA256: ledger.Digest([]byte(e.Path + e.Commit + e.Report))}
	if e.Kind == lifecycle.EvidenceTest {
		found.In, found.Modified, found.Counts = lifecycle.InWorktree, newClock().now.AddDate(1, 0, 0), &lifecycle.Results{Run: 2, Passed: 2}
		if found.Run = f.run; f.run != "" {
			found.Commit, found.Tip = f.tip, true
		}
	}
	if e.Kind == lifecycle.EvidenceCommit {
		found.Commit = cmp.Or(f.commits[e.Commit], e.Commit)
	}
	return found, nil
}

func (f *shelf) Recheck(_ context.Context, subjects []evidence.Subject) (evidence.Checked, error) {
	if f.during != nil {
		f.during()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	all := evidence.Checked{Standings: make([][]evidence.Standing, len(subjects)), Tip: f.tip, Base: f.base, Fixed: make([]bool, len(subjects))}
	for i, subject := range subjects {
		all.Fixed[i] = true
		for _, e := range subject.Cited {
			verdict := f.verdict[e.Path+e.Commit+e.Name]
			all.Standings[i] = append(all.Standings[i], verdict)
			all.Fixed[i] = all.Fixed[i] && verdict.Reason != lifecycle.Unreadable
		}
	}
	f.checked += len(subjects)
	return all, f.failing
}

func (f *shelf) Base(string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.base
}

func (f *shelf) Dirty(_ context.Context, paths []string) (map[string]bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dirty := map[string]bool{"dirty.go": slices.Contains(paths, "dirty.go")}
	for _, path := range f.dirty {
		dirty[path] = slices.Contains(paths, path)
	}
	return dirty, nil
}

// Show shows one line of each file, which says how the file stands.
func (f *shelf) Show(_ context.Context, tip string, e lifecycle.Evidence, s evidence.Standing) evidence.Shown {
	if e.Kind != lifecycle.EvidenceFile {
		return evidence.Shown{}
	}
	return evidence.Shown{Now: &evidence.Content{Path: e.Path, Commit: tip, First: 1, Last: 1, Bytes: []byte("now " + s.Reason + "\n")}}
}

func (f *shelf) Follow(branch string) { f.branch = branch }

func (f *shelf) HeadBranch(context.Context) (string, error) { return "trunk", nil }

func (f *shelf) Tip(context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tip, f.gone
}

func (f *shelf) says(of string, v evidence.Standing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.verdict[of] = v
}

const testReport = `{"test":{"evidence":[{"kind":"test","name":"TestLogin","result":"pass","report":"r.xml"}]}}`

// bringToImplementation brings REQ-001 to where its implementation is next.
func (r *rig) bringToImplementation() {
	r.t.Helper()
	for _, to := range []lifecycle.Status{lifecycle.Planned, lifecycle.DesignInProgress} {
		r.must(paula, "REQ-001", move(to))
	}
	r.must(archy, "REQ-001", designed)
	r.must(paula, "REQ-001", move(lifecycle.DesignReady))
	r.must(paula, "REQ-001", move(lifecycle.ImplementationInProgress))
}

// startVerifying is a service that looks evidence up on a shelf, with REQ-001 up to the sign-off.
func startVerifying(t *testing.T, s store.Store, change ...func(*Options)) (*rig, *shelf) {
	t.Helper()
	f := newShelf()
	r := start(t, s, append(change, func(o *Options) { o.Evidence, o.Repository = projection.EvidenceVerified, f })...)
	r.mustImport(twoRequirements)
	r.bringToImplementation()
	r.must(cody, "REQ-001", `{"implementation":{"summary":"done","files":[{"path":"login.go","lines":"1-9"}],"commits":["abcdef1"]}}`)
	r.must(paula, "REQ-001", move(lifecycle.Implemented))
	r.must(paula, "REQ-001", move(lifecycle.TestInProgress))
	r.must(tess, "REQ-001", testReport)
	r.must(tess, "REQ-001", move(lifecycle.TestedPass))
	return r, f
}

func (r *rig) requirement(id string) lifecycle.Requirement {
	r.t.Helper()
	e, err := r.entry(id)
	require.NoError(r.t, err)
	return e.Requirement()
}

// Verifies: ORC-090
func TestEvidenceIsLookedUpWhenItIsGiven(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	req := r.requirement("REQ-001")
	require.Len(t, req.ImplementationEvidence, 2, "the files and commits of the implementation")
	require.Equal(t, "login.go", req.ImplementationEvidence[0].Path)
	require.NotNil(t, req.History[0].Justification.Evidence[0].Found)
	require.Equal(t, &lifecycle.Results{Run: 2, Passed: 2}, req.Test.Results, "counted in the report")

	f.missing["abcdef1"], f.missing["no.go"], f.missing["TestLogin"] = true, true, true
	refusal := r.refused(paula, "REQ-001", move(lifecycle.Done, approved), "evidence_not_found")
	require.Equal(t, []fault.Field{{Pointer: "/justification/evidence/0", Code: "missing", Detail: "there is no such thing"}}, refusal.Fields)
	refusal = r.refused(cody, "REQ-001", `{"implementation":{"summary":"s","files":[{"path":"login.go"},"no.go"],"commits":["abcdef1"]}}`, "evidence_not_found")
	require.Equal(t, "/implementation/files/1", refusal.Fields[0].Pointer)
	require.Equal(t, "/implementation/commits/0", refusal.Fields[1].Pointer)
	r.refused(tess, "REQ-001", testReport, "evidence_not_found")
	_, err := r.Patch(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(testReport), DryRun: true})
	requireCode(t, err, "evidence_not_found")
	refusal = r.refused(tess, "REQ-001", `{"test":{"results":{"passed":9,"failed":0}}}`, "evidence_not_found")
	require.Equal(t, "results_without_report", string(refusal.Fields[0].Code), "nobody's word is taken for results")
	before := f.looks.Load()
	r.refused(cody, "REQ-001", testReport, "field_forbidden")
	r.refused(cody, "REQ-001", `{"implementation":{"summary":1}}`, "schema_violation")
	require.Equal(t, before, f.looks.Load(), "nothing is looked up for who may not say it, or says nothing")
	r.verified()
}

// Verifies: ORC-091
func TestWhatChangesUnderARequirementMakesItStale(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	n, err := r.Recheck(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	size := r.State().LogSize

	f.says("login.go", evidence.Standing{Reason: lifecycle.LinesChanged, Detail: "other lines"})
	f.says("TestLogin", evidence.Standing{MovedTo: "new.xml"})
	project := r.review()
	require.Equal(t, review.Inconsistent, project.Verdict, "done, and stale")
	require.Equal(t, 1, project.Counts.DoneStale)
	require.Equal(t, size+1, r.State().LogSize, "it is on record")
	req := r.requirement("REQ-001")
	require.Equal(t, lifecycle.Done, req.Status, "no status moves by itself")
	require.Equal(t, "/implementation_evidence/0", req.Stale[0].Pointer)
	require.Equal(t, "new.xml", req.Moved[0].To)
	require.Equal(t, project, r.review(), "the same state gives the same review")
	require.Equal(t, size+1, r.State().LogSize)

	f.says("login.go", evidence.Standing{})
	require.Zero(t, r.review().Counts.DoneStale, "it holds again")
	f.failing = errors.New("git hangs")
	require.Equal(t, []string{review.UncheckedEvidence}, r.review().Unchecked)
	dossier, err := r.Dossier(t.Context(), "REQ-001", false)
	require.NoError(t, err)
	require.Equal(t, review.NotLookedUp, dossier.History[0].Evidence[0].Recheck.Verdict)
	r.verified()
}

// Verifies: ORC-329
func TestADossierShowsWhatEvidenceIsAbout(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.says("login.go", evidence.Standing{Reason: lifecycle.LinesChanged, Detail: "other lines"})
	plain, err := r.Dossier(t.Context(), "REQ-001", false)
	require.NoError(t, err)
	d, err := r.Dossier(t.Context(), "REQ-001", true)
	require.NoError(t, err)
	file := &d.Parts[1].Evidence[0]
	require.Equal(t, &review.Excerpt{Path: "login.go", From: 1, Commit: f.tip, Text: "now lines_changed\n"}, file.Lines)
	file.Lines = nil
	var want, got strings.Builder
	require.NoError(t, errors.Join(plain.JSON(&want), d.JSON(&got)))
	require.Equal(t, want.String(), got.String(), "nothing else is shown, and nothing unless it was asked for")

	recorded := start(t, store.NewMemory())
	recorded.mustImport(twoRequirements)
	recorded.bringToTestedPass("REQ-001")
	d, err = recorded.Dossier(t.Context(), "REQ-001", true)
	require.NoError(t, err)
	require.Equal(t, review.NotLookedUp, d.Parts[2].Evidence[0].Recheck.Verdict)
	require.Equal(t, review.Shown{}, d.Parts[2].Evidence[0].Shown)
}

// Verifies: ORC-091
func TestDoneOnStaleEvidenceIsRefused(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.says("TestLogin", evidence.Standing{Reason: lifecycle.ReportChanged, Detail: "another report"})
	refusal := r.refused(paula, "REQ-001", move(lifecycle.Done, approved), "gate_unmet")
	require.Equal(t, "test_evidence_holds", string(refusal.Fields[0].Code))
	require.Contains(t, refusal.Fields[0].Detail, "another report")
	f.failing = errors.New("git hangs")
	_, err := r.patch(paula, "REQ-001", move(lifecycle.Done, approved))
	requireCode(t, err, "evidence_unreadable")
	f.failing = nil
	f.says("TestLogin", evidence.Standing{})
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	r.verified()
}

func TestARequirementThatMovesOnIsLookedAtAgain(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	times := 0
	f.during = alone(func() {
		if times++; times < 4 {
			r.must(tess, "REQ-001", testReport)
		}
	})
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	require.Equal(t, 4, times)

	r, f = startVerifying(t, store.NewMemory())
	f.during = alone(func() { r.must(tess, "REQ-001", testReport) })
	r.refused(paula, "REQ-001", move(lifecycle.Done, approved), "changed_meanwhile")
	r.verified()
}

// alone returns do, which is not called while it is running.
func alone(do func()) func() {
	running := false
	return func() {
		if running {
			return
		}
		running = true
		defer func() { running = false }()
		do()
	}
}

// TestNeverDoneOnStaleEvidence races the tester, who changes the result, with PM, who signs off.
//
// Verifies: ORC-091
func TestNeverDoneOnStaleEvidence(t *testing.T) {
	outcomes := map[string]int{}
	services := 40
	if testing.Short() {
		services = 20
	}
	for range services { // a history of a thousand reworks would be all that is measured
		raceSignOff(t, 25, outcomes)
	}
	require.NotZero(t, outcomes["done"])
	require.NotZero(t, outcomes["refused"])
	t.Log(outcomes)
}

func raceSignOff(t *testing.T, rounds int, outcomes map[string]int) {
	t.Helper()
	r, f := startVerifying(t, store.NewMemory(), func(o *Options) { o.Workflow, o.ExportPath = lifecycle.Rework, "" })
	for round := range rounds {
		var sides sync.WaitGroup
		sides.Go(func() {
			if round%2 == 0 {
				f.says("TestLogin", evidence.Standing{Reason: lifecycle.ReportChanged, Detail: "failed now"})
			} else {
				_, _ = r.patch(tess, "REQ-001", `{"test":{"plan":"again"}}`)
			}
		})
		sides.Go(func() { _, _ = r.patch(paula, "REQ-001", move(lifecycle.Done, approved)) })
		sides.Wait()
		f.says("TestLogin", evidence.Standing{})
		req := r.requirement("REQ-001")
		if req.Status != lifecycle.Done {
			outcomes["refused"]++
			r.must(tess, "REQ-001", testReport)
			continue
		}
		outcomes["done"]++
		require.Empty(t, req.Stale, "round %d", round)
		require.NotNil(t, req.Test.Results, "round %d", round)
		require.GreaterOrEqual(t, req.Approvals[len(req.Approvals)-1].Revision, req.Stamps.Test.Revision)
		r.rework(t)
	}
	r.verified()
}

// rework brings a done REQ-001 back to the sign-off.
func (r *rig) rework(t *testing.T) {
	t.Helper()
	r.must(paula, "REQ-001", move(lifecycle.NeedsChanges))
	r.must(paula, "REQ-001", move(lifecycle.ImplementationInProgress))
	r.must(paula, "REQ-001", move(lifecycle.Implemented))
	r.must(paula, "REQ-001", move(lifecycle.TestInProgress))
	r.must(tess, "REQ-001", testReport)
	r.must(tess, "REQ-001", move(lifecycle.TestedPass))
}

const junit = `<testsuite name="s"><testcase classname="c" name="TestLogin_REQ001"/><testcase classname="c" name="[REQ-002] logout"><failure/></testcase><testcase name="other"/></testsuite>`

// Verifies: ORC-092
func TestAReportIsAttachedOnceAndCitedOften(t *testing.T) {
	for mode, verifying := range map[string]bool{projection.EvidenceVerified: true, projection.EvidenceRecorded: false} {
		r, _ := startVerifying(t, store.NewMemory())
		if !verifying {
			r = start(t, store.NewMemory())
			r.mustImport(twoRequirements)
		}
		attach := func(id, body string) (Attachment, error) {
			return r.Attach(t.Context(), tess, Proposal{Request: "POST", ID: id, Body: []byte(body)}, AttachOptions{})
		}
		a, err := attach("REQ-001", junit)
		require.NoError(t, err, mode)
		require.Equal(t, []string{"REQ-001", "REQ-002"}, a.Named)
		require.True(t, a.Covers)
		require.Equal(t, 1, a.Cited)
		require.Equal(t, lifecycle.Results{Run: 3, Passed: 2, Failed: 1}, a.Counts)
		req := r.requirement("REQ-001")
		require.Equal(t, "TestLogin_REQ001", req.Test.Evidence[0].Name)
		require.Equal(t, &a.Counts, req.Test.Results)

		again, err := attach("REQ-002", junit)
		require.NoError(t, err, "the same report for another requirement")
		require.Equal(t, a.Report, again.Report)
		require.Equal(t, lifecycle.ResultFail, r.requirement("REQ-002").Test.Evidence[0].Result)
		r.lastReport.Store(nil)
		cite := func(name, result, report string) string {
			return fmt.Sprintf(`{"test":{"plan":"p","evidence":[{"kind":"test","name":%q,"result":%q,"report":%q}]}}`, name, result, report)
		}
		r.must(tess, "REQ-002", cite("other", "pass", a.Report))
		if verifying {
			for want, body := range map[string]string{
				"test_result_differs": cite("other", "fail", a.Report), "test_missing": cite("othr", "pass", a.Report),
				"report_missing": cite("other", "pass", "sha256:"+strings.Repeat("0", 64)),
			} {
				require.Equal(t, want, string(r.refused(tess, "REQ-002", body, "evidence_not_found").Fields[0].Code))
			}
		}
		other, err := attach("REQ-002", `<testsuite><testcase name="x"/></testsuite>`)
		require.NoError(t, err)
		require.False(t, other.Covers)
		require.Equal(t, "p", r.requirement("REQ-002").Test.Plan, "the plan is kept")
		_, err = attach("REQ-002", `<testsuite><testcase name="x"><skipped/></testcase></testsuite>`)
		requireCode(t, err, "report_without_tests")
		skipped := `<testsuite><testcase name="TestLogout_REQ002"><skipped/></testcase><testcase name="x"/></testsuite>`
		require.Equal(t, "p", r.requirement("REQ-002").Test.Plan, "the record before stays")
		other, err = attach("REQ-002", skipped)
		require.NoError(t, err)
		require.Equal(t, 1, other.Cited, "what was skipped is not cited")
		require.False(t, other.Covers, "and covers nothing")
		many, err := attach("REQ-002", "<testsuite>"+strings.Repeat(`<testcase name="REQ-002 x"/>`, maxUnasked)+`<testcase name="REQ-002 y"><failure/></testcase></testsuite>`)
		require.NoError(t, err)
		require.Equal(t, maxUnasked, many.Cited)
		require.Equal(t, lifecycle.ResultFail, r.requirement("REQ-002").Test.Evidence[0].Result, "what failed is cited before what passed")
		change, _, err := testruns.ChangeOf(r.requirement("REQ-002"), nil, testreport.Report{}, lifecycle.Found{})
		require.NoError(t, err)
		require.Equal(t, r.requirement("REQ-002").Revision, change.MadeFrom, "the plan that is kept is the plan of this revision")
		long, err := attach("REQ-002", `<testsuite><testcase name="x"/><testcase name="`+strings.Repeat("x", testruns.LongestName+1)+`"/></testsuite>`)
		require.NoError(t, err)
		require.Equal(t, 1, long.Cited)
		_, err = attach("REQ-002", "garbage")
		require.ErrorIs(t, err, fault.Invalid)
		_, err = r.Attach(t.Context(), cody, Proposal{ID: "REQ-002", Body: []byte(junit)}, AttachOptions{})
		requireCode(t, err, "role_forbidden")
		_, err = attach("REQ-9", junit)
		requireCode(t, err, "unknown_requirement")
		dry, err := r.Attach(t.Context(), tess, Proposal{ID: "REQ-002", Body: []byte(junit), DryRun: true}, AttachOptions{})
		require.NoError(t, err)
		require.NotEmpty(t, dry.Requirement)
		r.verified()
	}
}

func TestReviewOfTheLogAndTheDocuments(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	same := reading(reqdoc.File{Path: "REQUIREMENTS.md", Content: []byte(twoRequirements)})
	project := r.reviewWith(same)
	require.Empty(t, project.Findings.Drift)
	require.Equal(t, r.State().LogSize, project.Log.VerifiedUpTo)
	require.Len(t, project.Findings.Refused, 1)
	require.Equal(t, fault.Code("field_forbidden"), project.Findings.Refused[0].Codes[0].Code)
	r.must(paula, "REQ-001", `{"pm_notes":[{"text":"n"}]}`)
	require.Equal(t, r.ledger.Head().Size, r.review().Log.VerifiedUpTo, "what is new is verified too")

	for want, files := range map[string][]reqdoc.File{
		"it differs from what was imported":                        {{Path: "REQUIREMENTS.md", Content: []byte("x")}},
		"it is not imported":                                       {{Path: "REQUIREMENTS.md", Content: []byte(twoRequirements)}, {Path: "other.md"}},
		"it was imported, and is not among the documents any more": nil,
	} {
		project := r.reviewWith(reading(files...))
		require.Len(t, project.Findings.Drift, 1)
		require.Equal(t, want, project.Findings.Drift[0].Detail)
		require.Equal(t, review.Inconsistent, project.Verdict)
	}
	more := []reqdoc.File{{Path: "REQUIREMENTS.md", Content: []byte(twoRequirements)}, {Path: "docs/more.md", Content: []byte("- **REQ-003**: More.\n")}}
	_, err := r.Import(t.Context(), paula, reading(more...), ImportOptions{})
	require.NoError(t, err)
	gone := fault.New(fault.Conflict, "requirements_unreadable", "the document is gone").Because(&fs.PathError{Op: "open", Path: "./docs/more.md", Err: fs.ErrNotExist})
	for _, c := range []struct {
		err   error
		paths []string
	}{{errors.New("gone"), []string{"REQUIREMENTS.md", "docs/more.md"}}, {gone, []string{"docs/more.md"}}} {
		project = r.reviewWith(func() ([]reqdoc.File, error) { return nil, c.err })
		var paths []string
		for _, d := range project.Findings.Drift {
			require.Contains(t, d.Detail, "it cannot be read: ")
			paths = append(paths, d.Path)
		}
		require.Equal(t, c.paths, paths)
		require.Equal(t, review.Inconsistent, project.Verdict)
	}

	var export strings.Builder
	_, write := r.Project()
	require.NoError(t, write(&export))
	alone, err := ReviewExport(strings.NewReader(export.String()))
	require.NoError(t, err)
	require.Equal(t, project.Counts, alone.Counts)
	require.Len(t, alone.Unchecked, 5)
	_, err = ReviewExport(strings.NewReader("{}"))
	requireCode(t, err, "export_invalid")
}

func TestAChangedRecordShowsInTheReview(t *testing.T) {
	s := store.NewMemory()
	r := start(t, s)
	r.mustImport(twoRequirements)
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		key := "\x00\x00\x00\x00\x00\x00\x00\x03"
		raw, err := tx.Get("audit", key)
		if err != nil {
			return err
		}
		return tx.Put("audit", key, []byte(strings.Replace(string(raw), "REQ-001", "REQ-00X", 1)))
	}))
	project := r.review()
	require.Contains(t, project.Log.Problem, "record 3 was changed")
	require.Contains(t, project.Unchecked, review.UncheckedRefusals, "nobody counted them")
	require.Equal(t, review.Inconsistent, project.Verdict)
	_, err := r.Progress(t.Context())
	requireCode(t, err, "store_damaged")
	require.ErrorContains(t, err, "record 3 was changed")
}

func TestRechecksThatWaitShareTheNextOne(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	looks := 0
	f.during = func() { looks++ }
	asked := r.begun.Load()
	for range 3 {
		_, err := r.recheckSince(t.Context(), asked)
		require.NoError(t, err)
	}
	require.Equal(t, 1, looks)
	_, err := r.Recheck(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, looks, "it asked after the last one began")
	asked, f.failing = r.begun.Load(), errors.New("called off")
	for range 2 {
		_, err = r.recheckSince(t.Context(), asked)
		require.ErrorIs(t, err, f.failing)
	}
	require.Equal(t, 4, looks, "one that failed does for nobody")
}

// What cannot be read now decides nothing: it is not on record, and the same Idempotency-Key is decided anew.
func TestEvidenceThatCannotBeReadNowDecidesNothing(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	body := []byte(`{"implementation":{"summary":"s","files":[{"path":"a.go"},{"path":"b.go"}]}}`)
	send := func(p Proposal) (Answer, error) {
		p.ID, p.Body = "REQ-002", body
		return r.Patch(t.Context(), cody, p)
	}
	f.unread["a.go"] = true
	before := r.State().LogSize
	for _, p := range []Proposal{{IdempotencyKey: "k"}, {IdempotencyKey: "k"}, {}, {DryRun: true}} {
		_, err := send(p)
		refusal := requireCode(t, err, "evidence_unreadable")
		require.ErrorIs(t, err, fault.Unavailable)
		require.Equal(t, []fault.Field{{Pointer: "/implementation/files/0", Code: "evidence_unreadable", Detail: "git did not answer"}}, refusal.Fields)
		require.Equal(t, uint64(1), refusal.Current.Revision)
	}
	require.Equal(t, before, r.State().LogSize)
	f.missing["b.go"] = true
	_, err := send(Proposal{})
	require.Len(t, requireCode(t, err, "evidence_not_found").Fields, 2, "what is false is refused, whatever else could not be read")
	_, err = r.Patch(t.Context(), tess, Proposal{ID: "REQ-002", Body: body})
	requireCode(t, err, "field_forbidden")
	clear(f.missing)
	clear(f.unread)
	answer, err := send(Proposal{IdempotencyKey: "k"})
	require.NoError(t, err)
	require.False(t, answer.Replayed)
	f.unread["a.go"] = true
	answer, err = send(Proposal{IdempotencyKey: "k"})
	require.NoError(t, err)
	require.True(t, answer.Replayed, "what was decided is remembered")
	r.verified()
}

// A log of earlier days has such a failure as a refusal that was remembered.
func TestARecordedFailureToReadEvidenceStaysARefusal(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.unread["a.go"] = true
	body := []byte(`{"implementation":{"summary":"s","files":[{"path":"a.go"}]}}`)
	change, err := decision.Read(body, lifecycle.Coder)
	require.NoError(t, err)
	change.Size = len(body)
	r.look(t.Context(), cody, &change)
	p := Proposal{ID: "REQ-002", Body: body, IdempotencyKey: "k"}
	_, refused, err := decision.Decide(r.reader(r.current.Load()), r.inForce(), decision.Request{Actor: cody, ID: p.ID, Change: change, At: r.clock.read()})
	require.NoError(t, err)
	require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
		data := record.Proposed{Rules: lifecycle.LatestRules, Workflow: "v1", Change: body, Looked: change.Looked, IdempotencyKey: "k", BodySHA256: bodyDigest(p), Refusal: refused}
		_, err := record.TableIdempotency.Put(tx, record.KeyOf(cody, "k"), record.FirstAnswer{At: tx.At(), Seq: tx.Seq(), BodySHA256: data.BodySHA256, Refusal: data.Refusal})
		return errors.Join(err, tx.Append(ledger.Event{Kind: record.KindRefused, Actor: record.Actor(cody), Subject: p.ID, Data: data}))
	}))
	r.verified()
}

// Whoever sends a change that takes something for granted is told nothing that was not decided with it.
//
// Verifies: ORC-388
func TestUnreadableEvidenceIsNotToldBeforeThePremise(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.failing = errors.New("git hangs")
	for _, dryRun := range []bool{false, true} {
		ctx := premise.With(t.Context(), func(store.Getter) (bool, error) { return true, nil })
		_, err := r.Patch(ctx, paula, Proposal{Request: "PATCH /requirements/{id}", ID: "REQ-001",
			Body: []byte(move(lifecycle.Done, approved)), DryRun: dryRun})
		require.ErrorIs(t, err, premise.ErrOpen)
	}
	ctx := premise.With(t.Context(), func(store.Getter) (bool, error) { return false, nil })
	f.unread["a.go"] = true
	_, err := r.Patch(ctx, cody, Proposal{Request: "PATCH /requirements/{id}", ID: "REQ-002",
		Body: []byte(`{"implementation":{"summary":"s","files":[{"path":"a.go"}]}}`)})
	require.ErrorIs(t, err, premise.ErrOpen)
}

// again is a store that runs each update twice, as one does that has lost a race, and notes what is read.
type again struct {
	store.Store
	read []string
}

type noting struct {
	store.Tx
	of *again
}

func (n noting) Get(table, key string) ([]byte, error) {
	n.of.read = append(n.of.read, table)
	return n.Tx.Get(table, key)
}

func (a *again) Update(ctx context.Context, fn func(store.Tx) error) error {
	lost := errors.New("another process came between")
	_ = a.Store.Update(ctx, func(tx store.Tx) error { return errors.Join(fn(noting{tx, a}), lost) })
	return a.Store.Update(ctx, fn)
}

// What is taken for granted is looked at in each run of the transaction, behind all that decides: a store that lacks
// some of it fetches that together.
//
// Verifies: ORC-388
func TestAPremiseIsOfTheRunThatCounts(t *testing.T) {
	s := &again{Store: store.NewMemory()}
	r := start(t, s)
	size := r.ledger.Head().Size
	runs := 0
	ctx := premise.With(t.Context(), func(tx store.Getter) (bool, error) {
		runs++
		_, err := tx.Get("premise", "k")
		return runs == 1, err
	})
	s.read = nil
	_, err := r.Patch(ctx, paula, Proposal{Request: "PATCH /requirements/{id}", ID: "REQ-001",
		Body: []byte(move(lifecycle.Planned))})
	require.ErrorIs(t, err, premise.ErrOpen)
	require.Equal(t, 2, runs)
	require.Equal(t, size, r.ledger.Head().Size, "nothing is on record")
	require.Greater(t, slices.Index(s.read, "premise"), slices.Index(s.read, projection.TableRequirements.Name))
	require.Contains(t, s.read, projection.TableRequirements.Name)
}
