package lookup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// snapshotOf publishes requirements in an order.
func snapshotOf(t *testing.T, all ...lifecycle.Requirement) *projection.Snapshot {
	t.Helper()
	p, entries := projection.Project{WorkflowName: lifecycle.V1.Name}, map[string]*projection.Entry{}
	for _, req := range all {
		raw, err := ledger.Encode(req)
		require.NoError(t, err)
		p.IDs = append(p.IDs, req.ID)
		entries[req.ID] = projection.NewEntry(req, raw, p.Workflow())
	}
	s, err := projection.New(p, entries, audit.Head{Size: 1})
	require.NoError(t, err)
	return s
}

// at returns a requirement that came into its status some hours after noon, and was approved some hours later.
func at(id string, status lifecycle.Status, since, approved int) lifecycle.Requirement {
	hours := func(n int) lifecycle.Stamp { return lifecycle.Stamp{At: noon.Add(time.Duration(n) * time.Hour)} }
	return lifecycle.Requirement{Definition: lifecycle.Definition{ID: id, Title: "Title " + id, Kind: "story"}, Status: status,
		History:   []lifecycle.HistoryEntry{{Stamp: hours(since), To: status}},
		Approvals: []lifecycle.Approval{{Stamp: hours(approved)}}}
}

// listed reads all pages, and returns the ids.
func listed(t *testing.T, s *projection.Snapshot, q Query) (ids []string) {
	t.Helper()
	for range 1000 {
		page, err := q.Select(s, noon.Add(10*time.Hour))
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Requirements), q.Limit)
		for _, r := range page.Requirements {
			ids = append(ids, r.ID)
		}
		if q.After = page.After; q.After == "" {
			require.Len(t, ids, page.Total)
			return ids
		}
	}
	require.Fail(t, "the pages never end")
	return nil
}

// Verifies: ORC-141
func TestListsAreSorted(t *testing.T) {
	s := snapshotOf(t, at("R-10", lifecycle.Planned, 3, 9), at("R-9", lifecycle.Done, 1, 2), at("R-009", lifecycle.Planned, 5, 6),
		at("R-1", lifecycle.NotStarted, 3, 4))
	for order, want := range map[Order][]string{
		"":         {"R-10", "R-9", "R-009", "R-1"},
		ByDocument: {"R-10", "R-9", "R-009", "R-1"},
		ByID:       {"R-1", "R-9", "R-009", "R-10"},
		ByStatus:   {"R-1", "R-10", "R-009", "R-9"},
		ByAge:      {"R-009", "R-10", "R-1", "R-9"},
		ByChanged:  {"R-9", "R-1", "R-009", "R-10"},
	} {
		for limit := range 5 {
			require.Equal(t, want, listed(t, s, Query{Sort: order, Limit: limit + 1}), order)
		}
	}
	for order, want := range map[Order][]string{
		"":        {"R-1", "R-009", "R-9", "R-10"},
		ByID:      {"R-10", "R-9", "R-009", "R-1"}, // equals stay in document order
		ByStatus:  {"R-9", "R-10", "R-009", "R-1"},
		ByAge:     {"R-9", "R-10", "R-1", "R-009"},
		ByChanged: {"R-10", "R-009", "R-1", "R-9"},
	} {
		for limit := range 5 {
			require.Equal(t, want, listed(t, s, Query{Sort: order, Desc: true, Limit: limit + 1}), order)
		}
	}
	require.Len(t, Orders(), 5)
	require.Equal(t, []lifecycle.Party{"pm", "architect", "coder", "tester", "operator", "document"}, Parties())
}

// Verifies: ORC-141
func TestListsAreNarrowed(t *testing.T) {
	yes, no := true, false
	stale := at("R-2", lifecycle.Done, 1, 1)
	stale.Stale = []lifecycle.Stale{{Part: "test"}}
	written := at("R-3", lifecycle.Blocked, 8, 8)
	written.Stamps.Test.By, written.Kind, written.Text = "tess", "bug", "Crashes at NOON"
	s := snapshotOf(t, at("R-1", lifecycle.Planned, 2, 2), stale, written)
	for name, c := range map[string]struct {
		q    Query
		want []string
	}{
		"status":     {Query{Status: lifecycle.Blocked}, []string{"R-3"}},
		"not status": {Query{NotStatus: lifecycle.Blocked}, []string{"R-1", "R-2"}},
		"waiting":    {Query{WaitingFor: "pm"}, []string{"R-1", "R-2", "R-3"}},
		"operator":   {Query{WaitingFor: lifecycle.Operator}, nil},
		"role":       {Query{Role: lifecycle.Coder}, nil},
		"stale":      {Query{Stale: &yes}, []string{"R-2"}},
		"not stale":  {Query{Stale: &no}, []string{"R-1", "R-3"}},
		"suspect":    {Query{Suspect: &yes}, nil},
		"retired":    {Query{Retired: &yes}, nil},
		"kind":       {Query{Kind: "bug"}, []string{"R-3"}},
		"by":         {Query{By: "tess"}, []string{"R-3"}},
		"text":       {Query{Text: "noon"}, []string{"R-3"}},
		"long ago":   {Query{OlderThan: 8 * time.Hour}, []string{"R-1", "R-2"}},
		"longer ago": {Query{OlderThan: 10 * time.Hour}, nil},
	} {
		c.q.Limit = 2
		require.Equal(t, c.want, listed(t, s, c.q), name)
	}
}

func TestTheClaimedAreFound(t *testing.T) {
	yes, no := true, false
	s := snapshotOf(t, at("R-1", lifecycle.Planned, 1, 1), at("R-2", lifecycle.Planned, 1, 1), at("R-3", lifecycle.Planned, 1, 1)).
		WithClaims(map[string][]claiming.Claim{"R-1": {{Until: noon.Add(11 * time.Hour)}}, "R-2": {{Until: noon.Add(9 * time.Hour)}}})
	require.Equal(t, []string{"R-1"}, listed(t, s, Query{Claimed: &yes, Limit: 1}))
	require.Equal(t, []string{"R-2", "R-3"}, listed(t, s, Query{Claimed: &no, Limit: 1}), "a claim that has ended is none")
}

// The next page begins where the one before ended, though the last requirement of that has moved on meanwhile.
func TestAPageEndsWhereItsLastRowWas(t *testing.T) {
	all := []lifecycle.Requirement{at("A", lifecycle.Planned, 1, 1), at("B", lifecycle.Planned, 2, 2), at("C", lifecycle.Planned, 3, 3)}
	q := Query{Sort: ByChanged, Limit: 1}
	first, err := q.Select(snapshotOf(t, all...), noon)
	require.NoError(t, err)
	require.Equal(t, "A", first.Requirements[0].ID)
	all[0] = at("A", lifecycle.Done, 9, 9)
	q.After = first.After
	require.Equal(t, []string{"B", "C", "A"}, func() (ids []string) {
		for range 3 {
			page, err := q.Select(snapshotOf(t, all...), noon)
			require.NoError(t, err)
			ids, q.After = append(ids, page.Requirements[0].ID), page.After
		}
		return ids
	}())
}

// Verifies: ORC-141
func TestACursorIsOfItsList(t *testing.T) {
	s := snapshotOf(t, at("A", lifecycle.Planned, 1, 1), at("B", lifecycle.Planned, 2, 2))
	page, err := Query{Sort: ByAge, Limit: 1}.Select(s, noon.Add(10*time.Hour))
	require.NoError(t, err)
	for name, q := range map[string]Query{
		"another order":     {Sort: ByChanged, After: page.After},
		"another direction": {Sort: ByAge, Desc: true, After: page.After},
		"document order":    {After: page.After},
		"an id":             {Sort: ByAge, After: "A"},
		"no id":             {After: "Z"},
	} {
		q.Limit = 1
		_, err := q.Select(s, noon.Add(10*time.Hour))
		require.True(t, fault.Is(err, ledger.CodeCursor), name)
		require.NotEmpty(t, fault.As(err).Fix)
	}
}

// Whatever the order and the size of a page, every requirement that matches is on one page.
func TestPagesAreWholeAndStable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var all []lifecycle.Requirement
	for i := range 60 {
		all = append(all, at(fmt.Sprintf("R-%d", 99-i), lifecycle.Statuses()[rnd.IntN(13)], rnd.IntN(5), rnd.IntN(5)))
	}
	s := snapshotOf(t, all...)
	for _, order := range Orders() {
		for _, desc := range []bool{false, true} {
			whole := listed(t, s, Query{Sort: order, Desc: desc, Limit: 1000})
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(whole))), 60)
			for limit := range 7 {
				require.Equal(t, whole, listed(t, s, Query{Sort: order, Desc: desc, Limit: limit + 1}), order)
			}
		}
	}
}
