package progress

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
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
	for want, list := range map[string][]day{
		"There are no requirements yet.": nil,
		"Three became done in four weeks; at this pace the other 29 take about nine months.":         {on(60, 40, 0), on(28, 40, 8), on(0, 40, 11)},
		"Seven became done in eight days; at this pace the other one takes about one day.":           {on(7, 8, 0), on(0, 8, 7)},
		"Nothing became done in four weeks; 29 are open.":                                            {on(40, 40, 11), on(28, 40, 12), on(0, 40, 11)},
		"Eleven of 40 are done after three days. It is too early to say how long the other 29 take.": {on(2, 40, 1), on(0, 40, 11)},
		"None of 40 are done after one day. It is too early to say how long all 40 take.":            {on(0, 40, 0)},
		"All eight are done.":          {on(3, 8, 2), on(0, 8, 8)},
		"The one requirement is done.": {on(0, 1, 1)},
	} {
		require.Equal(t, want, paceOf(list).open())
	}
	thinned := []day{on(90, 10, 0), on(60, 10, 1), on(30, 10, 2), on(0, 10, 4)}
	require.Equal(t, pace{Total: 10, Tested: 4, Done: 4, Gained: 2, Days: 30, Age: 91}, paceOf(thinned),
		"of days that are far apart the newest that is old enough counts")
	for d, want := range map[float64]string{0.2: "one day", 13: "13 days", 15: "two weeks", 100: "three months", 800: "two years"} {
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
	require.Equal(
		t,
		"Longest they stay in design ready: half of them for two days or more, one in ten for two days.",
		s.Says,
	)
	require.Len(t, s.Rows, 3, "a status in which nothing is and nothing was has no row")
}

// TestRefusalsAreCrossed: each actor by each code, the most frequent code first, and what was folded in the sum alone.
func TestRefusalsAreCrossed(t *testing.T) {
	var api http.HandlerFunc = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(
			[]byte(
				`{"as_of":9,"days":[{"day":"2026-11-27","total":2,"tested":1,"done":0},{"day":"2026-11-28","total":3,"tested":1,"done":1}],
"step_days":2,"in_status":[{"status":"done","now":1,"stays":0}],
"cycle":{"finished":1,"median_seconds":7200,"newest":[{"id":"A<b>","title":"x","started":"2026-11-28T08:00:00Z","done":"2026-11-28T10:00:00Z","seconds":7200}]},
"refusals":[{"name":"cora","role":"coder","accepted":1,"refused":7,"codes":[{"code":"sealed","count":1},{"code":"gate_unmet","count":3}]},
{"name":"tess","role":"tester","accepted":1,"refused":1,"codes":[{"code":"sealed","count":1}]},{"name":"vera","role":"viewer","refused":0}],
"stuck":[{"id":"PG-16","title":"The <i>barrier</i>","status":"blocked","since":"2026-11-16T12:00:00Z","why":"no date","by":"pm"}],"stuck_total":1}`,
			),
		)
	}
	v := &page.Visit{API: ask.API{Handler: api, From: httptest.NewRequest(http.MethodGet, "/ui/progress", nil)},
		Who: &session.Session{Name: "vera", Role: "viewer"}, Now: now}
	view, err := Page().Show(v)
	require.NoError(t, err)
	r := view.Data.(data).Refusals //nolint:forcetypeassert // it is the page's own
	require.Equal(t, []codeRow{{"gate_unmet", 3, []int{3, 0}}, {"sealed", 2, []int{1, 1}}}, r.Rows)
	require.Len(t, r.Actors, 2, "who was not refused has no column")
	require.Equal(t, "Eight attempts were refused, seven of cora; the most frequent code is gate_unmet.", r.Says)

	var b strings.Builder
	require.NoError(t, Page().Template.Execute(&b, page.Frame{View: view, Who: v.Who, Now: now}))
	got := b.String()
	require.Contains(t, got, `<data value="3">3</data>`)
	require.Contains(t, got, `<time datetime="2026-11-28">28 Nov</time>`)
	require.Contains(t, got, "Since the first day one was added. None are tested and not signed.")
	require.Contains(t, got, "Every 2 days.")
	require.Contains(t, got, "A&lt;b&gt;</bdi>")
	require.Contains(t, got, "The &lt;i&gt;barrier&lt;/i&gt;")
	require.Contains(t, got, "One is stuck; PG-16 for longest, for twelve days.")
	require.Contains(t, got, "uPlot.iife.min.js", "charts are drawn")
}
