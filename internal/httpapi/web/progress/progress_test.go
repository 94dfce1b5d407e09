package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/pagetest"
)

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// on returns a day some days ago.
func on(ago, total, done int) day {
	return day{Day: now.AddDate(0, 0, -ago).Format(dayLayout), Total: total, Tested: done, Done: done}
}

// TestTheOpeningSaysThePaceAndWhatItMeans.
//
// Verifies: ORC-339
func TestTheOpeningSaysThePaceAndWhatItMeans(t *testing.T) {
	for _, c := range []struct {
		want string
		days []day
	}{
		{"There are no requirements yet.", nil},
		{"Three became done in four weeks; at this pace the other 29 take about nine months.",
			[]day{on(60, 40, 0), on(28, 40, 8), on(0, 40, 11)}},
		{"Seven became done in eight days; at this pace the other one takes about one day.",
			[]day{on(7, 8, 0), on(0, 8, 7)}},
		{"Nothing became done in four weeks; 29 are open.", []day{on(40, 40, 11), on(28, 40, 12), on(0, 40, 11)}},
		{"Eleven of 40 are done after three days. It is too early to say how long the other 29 take.",
			[]day{on(2, 40, 1), on(0, 40, 11)}},
		{"None of 40 is done after one day. It is too early to say how long all 40 take.", []day{on(0, 40, 0)}},
		{"None of one is done after one day. It is too early to say how long it takes.", []day{on(0, 1, 0)}},
		{"All eight are done.", []day{on(3, 8, 2), on(0, 8, 8)}},
		{"The one requirement is done.", []day{on(0, 1, 1)}},
	} {
		require.Equal(t, c.want, paceOf(c.days).open())
	}
	thinned := []day{on(90, 10, 0), on(60, 10, 1), on(30, 10, 2), on(0, 10, 4)}
	require.Equal(t, pace{Total: 10, Tested: 4, Done: 4, Gained: 2, Days: 30, Age: 91}, paceOf(thinned),
		"of days that are far apart the newest that is old enough counts")
	for d, want := range map[float64]string{
		0.2: "one day", 13: "13 days", 15: "two weeks", 100: "three months", 800: "two years",
	} {
		require.Equal(t, want, about(d))
	}
}

// TestTimesHaveOneUnit: the largest of which the longest time has two, so that a young project shows more than zeros.
func TestTimesHaveOneUnit(t *testing.T) {
	seconds := func(n int64) *int64 { return &n }
	require.Equal(t, "days", unitFor(2*86400).name)
	require.Equal(t, "hours", unitFor(2*86400-1).name)
	require.Equal(t, "minutes", unitFor(120).name)
	require.Equal(t, "seconds", unitFor(5).name)
	require.Equal(t, length{"5.100", "5.1", true}, unitFor(1e6).length(seconds(440640)))
	require.Equal(t, length{}, unitFor(1).length(nil))

	f := figures{InStatus: []inStatus{
		{Status: "planned", Stays: 4, Median: seconds(86400), P90: seconds(3 * 86400)},
		{Status: "design_ready", Stays: 2, Median: seconds(2 * 86400), P90: seconds(2 * 86400)},
		{Status: "blocked"}, {Status: "done", Now: 3},
	}}
	s := staysOf(f)
	require.Equal(t, "Longest they stay in design ready: half of them for two days or more, one in ten for two days.",
		s.Says)
	require.Len(t, s.Rows, 3, "a status in which nothing is and nothing was has no row")
}

// TestRefusalsAreCrossed: each actor by each code, the most frequent code first, and what was folded in the sum alone.
func TestRefusalsAreCrossed(t *testing.T) {
	api := &pagetest.API{Answers: map[string]string{"GET /project/progress": pagetest.Recorded(t, "progress")}}
	v := api.Visit("viewer", "/progress")
	v.Now = now
	view, err := Page().Show(v)
	require.NoError(t, err)
	r := view.Data.(data).Refusals //nolint:forcetypeassert // it is the page's own
	require.Equal(t, []codeRow{{"gate_unmet", 3, []int{3, 0}}, {"sealed", 2, []int{1, 1}}}, r.Rows)
	require.Len(t, r.Actors, 2, "who was not refused has no column")
	require.Equal(t, "Eight attempts were refused, seven of cora; the most frequent code is gate_unmet.", r.Says)

	got := pagetest.Show(t, Page(), v)
	require.Contains(t, got, `<data value="3">3</data>`)
	require.Contains(t, got, `<time datetime="2026-11-28">28 Nov</time>`)
	require.Contains(t, got, "Since the first day one was added. None are tested and not signed.")
	require.Contains(t, got, "Every 2 days.")
	require.Contains(t, got, "A&lt;b&gt;</bdi>")
	require.Contains(t, got, "The &lt;i&gt;barrier&lt;/i&gt;")
	require.Contains(t, got, "Four are stuck; PG-16 for longest, for twelve days.")
	require.Contains(t, got, `<a href="/ui/requirements?stuck=true">3 more</a>`)
	require.Contains(t, got, "uPlot.iife.min.js", "charts are drawn")
}
