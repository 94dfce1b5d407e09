package waits_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/pagetest"
	"orchestrator/internal/httpapi/web/waits"
)

// row is a requirement in an answer of GET /requirements, which came into its status some hours ago.
func row(id, status string, hours int) string {
	since := pagetest.Now.Add(-time.Duration(hours) * time.Hour).Format(time.RFC3339)
	return fmt.Sprintf(`{"id":%[1]q,"title":"The title of %[1]s","status":%q,"since":%q,"waiting_for":["pm"]}`,
		id, status, since)
}

func list(rows ...string) string {
	return fmt.Sprintf(`{"total":%d,"as_of":9,"requirements":[%s]}`, len(rows), strings.Join(rows, ","))
}

func query(role, status string) string {
	q := "GET /requirements?limit=36&order=desc&sort=age&"
	if status != "" {
		q += "status=" + status + "&"
	}
	return q + "waiting_for=" + role
}

// project is an API whose requirements wait for the pm, but for one.
func project() *pagetest.API {
	answers := map[string]string{
		"GET /next": `{"as_of":9,"total":3,"counts":{"total":5,"by_status":{"done":1,"tested_pass":2,"blocked":1,
			"implementation_in_progress":1}},"waiting":[{"for":"pm","count":3},{"for":"coder","count":1,
		"oldest":"2026-11-20T12:00:00Z"}]}`,
		"GET /project/progress": `{"in_status":[{"status":"tested_pass","limit_seconds":7200}],"stuck_total":1,
			"stuck":[{"id":"B","title":"The title of B","status":"blocked","since":"2026-11-10T12:00:00Z",
		"why":"No date <yet>.","by":"pm"}]}`,
		"GET /requirements":        list(),
		query("pm", "tested_pass"): list(row("A", "tested_pass", 49), row("C", "tested_pass", 1)),
		query("pm", "blocked"):     list(row("B", "blocked", 288)),
		query("pm", ""): list(row("B", "blocked", 288), row("A", "tested_pass", 49),
			row("C", "tested_pass", 1)),
		query("coder", "implementation_in_progress"): list(row("D", "implementation_in_progress", 192)),
		query("coder", ""):                           list(row("D", "implementation_in_progress", 192)),
		"GET /requirements/A/next": `{"id":"A","status":"tested_pass","actor":{"name":"paula","role":"pm"},
			"moves":[{"to":"done","lacks":[{"gate":"approval","detail":"there is no approval","by":"pm"}]}]}`,
		"GET /requirements/C/next": `{"id":"C","status":"tested_pass","actor":{"name":"paula","role":"pm"},
			"moves":[{"to":"done","lacks":[{"gate":"test_evidence_holds","detail":"/test/evidence/0: r.xml changed",
		"by":"tester"}]}]}`,
		"GET /requirements/B/next": `{"id":"B","status":"blocked","actor":{"name":"paula","role":"pm"},"against_done":[
			{"gate":"dead_end","detail":"nothing leads on","by":"pm"}]}`,
		"GET /requirements/D/next": `{"id":"D","status":"implementation_in_progress","actor":{"name":"paula",
		"role":"pm"},
			"fields":[{"field":"implementation","due":true}]}`,
	}
	return &pagetest.API{Answers: answers}
}

// Verifies: ORC-333
func TestWhatWaitsIsGroupedAndSaid(t *testing.T) {
	html := pagetest.Show(t, waits.Page(), project().Visit("pm", "/"))
	require.Contains(t, html, `<h1>Three wait for you, the oldest for <a href="/ui/requirements/B">twelve days</a>. `+
		`<a href="/ui/requirements/A">One can be signed now</a>.</h1>`)
	require.Contains(t, html, "One of five is done. One is stuck.")
	sign, rest, found := strings.Cut(html, `<h2 class="margin">Decide <span class="n">1</span>`)
	require.True(t, found)
	require.Contains(t, sign, `<h2 class="margin">Sign off <span class="n">2</span>`)
	require.Less(t, strings.Index(sign, "The title of A"), strings.Index(sign, "The title of C"),
		"the longest wait comes first")
	require.Contains(t, sign, "lacks only your approval")
	require.Contains(t, sign, "lacks: r.xml changed", "the pointer is for programs")
	require.NotContains(t, rest, "Put aside", "each requirement stands in one group")
	require.Contains(t, html, "No date &lt;yet&gt;.")
	require.Contains(t, html, `<a href="/ui/?role=coder">coder</a> <b>1</b>`)
	require.Contains(t, html, `<time class="age long" datetime="2026-11-20T13:50:00Z">2 d</time>`,
		"longer than the limit")
	require.Contains(t, html, `<time class="age" datetime="2026-11-22T13:50:00Z">1 h</time>`)
}

// A row says what stands against the requirement, or else its next step on the way to done.
//
// Verifies: ORC-333
func TestARowSaysWhatIsToBeDone(t *testing.T) {
	api := project()
	require.Contains(t, pagetest.Show(t, waits.Page(), api.Visit("pm", "/")), "nothing leads on")
	api.Answers["GET /requirements/B/next"] = `{"id":"B","status":"blocked","actor":{"name":"paula","role":"pm"},
		"moves":[{"to":"deferred","lacks":[]},{"to":"planned","leads_to_done":true,"lacks":[]}]}`
	html := pagetest.Show(t, waits.Page(), api.Visit("pm", "/"))
	require.Contains(t, html, "can be moved to planned")
	require.NotContains(t, html, "can be moved to deferred")
	require.NotContains(t, html, `<a href="/ui/?role=pm">`, "the side names the queues of others")
}

// Statuses that ask for the same stand in one group, which counts what it does not show.
//
// Verifies: ORC-333
func TestAGroupIsOneAndSaysHowManyMoreThereAre(t *testing.T) {
	api := project()
	var many []string
	for i := range 20 {
		id := fmt.Sprintf("F-%02d", i)
		many = append(many, row(id, "tested_fail", 100-i))
		api.Answers["GET /requirements/"+id+"/next"] = `{"moves":[]}`
	}
	api.Answers[query("pm", "tested_fail")] = list(many...)
	html := pagetest.Show(t, waits.Page(), api.Visit("pm", "/"))
	require.Equal(t, 1, strings.Count(html, `<h2 class="margin">Decide <span class="n">21</span></h2>`))
	require.Contains(t, html, `<a href="/ui/requirements?status=tested_fail&amp;waiting_for=pm">8 more</a>`)
	require.Contains(t, html, "F-11")
	require.NotContains(t, html, "F-12")
	decide, _, _ := strings.Cut(html, "F-00")
	require.Contains(t, decide, `data-id="B"`, "the longest wait comes first")
}

func TestTheQueueOfAnotherRoleIsShown(t *testing.T) {
	html := pagetest.Show(t, waits.Page(), project().Visit("pm", "/?role=coder"))
	require.Contains(t, html, "One waits for the coder, the oldest for")
	require.Contains(t, html, "lacks the implementation")
	require.NotContains(t, html, "can be signed now")
}

func TestAViewerIsToldWhatIsStuck(t *testing.T) {
	html := pagetest.Show(t, waits.Page(), project().Visit("viewer", "/"))
	require.Contains(t, html, `<h1>One is stuck; the oldest, <a href="/ui/requirements/B">B</a>, for twelve days.</h1>`)
	require.NotContains(t, html, "waits for you.")
}

func TestEmptyPagesSayWhatToDo(t *testing.T) {
	api := project()
	api.Answers["GET /next"] = `{"counts":{"total":0,"by_status":{}},"waiting":[]}`
	require.Contains(t, pagetest.Show(t, waits.Page(), api.Visit("pm", "/")), "<h1>There are no requirements yet.</h1>")
	api.Answers["GET /next"] = `{"counts":{"total":1,"by_status":{"done":1}},"waiting":[{"for":"tester","count":1}]}`
	html := pagetest.Show(t, waits.Page(), api.Visit("architect", "/"))
	require.Contains(t, html,
		`<h1>Nothing waits for you. One waits for <a href="/ui/?role=tester">the tester</a>.</h1>`)
	require.Contains(t, html, `<a href="/ui/audit?actor=paula">what you did last</a>`)
}
