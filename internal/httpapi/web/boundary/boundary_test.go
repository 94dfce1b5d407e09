package boundary

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/pagetest"
)

const (
	readiness = "GET /boundary/readiness"
	decisions = "GET /boundary/decisions"
	modes     = "PUT /boundary/mode"
)

// answering returns an API of a boundary in which no call was judged.
func answering(t *testing.T) *pagetest.API {
	t.Helper()
	return &pagetest.API{Answers: map[string]string{
		readiness:              pagetest.Recorded(t, "readiness"),
		"GET /boundary/report": pagetest.Recorded(t, "report"),
		decisions:              `{"total":0,"decisions":[]}`,
	}, Status: map[string]int{}}
}

// by returns a visit of a role, nine days after the mode was switched.
func by(api *pagetest.API, role, query string) *page.Visit {
	v := api.Visit(role, "/boundary/report"+query)
	v.Now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	return v
}

// TestTheOpeningSaysWhatIsMissing, what is missing comes before what is met, and what others wrote is text.
//
// Verifies: ORC-338
func TestTheOpeningSaysWhatIsMissing(t *testing.T) {
	api := answering(t)
	got := pagetest.Show(t, Page(), by(api, "viewer", ""))
	require.Contains(t, got, "<h1>Validate for nine days. Two of three conditions to enforce are missing. "+
		"One red flag is raised.</h1>")
	require.Contains(t, got, "Switched by paula: to &lt;see&gt;.")
	require.Less(t, strings.Index(got, "documents updated"), strings.Index(got, "tool uses: 48"))
	require.Contains(t, got, "&lt;b&gt;.go")
	require.NotContains(t, got, "<b>.go")
	require.Contains(t, got, "No call was judged yet.")
	require.NotContains(t, got, "<textarea", "a viewer switches nothing")
	require.Contains(t, got, "A PM can switch the mode, and attest.")

	api.Answers[readiness] = pagetest.Recorded(t, "enforced")
	require.Contains(t, pagetest.Show(t, Page(), by(api, "pm", "")), "<h1>Enforce for nine days. One review is due.</h1>")
	api.Answers[readiness], api.Status[readiness] = `{"status":404,"code":"no_boundary"}`, http.StatusNotFound
	require.Contains(t, pagetest.Show(t, Page(), by(api, "pm", "")), "orchestrator boundary install claude")
}

// TestDaysWithoutCallsAreThere: a line of steps would go on as the day before.
func TestDaysWithoutCallsAreThere(t *testing.T) {
	d := daysOf([]report.DayCount{{Day: "2026-11-24", Decisions: 4, Violations: 1},
		{Day: "2026-11-27", Decisions: 1, Violations: 2}})
	require.Equal(t, "Three violations on two days with judged calls; the most, two, on 27 November.", d.Says)
	var shown []string
	for _, row := range d.Rows {
		shown = append(shown, row.Day+" "+strconv.Itoa(row.Violations))
	}
	require.Equal(t, []string{"2026-11-27 2", "2026-11-26 0", "2026-11-25 0", "2026-11-24 1"}, shown)
	require.Len(t, daysOf([]report.DayCount{{Day: "2020-01-01"}, {Day: "2026-11-27"}}).Rows, mostDays)

	files := barsOf(report.Report{Files: []report.Count{{Name: "a", Count: 8}, {Name: "b", Count: 2}}})
	require.Equal(t, []string{"100.0", "25.0"}, []string{files[0].Rows[0].Width, files[0].Rows[1].Width})
}

// judged returns a page of the 120 judged calls: those of some numbers, the oldest first.
func judged(from, to int) string {
	all := make([]string, 0, to-from)
	for n := from; n < to; n++ {
		all = append(all, `{"id":"call-`+strconv.Itoa(n)+`","decision":"warn","files":["a.go"],"label":"false-positive"}`)
	}
	return `{"total":120,"decisions":[` + strings.Join(all, ",") + `]}`
}

// TestCallsAreShownNewestFirst: in pages that lead to one another, though the API lists the oldest first.
func TestCallsAreShownNewestFirst(t *testing.T) {
	api := &pagetest.API{Answers: map[string]string{
		decisions + "?limit=1":                          judged(0, 1),
		decisions + "?limit=1&violations=true":          judged(0, 1),
		decisions + "?from=70&limit=50&violations=true": judged(70, 120),
		decisions + "?from=0&limit=20":                  judged(0, 20),
	}}
	first, err := callsOf(by(api, "pm", "?violations=true"))
	require.NoError(t, err)
	require.Len(t, first.Rows, onPage)
	require.Equal(t, []any{"call-119", 1, 50, "", "/ui/boundary/report?before=70&violations=true#calls"},
		[]any{first.Rows[0].ID, first.First, first.Last, first.Newest, first.Older})
	require.Equal(t, "a false positive", first.Rows[0].Person)

	last, err := callsOf(by(api, "pm", "?before=20"))
	require.NoError(t, err)
	require.Equal(t, []any{"call-19", "call-0", 101, 120, "/ui/boundary/report#calls", ""},
		[]any{last.Rows[0].ID, last.Rows[19].ID, last.First, last.Last, last.Newest, last.Older})
	none, err := callsOf(by(api, "pm", "?before=-3"))
	require.NoError(t, err)
	require.Empty(t, none.Rows)
}

// TestASwitchStandsBelowWhatSpeaksAgainstIt: to enforce and to confirm has an override and to off has none; what is
// refused comes back as it was typed.
//
// Verifies: ORC-338
func TestASwitchStandsBelowWhatSpeaksAgainstIt(t *testing.T) {
	api := answering(t)
	v := by(api, "pm", "")
	got := pagetest.Show(t, Page(), v)
	against, button := "days in validate: 9.0, wanted &gt;= 14</li>", "Enforce the boundary</button>"
	require.Contains(t, got, against)
	require.Less(t, strings.Index(got, against), strings.Index(got, button))
	require.Contains(t, got, `id="override-confirm"`)
	require.NotContains(t, got, `id="override-off"`)
	require.NotContains(t, got, `value="validate"`, "it is in validate")

	api.Answers[modes], api.Status[modes] = pagetest.Recorded(t, "refused"), http.StatusConflict
	v.Form = url.Values{"act": {"mode"}, "mode": {"enforce"}, "reason": {" it is time "}}
	_, err := act(v)
	require.ErrorAs(t, err, &v.Refused)
	require.JSONEq(t, `{"mode":"enforce","reason":"it is time"}`, api.Bodies[len(api.Bodies)-1])
	got = pagetest.Show(t, Page(), v)
	require.Contains(t, got, "it is time </textarea>")
	require.Contains(t, got, "The boundary is not ready")

	api.Answers["POST /boundary/attestations"] = "{}"
	v.Form = url.Values{"act": {"attest"}, "item": {"documents"}, "note": {"they are"}}
	_, err = act(v)
	require.NoError(t, err)
	require.JSONEq(t, `{"item":"documents","note":"they are"}`, api.Bodies[len(api.Bodies)-1])
}
