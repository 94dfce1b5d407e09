package progress

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/presence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func durationsOf(t *rapid.T, name string) []int64 {
	return rapid.SliceOf(rapid.Int64Range(0, 9)).Draw(t, name)
}

func TestWhatComesAndGoesIsMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stays, in := durationsOf(t, "stay"), durationsOf(t, "come")
		out := durationsOf(t, "go")
		all := slices.Concat(stays, out)
		want := slices.Concat(stays, in)
		for _, list := range [][]int64{all, in, out, want} {
			slices.Sort(list)
		}
		require.True(t, slices.Equal(want, merged(all, in, out)))
	})
}

func TestRanksHaveOccurred(t *testing.T) {
	of := func(all ...int64) *durations { return &durations{of: [places][]int64{all}} }
	require.Nil(t, of().rank(0, median))
	require.Equal(t, int64(7), *of(7).rank(0, p90))
	require.Equal(t, int64(1), *of(1, 2).rank(0, median))
	require.Equal(t, int64(2), *of(1, 2, 3).rank(0, median))
	ten := of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	require.Equal(t, []int64{5, 9}, []int64{*ten.rank(0, median), *ten.rank(0, p90)})
}

func TestTheBestOfMany(t *testing.T) {
	type item struct{ rank, added int }
	rapid.Check(t, func(t *rapid.T) {
		b := best[item]{most: rapid.IntRange(1, 5).Draw(t, "most"), before: func(a, b item) bool { return a.rank > b.rank }}
		var all []item
		for i, rank := range rapid.SliceOf(rapid.IntRange(0, 5)).Draw(t, "ranks") {
			all = append(all, item{rank, i})
			b.add(all[i])
		}
		slices.SortStableFunc(all, func(a, b item) int { return b.rank - a.rank })
		require.Equal(t, all[:min(b.most, len(all))], b.list)
	})
}

func TestDaysBeforeTheEpoch(t *testing.T) {
	epoch := time.Unix(0, 0)
	for hours, day := range map[int]int{-25: -2, -24: -1, -1: -1, 0: 0, 23: 0, 24: 1} {
		require.Equal(t, day, dayOf(epoch.Add(time.Duration(hours)*time.Hour)), "%d hours", hours)
	}
}

// Verifies: ORC-327
func TestSoFewDaysAreShown(t *testing.T) {
	for _, c := range []struct{ days, shown, step int }{{1, 1, 1}, {400, 400, 1}, {401, 201, 2}, {800, 400, 2}, {801, 267, 3}} {
		all := make([]Day, c.days)
		for i := range all {
			all[i].Total = i
		}
		shown, step := everyFew(all, 0)
		require.Len(t, shown, c.shown, "%d days", c.days)
		require.Equal(t, c.step, step)
		for i := range shown[1:] {
			require.Equal(t, step, shown[i+1].Total-shown[i].Total)
		}
		require.Equal(t, c.days-1, shown[len(shown)-1].Total, "today")
	}
	days, _ := everyFew(make([]Day, 2), 365)
	require.Equal(t, []Day{{Day: "1971-01-01"}, {Day: "1971-01-02"}}, days)
}

func TestNothingImported(t *testing.T) {
	var rows Rows
	p := rows.Of(Input{At: noon, Present: &presence.Presence{}}, func(func(*projection.Entry) bool) {})
	require.Equal(t, Progress{At: noon, Days: []Day{}, StepDays: 1, InStatus: p.InStatus, Cycle: Cycle{Newest: []Finished{}},
		Refusals: p.Refusals, Stuck: []Stuck{}}, p)
	require.NotNil(t, p.Refusals)
	require.Len(t, p.InStatus, len(lifecycle.Statuses()))
	for i, status := range lifecycle.Statuses() {
		require.Equal(t, InStatus{Status: status}, p.InStatus[i])
	}
}

// entry returns a requirement that made its moves an hour apart, from noon on.
func entry(id string, change func(*lifecycle.Requirement), path ...lifecycle.Status) *projection.Entry {
	req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: id, Title: "Title of " + id, Fingerprint: "f"}, noon,
		lifecycle.LatestRules)
	for i, to := range path {
		req.History = append(req.History, lifecycle.HistoryEntry{From: req.Status, To: to,
			Stamp:         lifecycle.Stamp{At: noon.Add(time.Duration(i+1) * time.Hour)},
			Justification: lifecycle.Justification{Reason: "reason " + fmt.Sprint(i+1)}})
		req.Status = to
	}
	if change != nil {
		change(&req)
	}
	return projection.NewEntry(req, encoded(req), lifecycle.Rework)
}

func TestWhyAndByWhomSomethingIsStuck(t *testing.T) {
	const planned, design = lifecycle.Planned, lifecycle.DesignInProgress
	for _, c := range []struct {
		entry   *projection.Entry
		why, by string
	}{
		{entry("A", nil, planned, lifecycle.Blocked), "reason 2", "pm"},
		{entry("A", nil, planned, lifecycle.NeedsChanges), "reason 2", "pm"},
		{entry("A", nil, planned), "lacks nothing for its move to design_in_progress", "pm"},
		{entry("A", nil, planned, design), "lacks: there is no design_spec", "architect"},
		{entry("A", func(r *lifecycle.Requirement) { r.Suspect = true }, planned, design),
			"its text or priority has changed since work began, and nobody has accepted that", "pm"},
		{entry("A", func(r *lifecycle.Requirement) {
			r.Stale = []lifecycle.Stale{{Part: "test", Pointer: "/test", Detail: "the tests were run on another text"}}
		}, planned), "stale: /test: the tests were run on another text", "pm"},
		{entry("A", func(r *lifecycle.Requirement) { r.History[0].Justification.Reason = strings.Repeat("é", 400) },
			lifecycle.Blocked), strings.Repeat("é", 200) + "…", "pm"},
	} {
		found := reasonOf(lifecycle.Rework, c.entry)
		require.Equal(t, reason{c.why, lifecycle.Party(c.by)}, found)
	}
}

// Verifies: ORC-328
func TestTheLongestStuckAreShown(t *testing.T) {
	var rows Rows
	var all []*projection.Entry
	for i := range mostStuck + 5 {
		all = append(all, entry(fmt.Sprintf("R-%d", i), func(r *lifecycle.Requirement) {
			r.History[0].At = noon.Add(-time.Duration(i) * time.Minute)
		}, lifecycle.Blocked))
	}
	p := rows.Of(Input{At: noon.Add(time.Hour), Workflow: lifecycle.Rework, Present: &presence.Presence{}}, slices.Values(all))
	require.Equal(t, mostStuck+5, p.AllStuck)
	require.Len(t, p.Stuck, mostStuck)
	require.Equal(t, Stuck{ID: "R-104", Title: "Title of R-104", Status: lifecycle.Blocked, Since: noon.Add(-104 * time.Minute),
		Seconds: 164 * 60, Why: "reason 1", By: "pm"}, p.Stuck[0])
	require.Equal(t, "R-5", p.Stuck[mostStuck-1].ID)
}

// Verifies: ORC-326
func TestTheNewestFinishedAreLast(t *testing.T) {
	var rows Rows
	var all []*projection.Entry
	for i := range mostFinished + 2 {
		all = append(all, entry(fmt.Sprintf("R-%d", i), func(r *lifecycle.Requirement) {
			r.History[1].At = noon.Add(time.Duration(i+2) * time.Hour)
		}, lifecycle.Planned, lifecycle.Done))
	}
	p := rows.Of(Input{At: noon, Present: &presence.Presence{}}, slices.Values(all))
	require.Equal(t, mostFinished+2, p.Cycle.Finished)
	require.Len(t, p.Cycle.Newest, mostFinished)
	require.Equal(t, "R-2", p.Cycle.Newest[0].ID)
	require.Equal(t, Finished{ID: "R-201", Title: "Title of R-201", Started: noon.Add(time.Hour),
		Done: noon.Add(203 * time.Hour), Seconds: 202 * 3600}, p.Cycle.Newest[mostFinished-1])
}

// What did not change is not read again.
// Verifies: ORC-326
func TestOnlyWhatChangedIsRead(t *testing.T) {
	var rows Rows
	all := []*projection.Entry{entry("A", nil, lifecycle.Planned), entry("B", nil), entry("C", nil)}
	of := func() Progress {
		return rows.Of(Input{At: noon.Add(24 * time.Hour), Workflow: lifecycle.Rework, Present: &presence.Presence{}}, slices.Values(all))
	}
	of()
	before := slices.Clone(rows.lines)
	all = []*projection.Entry{all[2], entry("B", nil, lifecycle.Blocked), all[0]}
	p := of()
	require.Same(t, before[0], rows.lines[2])
	require.Same(t, before[2], rows.lines[0])
	require.NotSame(t, before[1], rows.lines[1])
	require.Equal(t, "B", p.Stuck[0].ID)
	why := rows.lines[1].stuck
	of()
	require.Same(t, why, rows.lines[1].stuck, "why it is stuck is found out once")
}

func encoded(req lifecycle.Requirement) []byte {
	raw, err := ledger.Encode(req)
	if err != nil {
		panic(err)
	}
	return raw
}
