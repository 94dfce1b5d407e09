package requirements

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/rechecking"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

func TestARecheckTakesEachRequirementForItself(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	r.must(cody, "REQ-002", `{"implementation":{"summary":"done","files":[{"path":"logout.go"}]}}`)
	long := strings.Repeat("ü", rechecking.MaxRemark)
	f.says("logout.go", evidence.Standing{Reason: lifecycle.FileChanged, Detail: long})
	n, err := r.Recheck(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, r.requirement("REQ-001").Stale)
	require.Equal(t, fault.Clip(long, rechecking.MaxRemark), r.requirement("REQ-002").Stale[0].Detail)
	r.verified()
}

func TestARecheckLeavesWhatChangedMeanwhile(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.says("login.go", evidence.Standing{Reason: lifecycle.LinesChanged, Detail: "other lines"})
	f.during = func() { r.must(paula, "REQ-001", `{"pm_notes":[{"text":"meanwhile"}]}`) }
	size := r.ledger.Head().Size
	n, err := r.Recheck(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	require.Equal(t, size+1, r.ledger.Head().Size, "the note, and no record of a recheck that changed nothing")
	require.Empty(t, r.requirement("REQ-001").Stale)

	f.during = nil
	n, err = r.Recheck(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n, "the next look finds it")
	r.verified()
}

// A recheck that finds something new leaves the requirement its revision: who read it may still change it, and who has
// kept it is told that it looks otherwise.
//
// Verifies: ORC-123
func TestARecheckLeavesTheRevision(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	tag := func() string {
		doc, err := r.Requirement("REQ-001")
		require.NoError(t, err)
		return strings.Trim(doc.ETag, `"`)
	}
	recheck := func() {
		n, err := r.Recheck(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	read := tag()
	f.says("login.go", evidence.Standing{Reason: lifecycle.LinesChanged, Detail: "other lines"})
	recheck()
	require.Equal(t, read+"-1", tag())
	f.says("login.go", evidence.Standing{})
	recheck()
	require.Equal(t, read+"-2", tag(), "not as before: the log has two looks more")
	for _, named := range []string{read, read + "-1", read + "-2", "7,8", "1-1"} {
		_, err := r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(`{"pm_notes":[{"text":"n"}]}`), IfMatch: []string{named}, DryRun: true})
		require.Equal(t, strings.HasPrefix(named, read), err == nil, named)
	}
	_, err := r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(`{"pm_notes":[{"text":"n"}]}`), IfMatch: []string{read}})
	require.NoError(t, err)
	require.NotContains(t, tag(), "-")
	_, err = r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(`{"pm_notes":[{"text":"n"}]}`), IfMatch: []string{read + "-2"}})
	requireCode(t, err, "stale_revision")
	r.verified()
}

// A move that looked at the evidence before a recheck found more is decided on what that found.
//
// Verifies: ORC-123
func TestAMoveDoesNotOvertakeARecheck(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	before, looks := r.requirement("REQ-001"), 0
	require.Equal(t, lifecycle.TestedPass, before.Status)
	f.during = func() {
		if looks++; looks == 1 { // the move has looked, and is not decided yet
			found := lifecycle.Recheck{Revision: before.Revision, Stale: []lifecycle.Stale{{Part: lifecycle.FieldImplementation,
				Pointer: "/implementation_evidence/0", Reason: lifecycle.FileGone, Detail: "gone", Since: r.clock.read()}}}
			_, err := r.takeOver(t.Context(), []record.RecheckedOne{{ID: "REQ-001", Recheck: found}})
			require.NoError(t, err)
		}
	}
	_, err := r.patch(paula, "REQ-001", move(lifecycle.Done, approved))
	require.NoError(t, err)
	require.Equal(t, 2, looks, "it looked again")
	require.Equal(t, before.Revision+1, r.requirement("REQ-001").Revision)
	r.verified()
}

func TestARecheckOfMoreThanOneTransactionHolds(t *testing.T) {
	f := newShelf()
	r := start(t, store.NewMemory(), func(o *Options) { o.Evidence, o.Repository, o.ExportPath = projection.EvidenceVerified, f, "" })
	var document strings.Builder
	for i := range maxRechecked + 1 {
		fmt.Fprintf(&document, "- **REQ-%04d**: It works.\n", i)
	}
	r.mustImport("# Demo\n\n" + document.String())
	for i := range maxRechecked + 1 {
		r.must(cody, fmt.Sprintf("REQ-%04d", i), `{"implementation":{"summary":"done","files":[{"path":"login.go"}]}}`)
	}
	f.says("login.go", evidence.Standing{Reason: lifecycle.FileGone, Detail: "gone"})
	size := r.ledger.Head().Size
	n, err := r.Recheck(t.Context())
	require.NoError(t, err)
	require.Equal(t, maxRechecked+1, n)
	require.Equal(t, size+2, r.ledger.Head().Size)
	r.verified()
}

func TestACrowdOfReviewsLooksTwice(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	var looks atomic.Int32
	begun, release := make(chan struct{}), make(chan struct{})
	f.during = func() {
		if looks.Add(1) == 1 {
			close(begun)
			<-release
		}
	}
	var crowd sync.WaitGroup
	crowd.Go(func() { _, _ = r.Recheck(context.Background()) })
	<-begun
	asked := r.begun.Load()
	for range 20 {
		crowd.Go(func() { _, _ = r.recheckSince(context.Background(), asked) })
	}
	close(release)
	crowd.Wait()
	require.EqualValues(t, 2, looks.Load(), "what began before they asked is not enough")
}

func TestWhatCannotBeReadNowSaysNothing(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.says("login.go", evidence.Standing{Reason: lifecycle.LinesChanged, Detail: "other lines"})
	f.says("TestLogin", evidence.Standing{MovedTo: "new.xml"})
	_, err := r.Recheck(t.Context())
	require.NoError(t, err)
	before := r.requirement("REQ-001")
	require.Len(t, before.Stale, 1)

	for _, of := range []string{"login.go", "TestLogin", "abcdef1"} {
		f.says(of, evidence.Standing{Reason: lifecycle.Unreadable, Detail: "git hangs"})
	}
	n, err := r.Recheck(t.Context())
	requireCode(t, err, "evidence_unreadable")
	require.Zero(t, n)
	require.Equal(t, before, r.requirement("REQ-001"), "what was stale is, and what moved has")
	require.Equal(t, []string{review.UncheckedEvidence}, r.review().Unchecked)
	_, err = r.patch(paula, "REQ-001", move(lifecycle.Done, approved))
	requireCode(t, err, "evidence_unreadable")
	require.Equal(t, lifecycle.TestedPass, r.requirement("REQ-001").Status, "nothing is decided, and nothing is done")
	_, err = r.attach(green, AttachOptions{Tests: "."})
	require.NoError(t, err)
	f.says("TestLogin_REQ001", evidence.Standing{Reason: lifecycle.Unreadable, Detail: "git hangs"})
	_, err = r.attach(green, AttachOptions{})
	requireCode(t, err, "evidence_unreadable")
	r.verified()
}

func TestAnImplementationNamesWhatWasWritten(t *testing.T) {
	r, _ := startVerifying(t, store.NewMemory())
	refusal := r.refused(cody, "REQ-001", `{"implementation":{"summary":"trust me"}}`, "evidence_not_found")
	require.Equal(t, "implementation_without_evidence", string(refusal.Fields[0].Code))
	r.must(cody, "REQ-001", `{"implementation":null}`)
	r.verified()
}

func TestAReportThatIsAttachedAgainIsNotNewer(t *testing.T) {
	r, _ := startVerifying(t, store.NewMemory())
	attach := func() lifecycle.Requirement {
		_, err := r.Attach(t.Context(), tess, Proposal{Request: "POST", ID: "REQ-001", Body: []byte(junit)}, AttachOptions{})
		require.NoError(t, err)
		return r.requirement("REQ-001")
	}
	first := attach().Test.Evidence[0].Found.Modified
	require.Equal(t, first, attach().Test.Evidence[0].Found.Modified)
	r.verified()
}
