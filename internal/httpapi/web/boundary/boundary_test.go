package boundary

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
)

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

const (
	ready = `{"ready":false,"ready_to_confirm":false,"mode":"validate","since":"2026-11-19T12:00:00Z","by":"paula","reason":"to <see>",
"checks":[{"name":"tool uses","value":"48","threshold":">= 50","passed":true},
{"name":"days in validate","value":"9.0","threshold":">= 14","passed":false,"fix":"keep working"},
{"name":"documents updated","value":"not attested","threshold":"attested","passed":false,"fix":"attest"}],
"flags":[{"name":"misidentified","value":"16 %","limit":"> 5 %","raised":true,"advice":"do not enforce"},{"name":"user confusion","value":"0","limit":"> 25 %","raised":false}],
"figures":{"tool_uses":48,"labelled":6,"false_positives":1},"reviews":[]}`
	counted = `{"decisions":5,"violations":3,"sessions":[{"client":"claude","session":"noon","decisions":4,"violations":2},{"client":"claude","session":"night","decisions":1,"violations":1}],
"files":[{"name":"<b>.go","count":3}],"tools":[],"rules":[],
"days":[{"day":"2026-11-24","decisions":4,"violations":1},{"day":"2026-11-27","decisions":1,"violations":2}],"bypasses":{"count":1,"of":4,"rate":0.25},"errors":{"count":0,"of":0,"rate":0}}`
)

// api answers as the service does, with so many judged calls.
type api struct {
	ready string
	total int
	sent  []string
	fails string // the body with which what is sent is refused
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodGet:
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		a.sent = append(a.sent, r.Method+" "+r.URL.Path+" "+string(body))
		if a.fails != "" {
			w.WriteHeader(http.StatusConflict)
		}
		_, _ = w.Write([]byte(cmp.Or(a.fails, "{}")))
	case a.ready == "":
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"status":404,"code":"no_boundary","detail":"the project has no boundary"}`))
	case r.URL.Path == "/boundary/readiness":
		_, _ = w.Write([]byte(a.ready))
	case r.URL.Path == "/boundary/report":
		_, _ = w.Write([]byte(counted))
	default:
		from, _ := strconv.Atoi(r.URL.Query().Get("from"))
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		var all []string
		for n := from; n < min(from+limit, a.total); n++ {
			all = append(
				all,
				`{"id":"call-`+strconv.Itoa(n)+`","at":"2026-11-28T10:00:00Z","client":"claude","session":"noon",`+
					`"actor":{"kind":"main"},"tool":"Edit","files":["a<i>.go"],"decision":"warn","rule":"main.writes","reason":"x","label":"false-positive"}`,
			)
		}
		_, _ = w.Write([]byte(`{"total":` + strconv.Itoa(a.total) + `,"decisions":[` + strings.Join(all, ",") + `]}`))
	}
}

func visit(a *api, role string, query url.Values) *page.Visit {
	return &page.Visit{API: ask.API{Handler: a, From: httptest.NewRequest(http.MethodGet, "/ui/boundary/report", nil)},
		Who: &session.Session{
			Name: "paula",
			Role: role,
		}, Query: query, Form: url.Values{}, Now: now, Path: "/boundary/report"}
}

func render(t *testing.T, v *page.Visit) string {
	t.Helper()
	view, err := Page().Show(v)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, Page().Template.Execute(&b, page.Frame{View: view, Who: v.Who, Now: now}))
	return b.String()
}

// TestTheOpeningSaysWhatIsMissing, what is missing comes before what is met, and what others wrote is text.
//
// Verifies: ORC-338
func TestTheOpeningSaysWhatIsMissing(t *testing.T) {
	got := render(t, visit(&api{ready: ready}, "viewer", nil))
	require.Contains(
		t,
		got,
		"<h1>Validate for nine days. Two of three conditions to enforce are missing. One red flag is raised.</h1>",
	)
	require.Contains(t, got, "Switched by paula: to &lt;see&gt;.")
	require.Less(t, strings.Index(got, "documents updated"), strings.Index(got, "tool uses: 48"))
	require.Contains(t, got, "&lt;b&gt;.go")
	require.NotContains(t, got, "<b>.go")
	require.Contains(t, got, "No call was judged yet.")
	require.NotContains(t, got, "<textarea", "a viewer switches nothing")
	require.Contains(t, got, "A PM can switch the mode, and attest.")

	enforced := strings.Replace(strings.Replace(ready, `"validate"`, `"enforce"`, 1), `"reviews":[]`,
		`"reviews":[{"name":"48h","why":"x","at":"2026-11-21T12:00:00Z","state":"due","look_at":["bypasses"]}]`, 1)
	require.Contains(
		t,
		render(t, visit(&api{ready: enforced}, "pm", nil)),
		"<h1>Enforce for nine days. One review is due.</h1>",
	)
	require.Contains(t, render(t, visit(&api{}, "pm", nil)), "orchestrator boundary install claude")
}

// TestDaysWithoutCallsAreThere: a line of steps would go on as the day before.
func TestDaysWithoutCallsAreThere(t *testing.T) {
	d := daysOf(
		[]report.DayCount{
			{Day: "2026-11-24", Decisions: 4, Violations: 1},
			{Day: "2026-11-27", Decisions: 1, Violations: 2},
		},
	)
	require.Equal(t, "Three violations on two days with judged calls; the most, two, on 27 November.", d.Says)
	var shown []string
	for _, row := range d.Rows {
		shown = append(shown, row.Day+" "+strconv.Itoa(row.Violations))
	}
	require.Equal(t, []string{"2026-11-27 2", "2026-11-26 0", "2026-11-25 0", "2026-11-24 1"}, shown)
	require.Len(t, daysOf([]report.DayCount{{Day: "2020-01-01"}, {Day: "2026-11-27"}}).Rows, mostDays)
	require.Equal(
		t,
		"100.0",
		barsOf(report.Report{Files: []report.Count{{Name: "a", Count: 8}, {Name: "b", Count: 2}}})[0].Rows[0].Width,
	)
}

// TestCallsAreShownNewestFirst: in pages that lead to one another, though the API lists the oldest first.
func TestCallsAreShownNewestFirst(t *testing.T) {
	a := &api{ready: ready, total: 120}
	first, err := callsOf(visit(a, "pm", url.Values{"violations": {"true"}}))
	require.NoError(t, err)
	require.Len(t, first.Rows, onPage)
	require.Equal(t, "call-119", first.Rows[0].ID)
	require.Equal(t, []any{1, 50, "", "/ui/boundary/report?before=70&violations=true#calls"},
		[]any{first.First, first.Last, first.Newest, first.Older})
	require.Equal(t, "a false positive", first.Rows[0].Person)

	last, err := callsOf(visit(a, "pm", url.Values{"before": {"20"}}))
	require.NoError(t, err)
	require.Equal(t, []any{"call-19", "call-0", 101, 120, ""},
		[]any{last.Rows[0].ID, last.Rows[19].ID, last.First, last.Last, last.Older})
	none, err := callsOf(visit(a, "pm", url.Values{"before": {"-3"}}))
	require.NoError(t, err)
	require.Empty(t, none.Rows)
}

// TestASwitchStandsBelowWhatSpeaksAgainstIt: to enforce and to confirm has an override and to off has none; what is
// refused comes back as it was typed.
//
// Verifies: ORC-338
func TestASwitchStandsBelowWhatSpeaksAgainstIt(t *testing.T) {
	a := &api{ready: ready}
	v := visit(a, "pm", nil)
	got := render(t, v)
	require.Less(
		t,
		strings.Index(got, "days in validate: 9.0, wanted &gt;= 14</li>"),
		strings.Index(got, "Enforce the boundary</button>"),
	)
	require.Contains(t, got, `id="override-confirm"`)
	require.NotContains(t, got, `id="override-off"`)
	require.NotContains(t, got, `value="validate"`, "it is in validate")

	a.fails = `{"status":409,"code":"boundary_not_ready","detail":"the boundary is not ready"}`
	v.Form = url.Values{"act": {"mode"}, "mode": {"enforce"}, "reason": {" it is time "}}
	_, err := act(v)
	var refused *ask.Refusal
	require.ErrorAs(t, err, &refused)
	require.Equal(t, []string{`PUT /boundary/mode {"mode":"enforce","reason":"it is time"}`}, a.sent)
	v.Refused = refused
	got = render(t, v)
	require.Contains(t, got, "it is time </textarea>")
	require.Contains(t, got, "The boundary is not ready")

	a.fails = ""
	v.Form = url.Values{"act": {"attest"}, "item": {"documents"}, "note": {"they are"}}
	_, err = act(v)
	require.NoError(t, err)
	require.Equal(t, `POST /boundary/attestations {"item":"documents","note":"they are"}`, a.sent[1])
}
