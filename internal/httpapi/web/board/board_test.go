package board_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/board"
	"orchestrator/internal/httpapi/web/pagetest"
)

const (
	counts   = `{"counts":{"total":40,"by_status":{"done":3,"planned":36,"blocked":1},"done":3}}`
	progress = `{"in_status":[{"status":"planned","limit_seconds":172800},
{"status":"not_started","stays":4}],
"stuck":[{"id":"PG-016","since":"2026-11-10T14:50:00Z","why":"The network has no date yet."}],"stuck_total":4}`
	byAge = "?limit=12&order=desc&sort=age&"
)

// of returns an API that answers with lists.
func of(lists map[string]string) *pagetest.API {
	api := &pagetest.API{Answers: map[string]string{"GET /next": counts, "GET /project/progress": progress,
		"GET /requirements": `{"total":0,"requirements":[],"next":null}`}}
	for query, list := range lists {
		api.Answers["GET /requirements"+query] = list
	}
	return api
}

func one(id, title, status, since, more string) string {
	return `{"id":"` + id + `","title":"` + title + `","status":"` + status + `","since":"` + since + `"` + more + `}`
}

// Verifies: ORC-336
func TestTheColumnsHaveTheOldestOfEachStatus(t *testing.T) {
	api := of(map[string]string{
		byAge + "status=planned": `{"total":36,"requirements":[` +
			one(
				"PG-027",
				"A <b>charging</b> space",
				"planned",
				"2026-10-20T14:50:00Z",
				"",
			) + `],"next":"/requirements?after=x"}`,
		byAge + "status=blocked": `{"total":1,"requirements":[` +
			one("PG-016", "The attendant opens", "blocked", "2026-11-10T14:50:00Z", "") + `],"next":null}`,
	})
	html := pagetest.Show(t, board.Page(), api.Visit("pm", "/requirements"))
	require.Contains(t, html, `<a href="/ui/requirements?stuck=true">Four are stuck</a>; the oldest, `+
		`<a href="/ui/requirements/PG-016">PG-016</a>, for twelve days.`)
	require.Contains(t, html, `Three of 40 are done.`)
	require.Contains(t, html, `A &lt;b&gt;charging&lt;/b&gt; space`)
	require.Contains(t, html, `<a href="/ui/requirements?status=planned">35 more</a>`)
	require.Contains(t, html, `The network has no date yet.`)
	require.Contains(t, html, `<time class="age long" datetime="2026-10-20T14:50:00Z">33 d</time>`)
	for _, asked := range api.Asked {
		require.NotContains(t, asked, "status=tested_pass", "it has none, and is not asked for")
	}
}

// Verifies: ORC-336
func TestWhatIsDoneAndStaleComesFirstThenTheNewest(t *testing.T) {
	api := of(map[string]string{
		"?limit=12&order=desc&sort=age&stale=true&status=done": `{"total":1,"requirements":[` +
			one("PG-002", "Full", "done", "2026-10-23T14:50:00Z", `,"stale":true`) + `],"next":null}`,
		"?limit=12&order=asc&sort=age&stale=false&status=done": `{"total":2,"requirements":[` +
			one("PG-009", "New", "done", "2026-11-22T14:00:00Z", "") + "," +
			one("PG-001", "Old", "done", "2026-10-01T14:50:00Z", "") + `],"next":null}`,
	})
	html := pagetest.Show(t, board.Page(), api.Visit("pm", "/requirements"))
	stale, newest, oldest := strings.Index(html, "PG-002"), strings.Index(html, "PG-009"), strings.Index(html, "PG-001")
	require.True(t, 0 < stale && stale < newest && newest < oldest, "%d %d %d", stale, newest, oldest)
	require.Contains(t, html, "</svg> stale")
}

// Verifies: ORC-336
func TestStuckIsWhatIsStoppedOrWaitsTwiceAsLongAsOthers(t *testing.T) {
	api := of(nil)
	html := pagetest.Show(t, board.Page(), api.Visit("pm", "/requirements?stuck=true&waiting_for=coder&q=gate"))
	require.Contains(t, api.Asked, "GET /requirements?limit=12&older_than=48h0m1s&order=desc&q=gate&retired=false"+
		"&sort=age&status=planned&waiting_for=coder")
	require.Contains(t, api.Asked, "GET /requirements?limit=12&order=desc&q=gate&retired=false&sort=age&status=blocked"+
		"&waiting_for=coder")
	for _, asked := range api.Asked {
		require.NotContains(t, asked, "status=done", "nothing that is done is stuck")
	}
	require.Contains(t, html, "None of 40 requirements is stuck, waiting for the coder and found by “gate”.")
	require.Contains(t, html, `value="gate"`)
	require.Contains(t, html, `<option value="coder" selected>The coder</option>`)
}

// Verifies: ORC-336
func TestAListSaysWhichOfAllItShows(t *testing.T) {
	rows := strings.TrimSuffix(strings.Repeat(one("PG-1", "T", "planned", "2026-11-01T00:00:00Z", "")+",", 100), ",")
	api := of(map[string]string{
		"?after=C1&limit=100&order=desc&sort=age&status=planned&suspect=true": `{"total":10000,` +
			`"requirements":[` + rows + `],"next":"/requirements?after=C2&limit=100"}`,
	})
	html := pagetest.Show(t, board.Page(),
		api.Visit("pm", "/requirements?status=planned&suspect=true&after=C1&before=100"))
	require.Contains(t, html, "101-200 of 10,000")
	require.Contains(
		t,
		html,
		`<a href="/ui/requirements?after=C2&amp;before=200&amp;status=planned&amp;suspect=true" rel="next">Next</a>`,
	)
	require.Contains(t, html, `<a href="/ui/requirements?status=planned&amp;suspect=true">First</a>`)
	require.Contains(t, html, "10,000 of 40 requirements are planned and suspect.")
}

// Verifies: ORC-336
func TestWithoutRequirementsTheBoardSaysHowToBegin(t *testing.T) {
	api := &pagetest.API{Answers: map[string]string{"GET /next": `{"counts":{"total":0,"by_status":{}}}`}}
	html := pagetest.Show(t, board.Page(), api.Visit("pm", "/requirements"))
	require.Contains(t, html, "There are no requirements yet.")
	require.Contains(t, html, `<a href="/ui/project/import">import it</a>`)
	require.NotContains(t, html, "<form class=\"filter\"")
}

// Verifies: ORC-336
func TestWhatIsStuckIsNotMadeUp(t *testing.T) {
	api := of(nil)
	delete(api.Answers, "GET /project/progress")
	html := pagetest.Show(t, board.Page(), api.Visit("pm", "/requirements"))
	require.NotContains(t, html, "stuck.", "nothing answered what is")
	require.Contains(t, html, ">Three of 40 are done.</h1>")
}
