package agenda

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

var (
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	paula = lifecycle.Actor{Name: "paula", Role: lifecycle.PM}
)

// one is a requirement in a snapshot.
type one struct {
	id     string
	status lifecycle.Status
	needs  []string
	since  time.Time
	edit   func(*lifecycle.Requirement)
}

func snapshot(t testing.TB, all ...one) *projection.Snapshot {
	t.Helper()
	p := projection.Project{WorkflowName: "v1"}
	entries := map[string]*projection.Entry{}
	for _, o := range all {
		req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: o.id, Title: "Title " + o.id, DependsOn: o.needs,
			Source: lifecycle.Source{Path: "R.md", Line: 1, EndLine: 2}}, noon, lifecycle.LatestRules)
		req.Status = o.status
		if !o.since.IsZero() {
			req.TextSince = o.since
		}
		if o.edit != nil {
			o.edit(&req)
		}
		raw, err := json.Marshal(req)
		require.NoError(t, err)
		p.IDs = append(p.IDs, o.id)
		entries[o.id] = projection.NewEntry(req, raw, p.Workflow())
	}
	s, err := projection.New(p, entries, audit.Head{Size: 9})
	require.NoError(t, err)
	return s
}

func of(t testing.TB, s *projection.Snapshot, who lifecycle.Actor, q Query) Agenda {
	t.Helper()
	a, err := Of(s, guidance.Around{Workflow: s.Project.Workflow()}, who, q)
	require.NoError(t, err)
	return a
}

func idsOf(items []Item) (ids []string) {
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	return ids
}

// Verifies: ORC-151
func TestDependenciesComeFirst(t *testing.T) {
	s := snapshot(t, one{id: "A", status: lifecycle.NotStarted, needs: []string{"C"}},
		one{id: "B", status: lifecycle.Planned, needs: []string{"D", "gone"}},
		one{id: "C", status: lifecycle.NotStarted, needs: []string{"B"}},
		one{id: "D", status: lifecycle.NotStarted},
		one{id: "E", status: lifecycle.NotStarted, needs: []string{"E", "F"}},
		one{id: "F", status: lifecycle.DesignInProgress, needs: []string{"E"}})
	a := of(t, s, paula, Query{Limit: 10})
	require.Equal(t, []string{"D", "B", "C", "A", "E"}, idsOf(a.Mine))
	require.Equal(t, "D", a.First.ID)
	require.Equal(t, "it depends on nothing unfinished, and comes first in the documents", a.First.Why)
	require.Equal(t, "move it to planned", a.First.Do)
	require.Equal(t, `"1"`, a.First.IfMatch)
	require.Equal(t, []Stuck{
		{"A", "it depends on C, which is not_started", "pm"}, {"B", "it depends on D, which is not_started", "pm"},
		{"C", "it depends on B, which is planned", "pm"}, {"E", "what it depends on depends on it, or on a circle", "document"},
		{"F", "what it depends on depends on it, or on a circle", "document"},
	}, a.Stuck)
	require.Equal(t, 5, a.AllStuck)
	require.Equal(t, []Waiting{{"pm", 5, noon, []string{"A", "B", "C"}}, {"architect", 1, noon, []string{"F"}}}, a.Waiting)
	archie := of(t, s, lifecycle.Actor{Name: "archie", Role: lifecycle.Architect}, Query{Limit: 10})
	require.Equal(t, "nothing else waits for role architect", archie.First.Why)
	require.Equal(t, "supply design_spec", archie.First.Do)
	require.Nil(t, of(t, s, lifecycle.Actor{Name: "v", Role: lifecycle.Viewer}, Query{Limit: 10}).First)
}

func TestWhatIsFinishedIsNotListed(t *testing.T) {
	retired := func(r *lifecycle.Requirement) { r.Retired = true }
	s := snapshot(t, one{id: "A", status: lifecycle.Blocked, since: noon.Add(-time.Hour)}, one{id: "B", status: lifecycle.NotStarted, edit: retired},
		one{id: "C", status: lifecycle.Planned, edit: retired}, one{id: "D", status: lifecycle.Planned, needs: []string{"B"}})
	a := of(t, s, paula, Query{Limit: 10})
	require.Equal(t, []string{"C", "D", "A"}, idsOf(a.Mine))
	require.Equal(t, []Stuck{{"A", "it is blocked, a dead end under workflow v1: PUT /workflow", "pm"}}, a.Stuck)
	require.Equal(t, []Waiting{{"pm", 3, noon.Add(-time.Hour), []string{"C", "D", "A"}}, {"document", 1, noon, []string{"C"}}}, a.Waiting)
	require.Equal(t, `PUT /workflow {"workflow":"rework","reason":"<why>"}`, a.Mine[2].Do)
	require.Equal(t, "move it to deferred", a.Mine[0].Do)
}

func TestPagesAndSince(t *testing.T) {
	s := snapshot(t, one{id: "A", status: lifecycle.Planned}, one{id: "B", status: lifecycle.Planned}, one{id: "C", status: lifecycle.Planned})
	first := of(t, s, paula, Query{Limit: 2})
	require.Equal(t, "B", first.After)
	rest := of(t, s, paula, Query{Limit: 2, After: "B"})
	require.Equal(t, []string{"C"}, idsOf(rest.Mine))
	require.Nil(t, rest.First)
	require.Empty(t, rest.After)
	require.Equal(t, 3, rest.Total)
	_, err := Of(s, guidance.Around{Workflow: lifecycle.V1}, paula, Query{Limit: 2, After: "Z"})
	require.ErrorIs(t, err, fault.Malformed)
	e, _ := s.Find("B")
	e.Size = 12
	require.Equal(t, []string{"B"}, idsOf(of(t, s, paula, Query{Limit: 2, Since: 9}).Mine))
	alone := of(t, s, paula, Query{Limit: 1, Since: 9})
	require.Equal(t, "A", alone.First.ID, "what to do first does not depend on what changed")
	require.Equal(t, 3, alone.Total)
}

// BenchmarkTenThousand: the agenda of a large project costs a few milliseconds.
func BenchmarkTenThousand(b *testing.B) {
	var all []one
	for i := range 10_000 {
		o := one{id: fmt.Sprintf("REQ-%05d", i), status: lifecycle.Planned}
		if i%10 != 0 {
			o.needs = []string{fmt.Sprintf("REQ-%05d", i-1)}
		}
		all = append(all, o)
	}
	s := snapshot(b, all...)
	for b.Loop() {
		of(b, s, paula, Query{Limit: 10})
	}
}

// What somebody else has claimed is listed with the claim, and does not come first.
//
// Verifies: ORC-151
func TestWhatIsClaimedComesFirstForNobodyElse(t *testing.T) {
	s := snapshot(t, one{id: "A", status: lifecycle.ImplementationInProgress}, one{id: "B", status: lifecycle.ImplementationInProgress})
	cody, cora := lifecycle.Actor{Name: "cody", Role: lifecycle.Coder}, lifecycle.Actor{Name: "cora", Role: lifecycle.Coder}
	q := Query{Limit: 10, Claims: map[string][]claiming.Claim{"A": {{Field: lifecycle.FieldImplementation, By: cody, Holder: "c1", Until: noon}}}, Holder: "c1"}
	his := of(t, s, cody, q).First
	require.Equal(t, "A", his.ID)
	require.True(t, his.Claim.Yours)
	q.Holder = "c2"
	require.Equal(t, "B", of(t, s, cody, q).First.ID, "another token of the same name")
	hers := of(t, s, cora, q)
	require.Equal(t, "B", hers.First.ID)
	require.Equal(t, "others have claimed what comes before it; it depends on nothing unfinished", hers.First.Why)
	require.Equal(t, []string{"A", "B"}, idsOf(hers.Mine))
	require.Equal(t, cody, hers.Mine[0].Claim.By)
	require.False(t, hers.Mine[0].Claim.Yours)
	q.Claims["B"] = q.Claims["A"]
	require.Nil(t, of(t, s, cora, q).First)
}

// Others' claims hide what would come first, and the answer says so of what is left.
func TestWhatIsLeftBehindClaimsDepends(t *testing.T) {
	s := snapshot(t, one{id: "A", status: lifecycle.ImplementationInProgress},
		one{id: "B", status: lifecycle.ImplementationInProgress, needs: []string{"A"}})
	cody := lifecycle.Actor{Name: "cody", Role: lifecycle.Coder}
	q := Query{Limit: 10, Claims: map[string][]claiming.Claim{"A": {{Field: lifecycle.FieldImplementation, By: cody, Holder: "c1"}}}}
	require.Equal(t, "others have claimed what comes before it; it depends on something unfinished, as the rest does",
		of(t, s, cody, q).First.Why)
}

// What a pm put aside comes after everything else, and never first: that it is not worked on was decided.
//
// Verifies: ORC-151
func TestWhatWasPutAsideIsNeverFirst(t *testing.T) {
	for _, aside := range []lifecycle.Status{lifecycle.Deferred, lifecycle.Blocked} {
		s := snapshot(t, one{id: "A", status: aside}, one{id: "B", status: lifecycle.NotStarted, needs: []string{"B2"}},
			one{id: "B2", status: lifecycle.ImplementationInProgress}, one{id: "C", status: lifecycle.NotStarted})
		for _, w := range []lifecycle.Workflow{lifecycle.V1, lifecycle.Rework} {
			a, err := Of(s, guidance.Around{Workflow: w}, paula, Query{Limit: 10})
			require.NoError(t, err)
			require.Equal(t, []string{"C", "B", "A"}, idsOf(a.Mine))
			require.Equal(t, "C", a.First.ID)
			require.Equal(t, []string{"B", "C", "A"}, a.Waiting[0].First)
		}
		few := snapshot(t, one{id: "A", status: aside}, one{id: "C", status: lifecycle.NeedsChanges})
		a := of(t, few, paula, Query{Limit: 10})
		require.Equal(t, "C", a.First.ID, "what needs changes is work")
		require.Equal(t, "nothing else waits for role pm but what was put aside", a.First.Why)
		require.Nil(t, of(t, snapshot(t, one{id: "A", status: aside}), paula, Query{Limit: 10}).First)
	}
}

// Verifies: ORC-175

// What seems to have another id comes first for the pm, before anybody begins anew under the new one.
func TestARenamingIsSettledFirst(t *testing.T) {
	gone := func(r *lifecycle.Requirement) { r.Retired, r.Title = true, "Log in" }
	s := snapshot(t, one{id: "NEW", status: lifecycle.NotStarted, edit: func(r *lifecycle.Requirement) { r.Title = "log  in" }},
		one{id: "OTHER", status: lifecycle.NotStarted}, one{id: "OLD", status: lifecycle.Implemented, edit: gone})
	require.Empty(t, of(t, s, paula, Query{Limit: 10}).First.Next[0].Request, "their titles are not the same")

	s = snapshot(t, one{id: "NEW", status: lifecycle.NotStarted, edit: func(r *lifecycle.Requirement) { r.Title = "log in" }},
		one{id: "OTHER", status: lifecycle.NotStarted}, one{id: "OLD", status: lifecycle.Implemented, edit: gone})
	a := of(t, s, paula, Query{Limit: 10})
	require.Equal(t, []string{"OLD", "NEW", "OTHER"}, idsOf(a.Mine))
	require.Equal(t, "confirm that it is NEW now, or move it to deferred", a.First.Do)
	require.Equal(t, `POST /project/renames {"renames":[{"from":"OLD","to":"NEW"}],"reason":"<why>"}`, a.First.Next[0].Request)
	require.Equal(t, lifecycle.Deferred, a.First.Next[1].To)
	require.Contains(t, a.First.Why, "another id")
	require.Empty(t, of(t, s, lifecycle.Actor{Name: "archy", Role: lifecycle.Architect}, Query{Limit: 10}).Mine)

	now := func(r *lifecycle.Requirement) { r.Title = "log in" }
	s = snapshot(t, one{id: "A", status: lifecycle.NotStarted, edit: now}, one{id: "B", status: lifecycle.NotStarted, edit: now},
		one{id: "C", status: lifecycle.NotStarted, edit: now}, one{id: "D", status: lifecycle.NotStarted, edit: now},
		one{id: "OLD", status: lifecycle.Implemented, edit: gone})
	a = of(t, s, paula, Query{Limit: 10})
	require.Equal(t, "say whether it is one of those that look alike now, A, B, C and others, or move it to deferred", a.First.Do)
	require.Empty(t, a.First.Next[0].Request, "nobody but a person knows which")
}
