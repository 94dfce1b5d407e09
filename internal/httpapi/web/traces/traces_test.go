package traces

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/pagetest"
)

const (
	newest  = "GET /obligations"
	waiting = "GET /obligations?limit=50&waiting=true"
	none    = `{"runs":[],"next":null}`
)

// runs returns a page of recorded runs: one whose question waits, whose text is hostile, one that was met, and one that
// is under way.
func runs(t *testing.T, names ...string) string {
	t.Helper()
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, pagetest.Recorded(t, name))
	}
	return `{"runs":[` + strings.Join(all, ",") + `],"next":"/obligations?before=1&limit=50"}`
}

// by returns a visit of somebody to the page of all runs, or to that of one.
func by(api *pagetest.API, name, role, id string) *page.Visit {
	v := api.Visit(role, "/traces")
	v.Who.Name, v.ID, v.Form = name, id, url.Values{}
	return v
}

// TestTheOpeningSaysWhoMustAnswer: the question is for who asked and for a pm, and for others it is somebody else's.
//
// Verifies: ORC-338
func TestTheOpeningSaysWhoMustAnswer(t *testing.T) {
	api := &pagetest.API{Answers: map[string]string{
		newest: runs(t, "waits", "met", "goes"), waiting: runs(t, "waits"),
	}}
	shown := pagetest.Show(t, Page(), by(api, "tess", "tester", ""))
	require.Contains(t, shown, "<h1>One question waits for you. One run is under way.</h1>")
	require.Contains(t, shown, "Three runs in all: one was resolved and one waits for an answer.")
	require.Contains(t, shown, `type="radio" name="value" value="&#34;low&#34;"`)
	require.Contains(t, shown, "&lt;b&gt;which&lt;/b&gt; floor?")
	require.NotContains(t, shown, "<b>which</b>")
	require.Contains(t, shown, `href="/ui/traces?before=1"`)
	require.Equal(t, 1, Waiting(by(api, "tess", "tester", "").API))

	api.Answers[waiting] = none
	shown = pagetest.Show(t, Page(), by(api, "cora", "coder", ""))
	require.Contains(t, shown, "Nothing is asked of you. One question waits for others.")
	require.NotContains(t, shown, "Answer run 3")
	require.Contains(t, shown, "tess</bdi>, tester, or any PM answers")

	api.Answers[newest] = none
	require.Contains(t, pagetest.Show(t, Page(), by(api, "cora", "coder", "")), "Nothing was conducted yet.")
}

// TestValuesGoAsTheSchemaAsks: a number is a number, and a text is a text even where it looks like one.
func TestValuesGoAsTheSchemaAsks(t *testing.T) {
	for _, c := range []struct{ schema, typed, want string }{
		{`{"type":"integer"}`, " 12 ", "12"},
		{`{"type":"integer"}`, "many", `"many"`},
		{`{"type":"string"}`, "12", `"12"`},
		{`{"enum":["a",2]}`, `"a"`, `"a"`},
		{`{"type":"array"}`, `["x"]`, `["x"]`},
		{"", "free", `"free"`},
		{"", "true", "true"},
	} {
		require.Equal(t, c.want, string(valueOf(jsontext.Value(c.schema), c.typed)), "%v", c)
	}
	require.Equal(t, field{Kind: "number", Hint: "A whole number from 0 to 5."},
		fieldOf(jsontext.Value(`{"type":"integer","minimum":0,"maximum":5}`), ""))
	require.Equal(t, "line", fieldOf(jsontext.Value(`{"type":"string","maxLength":20}`), "").Kind)
	require.Equal(t, "text", fieldOf(jsontext.Value(`{"type":"string"}`), "").Kind)
	require.Equal(t, []choice{{"true", "Yes", false}, {"false", "No", true}},
		fieldOf(jsontext.Value(`{"type":"boolean"}`), "false").Choices)
}

// TestADutyIsSaidInWords, with what is in it.
func TestADutyIsSaidInWords(t *testing.T) {
	for _, c := range []struct{ payload, want string }{
		{`{"kind":"garage.occupancy","floor":2,"by_day":true}`, "by day true, floor 2"},
		{`{"kind":"requirement.status","id":"A","justification":{"reason":"no <date>","evidence":[]}}`,
			"id A, because no <date>"},
		{`{"filters":{"status":"blocked","older":"7d"}}`, "filters (older 7d, status blocked)"},
		{`{"obligations":[{"type":"REPORT","payload":{"kind":"a","n":1}},{"type":"VERIFY","payload":{}}]}`,
			"obligations REPORT(a) n 1; VERIFY"},
	} {
		d := duty{Type: "REPORT"}
		require.NoError(t, json.Unmarshal([]byte(c.payload), &d.Payload))
		require.Equal(t, c.want, d.Says(), c.payload)
	}
	ada := caller{Name: "ada"}
	require.Equal(t, "every day, for ada; never yet", schedule{Every: 86_400_000, By: ada}.Says())
	require.Equal(t, "once, for ada; it was due once, one missed", schedule{Runs: 1, Missed: 1, By: ada}.Says())
}

// TestAnAnswerThatIsRefusedComesBack with what was typed, and the reason above the button.
//
// Verifies: ORC-338
func TestAnAnswerThatIsRefusedComesBack(t *testing.T) {
	const path = "POST /obligations/0000000000000003/answers"
	api := &pagetest.API{
		Answers: map[string]string{
			newest: runs(t, "waits"), waiting: runs(t, "waits"),
			"GET /obligations/0000000000000003": pagetest.Recorded(t, "waits"),
			path:                                `{"status":422,"code":"answer_unfit","detail":"it does not fit"}`,
		},
		Status: map[string]int{path: http.StatusUnprocessableEntity},
	}
	v := by(api, "tess", "tester", "")
	v.Form = url.Values{"act": {"answer"}, "run": {"0000000000000003"}, "question": {"o1.1"}, "slot": {"floor"},
		"value": {`"low"`}}
	_, err := Page().Act(v)
	require.ErrorAs(t, err, &v.Refused)
	require.JSONEq(t, `{"obligation":"o1.1","slot":"floor","value":"low"}`, api.Bodies[len(api.Bodies)-1])

	shown := pagetest.Show(t, Page(), v)
	require.Contains(t, shown, `value="&#34;low&#34;" required checked`)
	require.Less(t, strings.Index(shown, "It does not fit"), strings.Index(shown, "Answer run 3"))

	api.Answers[waiting] = none
	require.Contains(t, pagetest.Show(t, Page(), v), "It does not fit", "the question was answered meanwhile")

	api.Answers[path], api.Status = `{"id":"0000000000000003","status":"resolved"}`, nil
	done, err := Page().Act(v)
	require.NoError(t, err)
	want := page.Outcome{Said: "You answered run 3: it was resolved.", To: "/ui/traces/0000000000000003"}
	require.Equal(t, want, done)
}

// TestTheTreeSaysWhyEachToolWasTaken: each candidate with its runs and conditions below it, and what a plan did.
//
// Verifies: ORC-338
func TestTheTreeSaysWhyEachToolWasTaken(t *testing.T) {
	api := &pagetest.API{Answers: map[string]string{
		"GET /obligations/0000000000000002": pagetest.Recorded(t, "met"),
		"GET /traces/0000000000000002":      pagetest.Recorded(t, "trace"),
	}}
	shown := pagetest.Show(t, RunPage(), by(api, "paula", "pm", "0000000000000002"))
	require.Contains(t, shown, "<h1>Run 2 was resolved.</h1>")
	require.Contains(t, shown, "one obligation; two runs of tools.")
	at := 0
	for _, part := range []string{
		"nothing confirms it", "a.first", "o1/1", "does not hold: it is false", "b.second", "done, after 1.5 s",
		"c.third",
		"passed over: missing input: y", "asks for no confirmation", "o1.1", "cut off: a budget was used up",
	} {
		next := strings.Index(shown[at:], part)
		require.GreaterOrEqual(t, next, 0, "%s does not come after the parts before it", part)
		at += next
	}

	api.Answers = map[string]string{"GET /obligations/0000000000000001": pagetest.Recorded(t, "goes")}
	shown = pagetest.Show(t, RunPage(), by(api, "paula", "pm", "0000000000000001"))
	require.Contains(t, shown, "<h1>Run 1 is under way.</h1>")
	require.Contains(t, shown, "ACHIEVE(requirement.test)")
}

// TestOnlyWhoMayAnswerHasTheForm: who asked in another role has none, and a pm has.
func TestOnlyWhoMayAnswerHasTheForm(t *testing.T) {
	api := &pagetest.API{Answers: map[string]string{
		"GET /obligations/0000000000000003": pagetest.Recorded(t, "waits"),
		"GET /traces/0000000000000003":      `{"status":"clarify"}`,
	}}
	for who, may := range map[[2]string]bool{
		{"tess", "tester"}: true, {"paula", "pm"}: true, {"tess", "coder"}: false, {"vera", "viewer"}: false,
	} {
		shown := pagetest.Show(t, RunPage(), by(api, who[0], who[1], "0000000000000003"))
		require.Equal(t, may, strings.Contains(shown, "Answer run 3"), "%v", who)
	}
}

// TestAskingAsAViewerShowsTheAnswer, for its run is not kept; others are led to the run.
func TestAskingAsAViewerShowsTheAnswer(t *testing.T) {
	api := &pagetest.API{Answers: map[string]string{
		"POST /requests": `{"id":"0000000000000009","status":"resolved","answers":[{"text":"2+2 = 4"}]}`,
	}}
	v := by(api, "vera", "viewer", "")
	v.Form = url.Values{"act": {"ask"}, "utterance": {" what is 2+2 "}, "key": {"K"}}
	done, err := Page().Act(v)
	require.NoError(t, err)
	require.Equal(t, page.Outcome{Tried: true, Said: "2+2 = 4"}, done)
	require.JSONEq(t, `{"utterance":"what is 2+2","idempotency_key":"K"}`, api.Bodies[0])

	v.Who.Role = "coder"
	done, err = Page().Act(v)
	require.NoError(t, err)
	require.Equal(t, "/ui/traces/0000000000000009", done.To)

	v.Form.Set("act", "other")
	_, err = Page().Act(v)
	require.ErrorContains(t, err, "does not say what to do")
	require.ErrorAs(t, err, new(*ask.Refusal))
}
