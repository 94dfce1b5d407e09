package traces

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
)

// fake answers as the API does, from what is written down by path and query.
type fake struct {
	answers map[string]string
	sent    []string // path and body of what is not read
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if r.Method != http.MethodGet {
		body := make([]byte, max(0, r.ContentLength))
		_, _ = r.Body.Read(body)
		f.sent = append(f.sent, path+" "+string(body))
		path = "POST " + path
	} else if r.URL.Query().Get("waiting") != "" {
		path += "?waiting"
	}
	answer, found := f.answers[path]
	if !found {
		w.WriteHeader(http.StatusNotFound)
		answer = `{"type":"/problems/unknown_run","title":"Not Found","status":404,"detail":"there is no run","code":"unknown_run"}`
	}
	if refused, status := strings.CutPrefix(answer, "422 "); status {
		w.WriteHeader(http.StatusUnprocessableEntity)
		answer = refused
	}
	_, _ = w.Write([]byte(answer))
}

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func visit(f *fake, name, role string) *page.Visit {
	return &page.Visit{
		API:   ask.API{Handler: f, From: httptest.NewRequest(http.MethodGet, "/ui/traces", nil)},
		Who:   &session.Session{Name: name, Role: role},
		Query: url.Values{}, Form: url.Values{}, Now: now,
	}
}

func render(t *testing.T, p page.Page, v *page.Visit) string {
	t.Helper()
	view, err := p.Show(v)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, p.Template.Execute(&b, page.Frame{View: view, Who: v.Who, Now: now}))
	return b.String()
}

// A run whose question waits, whose text is hostile, one that was met, and one that is under way.
const (
	waitsRun = `{"id":"0000000000000003","number":3,"caller":{"name":"tess","role":"tester"},"ended":true,"obligations":[
{"id":"o1","status":"active","obligation":{"type":"REPORT","payload":{"kind":"garage.occupancy"}},"why":"it needs floor",
"questions":[{"id":"o1.1","slot":"floor","question":"<b>which</b> floor?","schema":{"enum":["low","high"]},"status":"waiting",
"asked":"2026-11-28T10:00:00Z","expires":"2026-11-29T10:00:00Z"}]},
{"id":"o1.1","status":"escalated","obligation":{"type":"CLARIFY","payload":{}}}]}`
	metRun = `{"id":"0000000000000002","number":2,"caller":{"name":"cora","role":"coder"},"ended":true,"obligations":[
{"id":"o1","status":"resolved","obligation":{"type":"REPORT","payload":{"kind":"query.math","expr":"1+1"}}},
{"id":"o1.1","status":"failed","obligation":{"type":"JUSTIFY","payload":{}}}]}`
	goesRun = `{"id":"0000000000000001","number":1,"caller":{"name":"cora","role":"coder"},"ended":false,"obligations":[
{"id":"o1","status":"active","obligation":{"type":"ACHIEVE","payload":{"kind":"requirement.test","id":"PG-1"}}}]}`
	none = `{"runs":[],"next":null}`
)

func runs(all ...string) string {
	return `{"runs":[` + strings.Join(all, ",") + `],"next":"/obligations?before=1&limit=50"}`
}

// TestTheOpeningSaysWhoMustAnswer: the question is for who asked and for a pm, and for others it is somebody else's.
//
// Verifies: ORC-338
func TestTheOpeningSaysWhoMustAnswer(t *testing.T) {
	f := &fake{
		answers: map[string]string{
			"/obligations":         runs(waitsRun, metRun, goesRun),
			"/obligations?waiting": runs(waitsRun),
		},
	}
	shown := render(t, Page(), visit(f, "tess", "tester"))
	require.Contains(t, shown, "<h1>One question waits for you. One run is under way.</h1>")
	require.Contains(t, shown, "Three runs in all: one was resolved and one waits for an answer.")
	require.Contains(t, shown, `type="radio" name="value" value="&#34;low&#34;"`)
	require.Contains(t, shown, "&lt;b&gt;which&lt;/b&gt; floor?")
	require.NotContains(t, shown, "<b>which</b>")
	require.Contains(t, shown, `href="/ui/traces?before=1"`)

	f.answers["/obligations?waiting"] = none
	shown = render(t, Page(), visit(f, "cora", "coder"))
	require.Contains(t, shown, "Nothing is asked of you. One question waits for others.")
	require.NotContains(t, shown, "Answer run 3")
	require.Contains(t, shown, "tess</bdi>, tester, or a PM answers")

	f.answers["/obligations"] = none
	require.Contains(t, render(t, Page(), visit(f, "cora", "coder")), "Nothing was conducted yet.")
}

// TestAnAnswerIsSentAsItsSchemaAsks: a number is a number, a text is a text even where it looks like one, and what is
// refused comes back with what was typed.
//
// Verifies: ORC-338
func TestAnAnswerIsSentAsItsSchemaAsks(t *testing.T) {
	for typed, want := range map[[2]string]string{
		{`{"type":"integer"}`, " 12 "}: "12", {`{"type":"string"}`, "12"}: `"12"`, {`{"type":"integer"}`, "many"}: `"many"`,
		{`{"enum":["a",2]}`, `"a"`}: `"a"`, {`{"type":"array"}`, `["x"]`}: `["x"]`, {``, "free"}: `"free"`, {``, "true"}: "true",
	} {
		require.Equal(t, want, string(valueOf(jsontext.Value(typed[0]), typed[1])), "%v", typed)
	}
	f := &fake{answers: map[string]string{
		"/obligations": runs(
			waitsRun,
		), "/obligations?waiting": runs(waitsRun), "/obligations/0000000000000003": waitsRun,
		"POST /obligations/0000000000000003/answers": `422 {"type":"/problems/answer_unfit","title":"x","status":422,` +
			`"detail":"the answer does not fit","code":"answer_unfit"}`,
	}}
	v := visit(f, "tess", "tester")
	v.Form = url.Values{
		"act":      {"answer"},
		"run":      {"0000000000000003"},
		"question": {"o1.1"},
		"slot":     {"floor"},
		"value":    {`"low"`},
	}
	_, err := Page().Act(v)
	var refused *ask.Refusal
	require.ErrorAs(t, err, &refused)
	require.Equal(
		t,
		[]string{`/obligations/0000000000000003/answers {"obligation":"o1.1","slot":"floor","value":"low"}`},
		f.sent,
	)

	v.Refused = refused
	shown := render(t, Page(), v)
	require.Contains(t, shown, `value="&#34;low&#34;" required checked`)
	require.Less(t, strings.Index(shown, "The answer does not fit"), strings.Index(shown, "Answer run 3"))

	f.answers["POST /obligations/0000000000000003/answers"] = `{"id":"0000000000000003","status":"resolved"}`
	done, err := Page().Act(v)
	require.NoError(t, err)
	require.Equal(t, page.Outcome{Said: "You answered run 3: it was resolved.", To: "/ui/traces/0000000000000003"}, done)
}

// TestTheTreeSaysWhyEachToolWasTaken: each candidate with its runs and conditions below it, and what a plan did.
//
// Verifies: ORC-338
func TestTheTreeSaysWhyEachToolWasTaken(t *testing.T) {
	f := &fake{answers: map[string]string{"/obligations/0000000000000002": metRun, "/traces/0000000000000002": `{
"id":"0000000000000002","status":"resolved","tools":"sha256:0","answers":[{"obligation":"o1","text":"It is 2.","uncertain":true}],
"obligations":[{"id":"o1","status":"resolved","outcome":"resolved","obligation":{"type":"REPORT","payload":{"kind":"query.math"}},
"candidates":[{"tool":"a.first","taken":true,"reason":"the postcondition x does not hold"},{"tool":"b.second","taken":true,"reason":"succeeded"},
{"tool":"c.third","taken":false,"reason":"missing input: y"}],
"runs":[{"id":"o1/1","tool":"a.first","inputs":{},"status":"refused","duration_ms":0,"postconditions":[{"condition":"x","holds":false,"why":"it is false"}]},
{"id":"o1/2","tool":"b.second","inputs":{"n":1},"result":{"value":"2"},"status":"done","duration_ms":1500,"postconditions":[]}],
"steps":[{"id":"o1.1","status":"failed","outcome":"truncated","obligation":{"type":"VERIFY","payload":{}},"candidates":[],"runs":[],"emitted":[]}],
"verification":{"by":"nothing","verified":true},"emitted":[]}]}`}}
	v := visit(f, "paula", "pm")
	v.ID = "0000000000000002"
	shown := render(t, RunPage(), v)
	require.Contains(t, shown, "<h1>Run 2 was resolved.</h1>")
	require.Contains(t, shown, "one obligation; two runs of tools.")
	order := []string{
		"nothing confirms it",
		"a.first",
		"o1/1",
		"does not hold: it is false",
		"b.second",
		"done, after 1.5 s",
		"c.third",
		"passed over: missing input: y",
		"asks for no confirmation",
		"o1.1",
		"cut off: a budget was used up",
	}
	at := 0
	for _, part := range order {
		next := strings.Index(shown[at:], part)
		require.GreaterOrEqual(t, next, 0, "%s does not come after the parts before it", part)
		at += next
	}

	f.answers = map[string]string{"/obligations/0000000000000001": goesRun}
	v.ID = "0000000000000001"
	shown = render(t, RunPage(), v)
	require.Contains(t, shown, "<h1>Run 1 is under way.</h1>")
	require.Contains(t, shown, "ACHIEVE(requirement.test)")
}

// TestOnlyWhoMayAnswerHasTheForm: who asked in another role has none, and a pm has.
func TestOnlyWhoMayAnswerHasTheForm(t *testing.T) {
	f := &fake{
		answers: map[string]string{
			"/obligations/0000000000000003": waitsRun,
			"/traces/0000000000000003":      `{"status":"clarify"}`,
		},
	}
	for who, may := range map[[2]string]bool{
		{"tess", "tester"}: true, {"paula", "pm"}: true, {"tess", "coder"}: false, {"vera", "viewer"}: false,
	} {
		v := visit(f, who[0], who[1])
		v.ID = "0000000000000003"
		require.Equal(t, may, strings.Contains(render(t, RunPage(), v), "Answer run 3"), "%v", who)
	}
}

// TestAskingAsAViewerShowsTheAnswer, for its run is not kept; others are led to the run.
func TestAskingAsAViewerShowsTheAnswer(t *testing.T) {
	f := &fake{
		answers: map[string]string{
			"POST /requests": `{"id":"0000000000000009","status":"resolved","answers":[{"text":"2+2 = 4"}]}`,
		},
	}
	v := visit(f, "vera", "viewer")
	v.Form = url.Values{"act": {"ask"}, "utterance": {" what is 2+2 "}, "key": {"K"}}
	done, err := Page().Act(v)
	require.NoError(t, err)
	require.Equal(t, page.Outcome{Tried: true, Said: "2+2 = 4"}, done)
	require.Equal(t, []string{`/requests {"utterance":"what is 2+2","idempotency_key":"K"}`}, f.sent)

	v.Who.Role = "coder"
	done, err = Page().Act(v)
	require.NoError(t, err)
	require.Equal(t, "/ui/traces/0000000000000009", done.To)

	v.Form.Set("act", "other")
	_, err = Page().Act(v)
	require.ErrorContains(t, err, "does not say what to do")
}
