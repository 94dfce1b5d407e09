package review_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-093
func TestVerdict(t *testing.T) {
	done, blocked, deferred := reviewtest.At(t, 1, lifecycle.Done), reviewtest.At(t, 2,
		lifecycle.Blocked), reviewtest.At(t, 3, lifecycle.Deferred)
	failing := reviewtest.InputOf(done)
	failing.Import = review.Import{Problem: &review.ImportProblem{Code: "requirements_invalid",
		Detail: "two definitions", Errors: []review.ImportError{{Path: "R.md", Line: 3, Detail: "again"}}}}
	with := func(change func(*lifecycle.Requirement)) review.Input {
		req := done
		req.Deviations = slices.Clone(req.Deviations)
		change(&req)
		return reviewtest.InputOf(req)
	}
	in := func(change func(*review.Input)) review.Input {
		i := reviewtest.InputOf(done)
		change(&i)
		return i
	}
	retired, _ := lifecycle.Retire(reviewtest.Defined(4))
	gone, _ := lifecycle.Retire(reviewtest.At(t, 5, lifecycle.Implemented))
	goneDone, _ := lifecycle.Retire(done)
	put, _ := lifecycle.Retire(deferred)
	for _, c := range []struct {
		name    string
		in      review.Input
		verdict string
		reason  string
	}{
		{"empty", reviewtest.InputOf(), review.NotReady, "there is no requirement in force"},
		{"nothing but retired", reviewtest.InputOf(retired), review.NotReady, "there is no requirement in force"},
		{"done", reviewtest.InputOf(done), review.Ready, "every requirement is done (1) or deferred (0)"},
		{"done and deferred", reviewtest.InputOf(done, deferred), review.Ready, "every requirement is done (1) or deferred (1)"},
		{"done and retired", reviewtest.InputOf(done, retired), review.Ready, "every requirement is done (1) or deferred (0)"},
		{"done and retired, deferred", reviewtest.InputOf(done, put), review.Ready, "every requirement is done (1) or deferred (1)"},
		{"one blocked", reviewtest.InputOf(done, blocked), review.NotReady, "1 of 2 requirements is open"},
		{"retired with work", reviewtest.InputOf(done, gone), review.NotReady, "1 of 2 requirements is open"},
		{"retired when done", reviewtest.InputOf(goneDone), review.Inconsistent,
			"1 of 1 done requirements was removed from its document and is not deferred"},
		{"stale", with(func(r *lifecycle.Requirement) { r.Stale = []lifecycle.Stale{{Part: "test"}} }),
			review.Inconsistent, "1 of 1 done requirements is stale"},
		{"suspect", with(func(r *lifecycle.Requirement) { r.Suspect = true }), review.Inconsistent, "1 of 1 done requirements fails gates of done"},
		{"deviation", with(func(r *lifecycle.Requirement) { r.Deviations = []lifecycle.Deviation{{ID: "D-1"}} }),
			review.Inconsistent, "1 of 1 done requirements fails gates of done"},
		{"no approval", with(func(r *lifecycle.Requirement) { r.Approvals = nil }), review.Inconsistent, "1 of 1 done requirements fails gates of done"},
		{"log", in(func(i *review.Input) { i.Log.Problem = "record 3 was changed" }), review.Inconsistent, "the log cannot be trusted: record 3 was changed"},
		{"log cut", in(func(i *review.Input) { i.Log.VerifiedUpTo = 10 }), review.Inconsistent, "the log has 12 records, and is verified up to 10"},
		{"log unchecked", in(func(i *review.Input) { i.Log.VerifiedUpTo = 0 }), review.Ready, "every requirement is done (1) or deferred (0)"},
		{"import", failing, review.Inconsistent, "the last import failed: two definitions (errors: 1)"},
		{"import, no reason", in(func(i *review.Input) { i.Import = review.Import{} }), review.Inconsistent, "the last import failed"},
		{"drift", in(func(i *review.Input) { i.Drift = []review.Drift{{"R.md", "changed"}} }), review.Inconsistent,
			"requirement documents that are not what was imported: 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := review.Full(c.in)
			require.Equal(t, c.verdict, p.Verdict)
			require.Equal(t, c.reason, p.Reasons[0])
		})
	}
}

func TestWhatIsMissing(t *testing.T) {
	type lack struct {
		to   lifecycle.Status
		gate string
		by   lifecycle.Role
	}
	all := []lack{
		{lifecycle.DesignReady, "design_spec", lifecycle.Architect}, {lifecycle.Implemented, "implementation", lifecycle.Coder},
		{lifecycle.TestedPass, "test_of_this_phase", lifecycle.Tester}, {lifecycle.TestedPass, "tests_passed", lifecycle.Tester},
		{lifecycle.TestedPass, "test_evidence", lifecycle.Tester}, {lifecycle.Done, "approval", lifecycle.PM},
	}
	for _, c := range []struct {
		status lifecycle.Status
		next   lifecycle.Status
		want   []lack
	}{
		{lifecycle.NotStarted, lifecycle.Planned, all},
		{lifecycle.DesignInProgress, lifecycle.DesignReady, all},
		{lifecycle.DesignReady, lifecycle.ImplementationInProgress, all[1:]},
		{lifecycle.Implemented, lifecycle.TestInProgress, all[2:]},
		{lifecycle.TestedPass, lifecycle.Done, all[5:]},
		{lifecycle.Done, "", nil},
		{lifecycle.Deferred, lifecycle.Done, nil},
	} {
		row := review.Full(reviewtest.InputOf(reviewtest.At(t, 1, c.status))).Requirements[0]
		require.Equal(t, c.next, row.Next, c.status)
		var got []lack
		for _, m := range row.Missing {
			require.NotEmpty(t, m.Detail)
			got = append(got, lack{m.To, m.Gate, m.By})
		}
		require.Equal(t, c.want, got, c.status)
	}
}

// A second test phase needs tests of its own, also when it is still to begin.
func TestNobodyWaitsForWhatIsDeferred(t *testing.T) {
	early := reviewtest.Apply(t, reviewtest.At(t, 2, lifecycle.DesignInProgress), lifecycle.PM,
		lifecycle.Change{Status: lifecycle.Deferred})
	p := review.Full(reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done), early))
	require.Equal(t, lifecycle.DesignInProgress, p.Requirements[1].Next)
	require.Empty(t, p.Requirements[1].Missing)
	require.Zero(t, p.Counts.Missing)
}

func TestTestsOfAnEarlierPhaseAreMissing(t *testing.T) {
	req := reviewtest.At(t, 1, lifecycle.NeedsChanges)
	row := review.Full(reviewtest.InputOf(req)).Requirements[0]
	require.Equal(t, lifecycle.Planned, row.Next)
	require.Equal(t, []review.Missing{{lifecycle.TestedPass,
		lifecycle.Lack{Gate: "test_of_this_phase", Detail: "no test phase has begun",
			By: lifecycle.Tester}}}, row.Missing)
}

// Verifies: ORC-093
func TestSameInputSameBytes(t *testing.T) {
	bytesOf := func() string {
		var b bytes.Buffer
		require.NoError(t, review.Full(reviewtest.Everything(t)).JSON(&b))
		return b.String()
	}
	for range 20 {
		require.Equal(t, bytesOf(), bytesOf())
	}
}

func TestDuties(t *testing.T) {
	var all []lifecycle.Requirement
	for n := range 3 {
		all = append(all, reviewtest.At(t, n, lifecycle.Done))
	}
	require.Equal(t, []review.Duty{
		{"implementation", "cora", "paula", 3, 3, true},
		{"test", "tess", "paula", 3, 3, true},
	}, review.Full(reviewtest.InputOf(all...)).Findings.Duties)
	all[2].Approvals = slices.Clone(all[2].Approvals)
	all[2].Approvals[0].By = "peter"
	require.Equal(t, []review.Duty{
		{"implementation", "cora", "paula", 2, 3, false}, {"implementation", "cora", "peter", 1, 3, false},
		{"test", "tess", "paula", 2, 3, false}, {"test", "tess", "peter", 1, 3, false},
	}, review.Full(reviewtest.InputOf(all...)).Findings.Duties)
	require.False(t, review.Full(reviewtest.InputOf(all[:2]...)).Findings.Duties[0].Always, "2 are no habit")
	all[1].Approvals = []lifecycle.Approval{{Stamp: lifecycle.Stamp{By: "paula"}, Decision: lifecycle.Rejected}}
	require.Len(t, review.Full(reviewtest.InputOf(all[1])).Findings.Duties, 0)
}

func TestRefusedAttempts(t *testing.T) {
	in := reviewtest.InputOf()
	in.Actors = []review.ActorCount{{"b", lifecycle.PM, 9, 0, nil}, {"c", lifecycle.Coder, 0, 2, nil},
		{"a", lifecycle.Coder, 1, 2, nil}, {"d", lifecycle.Tester, 1, 3, nil}}
	require.Equal(t, []review.ActorCount{{"d", lifecycle.Tester, 1, 3, nil}, {"a", lifecycle.Coder, 1, 2, nil},
		{"c", lifecycle.Coder, 0, 2, nil}}, review.Full(in).Findings.Refused)
	require.Len(t, in.Actors, 4)
	require.Equal(t, "b", in.Actors[0].Name, "the input is as it was")
}

func TestDeadEnds(t *testing.T) {
	in := reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Blocked), reviewtest.At(t, 2, lifecycle.NeedsChanges))
	require.Empty(t, review.Full(in).Findings.DeadEnds)
	in.Workflow = lifecycle.V1
	p := review.Full(in)
	require.Equal(t, []review.DeadEnd{
		{lifecycle.Blocked, []string{"REQ-1"}}, {lifecycle.TestedFail, []string{}},
		{lifecycle.NeedsChanges, []string{"REQ-2"}}, {lifecycle.Deferred, []string{}},
	}, p.Findings.DeadEnds)
	require.Equal(t, []fault.Code{review.CodeNotDone, review.CodeBlocked, review.CodeDeadEnd}, p.Requirements[0].Codes)
	require.Equal(t, &review.Held{lifecycle.Done, p.Requirements[0].Since, "paula", "it is time"},
		p.Requirements[0].Held)
}
