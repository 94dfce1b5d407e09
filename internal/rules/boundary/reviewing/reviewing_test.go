package reviewing

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	activated = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	quiet     = Measured{Bypass: Share{1, 4, 0.25}, Errors: Share{1, 100, 0.01}}
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return moment
}

func states(all []Review) map[string]State {
	is := map[string]State{}
	for _, r := range all {
		is[r.Name] = r.State
	}
	return is
}

// Verifies: ORC-215
func TestReviewsComeDueByTheCalendar(t *testing.T) {
	for _, c := range []struct {
		now  string
		want string // what is due
	}{
		{"2026-01-31T12:00:00Z", ""},
		{"2026-02-02T11:59:59Z", ""},
		{"2026-02-02T12:00:00Z", "48h"},
		{"2026-02-07T12:00:00Z", "48h 1w"},
		{"2026-02-14T12:00:00Z", "48h 1w 2w"},
		{"2026-03-03T11:59:59Z", "48h 1w 2w"},
		{"2026-03-03T12:00:00Z", "48h 1w 2w 1m"}, // February has no 31st
		{"2026-07-31T12:00:00Z", "48h 1w 2w 1m 6m"},
	} {
		all := Schedule(activated, at(t, c.now), quiet, nil)
		require.Len(t, all, 5)
		var due []string
		for _, r := range OnlyDue(all) {
			due = append(due, r.Name)
			require.NotEmpty(t, r.LookAt)
			require.NotEmpty(t, r.Why)
		}
		require.Equal(t, c.want, strings.Join(due, " "), c.now)
		require.Equal(t, len(due), DueAt(Schedule(activated, activated, quiet, nil), at(t, c.now)), "by what was worked out before")
	}
}

func TestAReviewIsClosedOnce(t *testing.T) {
	now := at(t, "2026-02-08T00:00:00Z")
	note := func(name, when string) Closing { return Closing{name, at(t, when), "local:ada", "looked at " + when} }
	all := Schedule(activated, now, quiet, []Closing{note("48h", "2026-01-01T00:00:00Z")})
	require.Equal(t, Due, states(all)["48h"], "of an activation before this one")
	all = Schedule(activated, now, quiet, []Closing{note("48h", "2026-02-03T00:00:00Z"), note("48h", "2026-02-04T00:00:00Z")})
	require.Equal(t, map[string]State{"48h": Closed, "1w": Due, "2w": Coming, "1m": Coming, "6m": Coming}, states(all))
	require.Equal(t, "looked at 2026-02-04T00:00:00Z", all[0].Closed.Note, "the last counts")
	require.Equal(t, "2026-02-02T12:00:00Z", all[0].At.Format(time.RFC3339))
}

func TestFiguresOpenReviews(t *testing.T) {
	now := activated.Add(time.Hour)
	for name, c := range map[string]struct {
		m      Measured
		closed []Closing
		want   map[string]State
	}{
		"neither":             {quiet, nil, map[string]State{}},
		"nothing is measured": {Measured{Bypass: Share{Limit: 0.25}, Errors: Share{Limit: 0.01}}, nil, map[string]State{}},
		"too many bypasses":   {Measured{Bypass: Share{26, 100, 0.25}, Errors: quiet.Errors}, nil, map[string]State{Bypass: Due}},
		"too many errors":     {Measured{Bypass: quiet.Bypass, Errors: Share{2, 100, 0.01}}, nil, map[string]State{Errors: Due}},
		"closed, and quiet":   {quiet, []Closing{{Name: Bypass, At: now}}, map[string]State{Bypass: Closed}},
		"again":               {Measured{Bypass: Share{1, 1, 0.25}, Errors: quiet.Errors}, []Closing{{Name: Bypass, At: now}}, map[string]State{Bypass: Due}},
	} {
		got := states(Schedule(activated, now, c.m, c.closed))
		for _, term := range []string{"48h", "1w", "2w", "1m", "6m"} {
			delete(got, term)
		}
		require.Equal(t, c.want, got, name)
	}
	require.Equal(t, []string{"48h", "1w", "2w", "1m", "6m", "bypass", "errors"}, Names())
}

// Each review says what to look at, with what is known of it.
func TestWhatToLookAt(t *testing.T) {
	m := Measured{Bypass: Share{1, 8, 0.25}, Errors: Share{3, 1000, 0.01}, Early: Share{10, 100, 0}, Late: Share{2, 50, 0}, AgentsBlocked: 4}
	looks := map[string]string{}
	for _, r := range Schedule(activated, activated, m, nil) {
		looks[r.Name] = strings.Join(r.LookAt, "\n")
	}
	require.Equal(t, "errors of the hook: 3 of 1000, 0.3 %\nworkflows of agents: 4 of their calls were blocked", looks["48h"])
	require.Contains(t, looks["1w"], "sessions with a bypass: 1 of 8, 12.5 %")
	require.Contains(t, looks["1w"], "feedback")
	require.Contains(t, looks["2w"], "violations, which should decrease: 10 of 100, 10.0 % in the first half of the time since, 2 of 50, 4.0 % in the second")
	require.Contains(t, looks["1m"], "complaints that persist")
	require.Contains(t, looks["6m"], "effectiveness")
	require.Equal(t, "not measured", Share{}.String())
}
