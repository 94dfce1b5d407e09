package requirements

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

const (
	green  = `<testsuite><testcase name="TestLogin_REQ001"/></testsuite>`
	greens = `<testsuite><testcase name="TestLogin_REQ001"/><testcase name="more"/></testsuite>`
	year   = 365 * 24 * time.Hour
)

// TestAJumpOfTheClockStrandsNothing: an implementation that is dated a year ahead is tested and signed off when the clock
// is right again, and records have the right time.
//
// Verifies: ORC-113
func TestAJumpOfTheClockStrandsNothing(t *testing.T) {
	r, _ := startVerifying(t, store.NewMemory(), func(o *Options) { o.Workflow = lifecycle.Rework })
	r.must(paula, "REQ-001", move(lifecycle.NeedsChanges))
	r.must(paula, "REQ-001", move(lifecycle.ImplementationInProgress))
	r.clock.wind(year)
	r.must(cody, "REQ-001", implemented)
	r.must(paula, "REQ-001", move(lifecycle.Implemented))
	r.clock.wind(-year)
	r.must(paula, "REQ-001", move(lifecycle.TestInProgress))
	_, err := r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(green)}, AttachOptions{})
	require.NoError(t, err)
	r.must(tess, "REQ-001", move(lifecycle.TestedPass))
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	req := r.requirement("REQ-001")
	require.Equal(t, lifecycle.Done, req.Status)
	require.Equal(t, 2026, req.History[len(req.History)-1].At.Year())
	require.Empty(t, req.Stale)
	r.verified()
}

// TestAReportOfBeforeTheImplementationStaysOne whatever the clock said when it was attached.
func TestAReportOfBeforeTheImplementationStaysOne(t *testing.T) {
	r, _ := startVerifying(t, store.NewMemory(), func(o *Options) { o.Workflow = lifecycle.Rework })
	r.must(paula, "REQ-001", move(lifecycle.NeedsChanges))
	r.must(paula, "REQ-001", move(lifecycle.ImplementationInProgress))
	r.must(paula, "REQ-001", move(lifecycle.Implemented))
	r.must(paula, "REQ-001", move(lifecycle.TestInProgress))
	r.clock.wind(year)
	_, err := r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(green)}, AttachOptions{})
	require.NoError(t, err)
	r.clock.wind(-year)
	r.must(cody, "REQ-001", implemented)
	_, err = r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(green)}, AttachOptions{})
	require.NoError(t, err)
	f := r.refused(tess, "REQ-001", move(lifecycle.TestedPass), "gate_unmet")
	require.Contains(t, f.Fields[0].Detail, "run the tests again")
	r.verified()

	_, err = r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(greens)}, AttachOptions{})
	require.NoError(t, err)
	r.must(tess, "REQ-001", move(lifecycle.TestedPass))
	r.verified()
}

// TestKeysExpireByThePresentClock: a jump that was taken back makes no key of afterwards older or younger than it is.
//
// Verifies: ORC-113
func TestKeysExpireByThePresentClock(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	note := func(key string) Answer {
		answer, err := r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(`{"pm_notes":[{"text":"n"}]}`), IdempotencyKey: key})
		require.NoError(t, err)
		return answer
	}
	r.clock.wind(year)
	note("ahead")
	r.clock.wind(-year)
	note("after")
	r.clock.wind(record.KeepKeys - time.Minute)
	require.True(t, note("after").Replayed)
	require.True(t, note("ahead").Replayed, "nobody can tell how old it is, so it is kept")
	r.clock.wind(2 * time.Minute)
	require.False(t, note("after").Replayed)
	r.verified()
}

// times is a list of n equal items, without its brackets.
func times(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }

// TestATesterCanReportOnWhatOthersFilled: one role's share is not another's.
func TestATesterCanReportOnWhatOthersFilled(t *testing.T) {
	r, _ := startVerifying(t, store.NewMemory(), func(o *Options) { o.Workflow = lifecycle.Rework })
	r.must(paula, "REQ-001", move(lifecycle.NeedsChanges))
	r.must(paula, "REQ-001", move(lifecycle.ImplementationInProgress))
	r.must(archy, "REQ-001", `{"design_spec":{"summary":"s","risks":[`+times(40, `"`+strings.Repeat("r", 19_000)+`"`)+`]}}`)
	r.must(cody, "REQ-001", `{"implementation":{"summary":"s","files":[`+times(700, `{"path":"`+strings.Repeat("a", 900)+`"}`)+`]}}`)
	r.must(paula, "REQ-001", `{"pm_notes":[`+times(50, `{"text":"`+strings.Repeat("n", 19_000)+`"}`)+`]}`)
	e, _ := r.current.Load().Find("REQ-001")
	require.Greater(t, len(e.Raw), 2<<20)
	r.must(paula, "REQ-001", move(lifecycle.Implemented))
	r.must(paula, "REQ-001", move(lifecycle.TestInProgress))
	_, err := r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(green)}, AttachOptions{})
	require.NoError(t, err)
	r.must(tess, "REQ-001", move(lifecycle.TestedPass))
	r.refused(paula, "REQ-001", `{"pm_notes":[`+times(50, `{"text":"`+strings.Repeat("n", 19_000)+`"}`)+`]}`, "requirement_full")
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	r.verified()
}
