package requirements

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

var tipA, tipB = strings.Repeat("a", 40), strings.Repeat("b", 40)

// attach attaches a report of REQ-001.
func (r *rig) attach(body string, o AttachOptions) (Attachment, error) {
	r.t.Helper()
	return r.Attach(r.t.Context(), tess, Proposal{Request: "POST", ID: "REQ-001", Body: []byte(body)}, o)
}

// dated is a report that says when its test ran.
const dated = `<testsuite timestamp="2026-01-01T00:00:00Z"><testcase name="TestLogin_REQ001" time="0.1"/></testsuite>`

// TestARunCountsForTheCommitThatItWasSeenAtFirst: neither other bytes nor another word tie it to later code.
func TestARunCountsForTheCommitThatItWasSeenAtFirst(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	first, err := r.attach(dated, AttachOptions{})
	require.NoError(t, err)
	require.Equal(t, tipA, first.Commit)
	require.True(t, first.Tip, "nobody named it")
	require.Equal(t, "trunk", first.Branch)

	f.tip = tipB
	again, err := r.attach(dated+"\n", AttachOptions{})
	require.NoError(t, err)
	require.Equal(t, first.Report, again.Report, "a newline makes no new run")
	require.Equal(t, tipA, again.Commit)
	require.True(t, again.Tip)
	found := r.requirement("REQ-001").Test.Evidence[0].Found
	require.Equal(t, tipA, found.Commit)
	require.Equal(t, r.records(0, record.KindChanged)[10].Seq, found.Record, "and was attached first then")

	f.commits = map[string]string{"bbbbbbb": tipB}
	_, err = r.attach(dated, AttachOptions{Commit: "bbbbbbb"})
	refusal := fault.As(err)
	require.Equal(t, lifecycle.CodeEvidenceNotFound, refusal.Code)
	require.Equal(t, fault.Code("report_commit_differs"), refusal.Fields[0].Code)
	citing := func(commit string) string {
		return `{"test":{"evidence":[{"kind":"test","name":"TestLogin_REQ001","result":"pass","report":"` + first.Report + `","report_commit":"` + commit + `"}]}}`
	}
	r.refused(tess, "REQ-001", citing("bbbbbbb"), "evidence_not_found")
	r.must(tess, "REQ-001", citing("aaaaaaa"))

	other, err := r.attach(greens, AttachOptions{Commit: "bbbbbbb"})
	require.NoError(t, err)
	require.Equal(t, tipB, other.Commit)
	require.False(t, other.Tip)
	require.Equal(t, "bbbbbbb", r.requirement("REQ-001").Test.Evidence[0].ReportCommit)
	r.verified()
}

// TestARunThatHasNoTimeCountsForEachCommitThatIsNamed: a report without times reads the same after every run.
func TestARunThatHasNoTimeCountsForEachCommitThatIsNamed(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.commits = map[string]string{"bbbbbbb": tipB}
	first, err := r.attach(green, AttachOptions{})
	require.NoError(t, err)
	f.tip = tipB
	again, err := r.attach(green, AttachOptions{})
	require.NoError(t, err)
	require.Equal(t, tipA, again.Commit, "nobody says that it is another run")
	named, err := r.attach(green, AttachOptions{Commit: "bbbbbbb"})
	require.NoError(t, err)
	require.Equal(t, tipB, named.Commit)
	require.NotEqual(t, first.Report, named.Report)
	r.must(tess, "REQ-001", `{"test":{"evidence":[{"kind":"test","name":"TestLogin_REQ001","result":"pass","report":"`+named.Report+`"}]}}`)
	require.Equal(t, tipB, r.requirement("REQ-001").Test.Evidence[0].Found.Commit)
	r.verified()
}

// TestAReportThatNobodyTiedIsTiedWhenItsCommitIsNamed, and not before: it may be of any code.
func TestAReportThatNobodyTiedIsTiedWhenItsCommitIsNamed(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.tip = ""
	first, err := r.attach(dated, AttachOptions{})
	require.NoError(t, err)
	require.Empty(t, first.Commit)
	f.tip = tipB
	again, err := r.attach(dated, AttachOptions{})
	require.NoError(t, err)
	require.Empty(t, again.Commit)
	refusal := r.refused(tess, "REQ-001", `{"test":{"evidence":[{"kind":"test","name":"TestLogin_REQ001","result":"pass","report":"`+first.Report+`","report_commit":"`+tipA+`"}]}}`, "evidence_not_found")
	require.Contains(t, refusal.Fields[0].Fix, "attach the report again, with ?commit=")
	named, err := r.attach(dated, AttachOptions{Commit: tipA})
	require.NoError(t, err)
	require.Equal(t, tipA, named.Commit)
	require.Equal(t, first.Report, named.Report)
	again, err = r.attach(dated, AttachOptions{})
	require.NoError(t, err)
	require.Equal(t, tipA, again.Commit)
	r.verified()

	f.gone = fault.New(fault.Unavailable, "branch_gone", "there is no branch trunk").WithFix("bring it back")
	_, err = r.attach(greens, AttachOptions{})
	require.Equal(t, evidence.CodeUnreadable, fault.As(err).Code, "what cannot be told now is not left open for ever")
}

// TestOnlyTheTesterTiesARun: what others cite in a justification says nothing of what was tested.
func TestOnlyTheTesterTiesARun(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.run, f.tip = strings.Repeat("c", 64), tipB
	cited := strings.TrimPrefix(strings.TrimSuffix(testReport, "}}"), `{"test":{`)
	r.must(cody, "REQ-002", `{"implementation":{"summary":"s","commits":["abcdef1"]},"justification":{"reason":"r",`+cited+`}}`)
	f.tip = tipA
	r.must(tess, "REQ-001", testReport)
	require.Equal(t, tipA, r.requirement("REQ-001").Test.Evidence[0].Found.Commit)
	r.verified()
}

// TestAReportOnDiskCountsForTheCommitThatItWasSeenAtFirst: to cite it again ties it to no later code.
func TestAReportOnDiskCountsForTheCommitThatItWasSeenAtFirst(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.run = strings.Repeat("c", 64)
	r.must(tess, "REQ-001", testReport)
	require.Equal(t, tipA, r.requirement("REQ-001").Test.Evidence[0].Found.Commit)
	f.tip = tipB
	r.must(tess, "REQ-001", testReport)
	found := r.requirement("REQ-001").Test.Evidence[0].Found
	require.Equal(t, tipA, found.Commit)
	require.True(t, found.Tip)
	r.verified()
}

// TestWhatTheBranchLacksSatisfiesNoGate: it is taken and shown, and counts once the branch has it.
//
// Verifies: ORC-118
func TestWhatTheBranchLacksSatisfiesNoGate(t *testing.T) {
	f := newShelf()
	r := start(t, store.NewMemory(), func(o *Options) { o.Evidence, o.Repository = projection.EvidenceVerified, f })
	r.mustImport(twoRequirements)
	r.bringToImplementation()
	f.says("abcdef1", evidence.Standing{Reason: lifecycle.Elsewhere, Detail: "commit abcdef1 is on another branch"})
	r.must(cody, "REQ-001", implemented)
	stale := r.requirement("REQ-001").Stale
	require.Len(t, stale, 1)
	require.Equal(t, lifecycle.Stale{Part: lifecycle.FieldImplementation, Pointer: "/implementation_evidence/0", Reason: lifecycle.Elsewhere,
		Detail: "commit abcdef1 is on another branch", Since: stale[0].Since}, stale[0])
	refusal := r.refused(paula, "REQ-001", move(lifecycle.Implemented), "gate_unmet")
	require.Equal(t, fault.Code("implementation_holds"), refusal.Fields[0].Code)
	f.says("abcdef1", evidence.Standing{})
	r.must(paula, "REQ-001", move(lifecycle.Implemented))
	require.Empty(t, r.requirement("REQ-001").Stale)
	r.verified()
}

// TestAReportOfOtherCodeIsShownAndDoesNotPass, whether it is attached before the move or given with it.
//
// Verifies: ORC-119
func TestAReportOfOtherCodeIsShownAndDoesNotPass(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory(), func(o *Options) { o.Workflow = lifecycle.Rework })
	r.must(paula, "REQ-001", move(lifecycle.NeedsChanges))
	r.must(paula, "REQ-001", move(lifecycle.ImplementationInProgress))
	r.must(paula, "REQ-001", move(lifecycle.Implemented))
	r.must(paula, "REQ-001", move(lifecycle.TestInProgress))
	f.says("TestLogin_REQ001", evidence.Standing{Reason: lifecycle.CodeChanged, Detail: "login.go is another one"})
	got, err := r.attach(green, AttachOptions{})
	require.NoError(t, err)
	require.Equal(t, &lifecycle.Against{Reason: lifecycle.CodeChanged, Detail: "login.go is another one"}, got.Against)
	refusal := r.refused(tess, "REQ-001", move(lifecycle.TestedPass), "gate_unmet")
	require.Equal(t, fault.Code("test_evidence_holds"), refusal.Fields[0].Code)
	f.says("TestLogin", evidence.Standing{Reason: lifecycle.CodeChanged, Detail: "login.go is another one"})
	both := strings.TrimSuffix(testReport, "}") + "," + strings.TrimPrefix(move(lifecycle.TestedPass), "{")
	r.refused(tess, "REQ-001", both, "gate_unmet")
	f.says("TestLogin", evidence.Standing{})
	r.must(tess, "REQ-001", both)
	r.verified()
}

// TestTheBranchIsOnRecord: it is chosen once, kept, shown, and changed by an operator alone.
func TestTheBranchIsOnRecord(t *testing.T) {
	s := store.NewMemory()
	r, _ := startVerifying(t, s)
	require.Equal(t, "trunk", r.Workflow().Branch)
	require.Equal(t, "trunk", r.current.Load().Project.Branch)
	require.Len(t, r.records(0, record.KindBranchChosen), 1)
	r.mustImport(strings.Replace(twoRequirements, "Log in", "Log on", 1))
	require.Equal(t, "trunk", r.current.Load().Project.Branch, "an import keeps it")
	r.verified()
	r.stop()

	again := newShelf()
	again.gone = fault.New(fault.Unavailable, "branch_gone", "there is no branch trunk")
	verifying := func(o *Options) { o.Evidence, o.Repository = projection.EvidenceVerified, again }
	r = start(t, s, verifying)
	require.Equal(t, "trunk", again.branch, "the one on record, though HEAD may name another")
	require.Equal(t, "there is no branch trunk", r.State().Unknown)
	require.Len(t, r.records(0, record.KindBranchChosen), 1)
	r.stop()

	l, err := ledger.Open(t.Context(), s, r.clock.read)
	require.NoError(t, err)
	_, err = Open(t.Context(), l, r.clock.read, Options{Evidence: projection.EvidenceVerified, Repository: again, Branch: "typo"})
	require.Equal(t, fault.Code("branch_gone"), fault.As(err).Code, "nobody chooses a branch that is not there")
	again.gone = nil
	r = start(t, s, verifying, func(o *Options) { o.Branch = "next" })
	require.Equal(t, "next", again.branch)
	require.Len(t, r.records(0, record.KindBranchChosen), 2)
	require.Empty(t, r.State().Unknown)
	r.verified()
}

// TestAReportThatIsAheadOfItsTime is refused beyond five minutes, which clocks may differ by.
func TestAReportThatIsAheadOfItsTime(t *testing.T) {
	r, _ := startVerifying(t, store.NewMemory())
	at := func(ahead time.Duration) string {
		return `<testsuite timestamp="` + r.clock.read().Add(ahead).Format(time.RFC3339) + `"><testcase name="TestLogin_REQ001"/></testsuite>`
	}
	_, err := r.attach(at(6*time.Minute), AttachOptions{})
	require.Equal(t, fault.Code("report_from_future"), fault.As(err).Code)
	_, err = r.attach(at(4*time.Minute), AttachOptions{})
	require.NoError(t, err)
	old, err := r.attach(at(-6*year), AttachOptions{})
	require.NoError(t, err)
	require.Equal(t, lifecycle.ReportOlder, old.Against.Reason, "the answer says that it counts for nothing")
	refusal := r.refused(paula, "REQ-001", move(lifecycle.Done, approved), "gate_unmet")
	require.Equal(t, fault.Code("test_after_implementation"), refusal.Fields[0].Code, "it ran before there was anything to test")
	r.verified()
}

// TestTheTestsOfAReportAreChosen: by a pattern, or else at most twenty.
func TestTheTestsOfAReportAreChosen(t *testing.T) {
	r, _ := startVerifying(t, store.NewMemory())
	var b strings.Builder
	for i := range 30 {
		b.WriteString(`<testcase name="Other` + string(rune('A'+i)) + `"/>`)
	}
	many := `<testsuite>` + b.String() + `</testsuite>`
	got, err := r.attach(many, AttachOptions{})
	require.NoError(t, err)
	require.Equal(t, maxUnasked, got.Cited)
	require.False(t, got.Covers)
	require.False(t, *r.review().Requirements[0].Covered)
	got, err = r.attach(many, AttachOptions{Tests: "^Other"})
	require.NoError(t, err)
	require.Equal(t, 30, got.Cited)
	got, err = r.attach(greens, AttachOptions{Tests: "Login"})
	require.NoError(t, err)
	require.Equal(t, 1, got.Cited)
	require.True(t, got.Covers)
	require.True(t, *r.review().Requirements[0].Covered)
	_, err = r.attach(greens, AttachOptions{Tests: "Logout"})
	require.Equal(t, fault.Code("tests_pattern_matches_nothing"), fault.As(err).Code)
	r.verified()
}

// TestTheTestsOfWhatIsDoneAreTiedByLaterRulesAlone: what is done was tested, and its files may change beside what it cites;
// what older rules let become done never was tied, which is shown.
func TestTheTestsOfWhatIsDoneAreTiedByLaterRulesAlone(t *testing.T) {
	cited := []lifecycle.Evidence{{Kind: lifecycle.EvidenceFile, Path: "a.go", Found: &lifecycle.Found{}}}
	req := lifecycle.Requirement{Status: lifecycle.TestedPass, ImplementationEvidence: cited}
	require.Equal(t, cited, subjectOf(req).Code)
	req.Status, req.History = lifecycle.Done, []lifecycle.HistoryEntry{{Stamp: lifecycle.Stamp{Record: 9, Rules: lifecycle.Rules3}}}
	require.Nil(t, subjectOf(req).Code)
	req.History[0].Rules = 0
	require.Equal(t, cited, subjectOf(req).Code)
}

// TestNamesThatLookLikeSecretsAreMaskedInWhatStandsAgainstEvidence, which is public and on record.
func TestNamesThatLookLikeSecretsAreMaskedInWhatStandsAgainstEvidence(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.says("TestLogin_REQ001", evidence.Standing{Reason: lifecycle.CodeChanged, Detail: "src/" + awsKey + ".go differs"})
	got, err := r.attach(green, AttachOptions{})
	require.NoError(t, err)
	require.NotContains(t, got.Against.Detail, awsKey)
	f.says("login.go", evidence.Standing{MovedTo: "src/" + awsKey + ".go"})
	_, err = r.Recheck(t.Context())
	require.NoError(t, err)
	require.NotContains(t, r.everything(), awsKey)
	r.verified()
}
