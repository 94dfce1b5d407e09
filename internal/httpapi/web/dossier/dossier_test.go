package dossier_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/dossier"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/pagetest"
)

// review is the answer of GET /requirements/A/review: what was built holds, and one of two tests does not.
const review = `{"definition":{"id":"A","title":"A stay is free","text":"It is <free>.","kind":"requirement",
		"acceptance":[],
	"source":{"path":"REQUIREMENTS.md","line":3,"end_line":5,"section":["Garage","Payment"]},
		"fingerprint":"sha256:seen"},
	"workflow":"v1","revision":11,"standing":{"id":"A","title":"A stay is free","status":"tested_pass",
		"since":"2026-11-27T12:00:00Z",
	"stale":[{"part":"test","pointer":"/test/evidence/1","reason":"report_changed",
		"detail":"r.xml is another one now"}],"waiting_for":["pm"]},
	"parts":[{"name":"implementation","stamp":{"revision":5,"by":"cora","role":"coder","at":"2026-11-17T12:00:00Z"},
		"on_current_text":true,
	"content":{"summary":"Due after 15 minutes.","files":[{"path":"due.go","lines":"41-48"}],"risks":["none"]},
	"evidence":[{"evidence":{"kind":"file","path":"due.go","lines":"41-48","found":{"in":"branch",
		"commit":"4f2a9c1000"}},
	"recheck":{"pointer":"/implementation_evidence/0","verdict":"holds"}}]},
	{"name":"test","stamp":{"revision":8,"by":"tess","role":"tester","at":"2026-11-21T12:00:00Z"},
		"on_current_text":true,
	"results":{"passed":14,"failed":0,"skipped":0},"evidence":[{"evidence":{"kind":"test","name":"TestFree",
		"result":"pass","report":"r.xml"},
	"recheck":{"pointer":"/test/evidence/0","verdict":"holds"}},{"evidence":{"kind":"test","name":"TestPaid",
		"result":"pass","report":"r.xml"},
	"recheck":{"pointer":"/test/evidence/1","verdict":"stale","detail":"r.xml is another one now"}}]}],
	"approvals":[],"deviations":[],"pm_notes":[],"gates":[
	{"to":"done","name":"implementation","needs":"an implementation","supplier":"coder","met":true},
	{"to":"done","name":"approval","needs":"an approval","supplier":"pm","met":false,"detail":"there is no approval"}],
	"refused":{"count":0,"newest":[]},"history":[{"by":"tess","role":"tester","at":"2026-11-27T12:00:00Z","record":9,
		"from":"test_in_progress",
	"to":"tested_pass","reason":"all green","evidence":[]}]}`

// next is the answer of GET /requirements/A/next to the pm, with what the move to done lacks.
func next(lacks string) string {
	return `{"id":"A","status":"tested_pass","revision":11,"actor":{"name":"paula","role":"pm"},"if_match":"\"11\"",
		"waiting_for":["pm"],
		"fields":[{"field":"pm_notes"},{"field":"accept_fingerprint"}],"moves":[{"to":"done","ready":false,
		"leads_to_done":true,"lacks":[` + lacks + `]},
		{"to":"blocked","ready":true,"lacks":[],"leads_to_done":false,"why":"nothing leads from blocked to done"}]}`
}

const approval = `{"gate":"approval","detail":"there is no approval","by":"pm"}`

func api(lacks string) *pagetest.API {
	return &pagetest.API{Answers: map[string]string{
		"GET /requirements/A/review": review, "GET /requirements/A/next": next(lacks), "PATCH /requirements/A": `{}`,
	}, Header: http.Header{"Audit-Receipt": {"size=13, index=12, root=:x:"}}}
}

// visit returns a visit to the requirement A.
func visit(a *pagetest.API, role, query string) *page.Visit {
	v := a.Visit(role, "/requirements/A?"+query)
	v.ID, v.Form = "A", url.Values{}
	return v
}

// Verifies: ORC-332
func TestTheEvidenceStandsAboveTheButton(t *testing.T) {
	html := pagetest.Show(t, dossier.Page(), visit(api(approval), "pm", ""))
	evidence, rest, found := strings.Cut(html, `<button class="act">Approve A and mark it done</button>`)
	require.True(t, found)
	require.Contains(t, evidence, "You approve <bdi>A</bdi> at revision 11: this text, the implementation of "+
		"17 November, and 14 passed tests of 21 November.")
	for pointer, ticked := range map[string]bool{
		"/implementation_evidence/0 holds": true, "/test/evidence/0 holds": true,
		"/test/evidence/1 stale r.xml is another one now": false,
	} {
		_, sign, _ := strings.Cut(evidence, "You approve")
		box := regexp.MustCompile(`value="` + pointer + `"( checked)?>`).FindStringSubmatch(sign)
		require.NotNil(t, box, pointer)
		require.Equal(t, ticked, box[1] != "", pointer)
	}
	require.Contains(t, evidence, "due.go: 41-48", "a file of an implementation is one line")
	require.Contains(t, evidence, "holds, at 4f2a9c1")
	require.Contains(t, evidence, "Test: r.xml is another one now.")
	require.Contains(t, evidence, "It is &lt;free&gt;.")
	require.Contains(t, rest, "Nothing leads from blocked to done.", "what is one way says so")
	require.Equal(t, 1, strings.Count(html, `<button class="act">`), "one act alone is filled")
}

// Verifies: ORC-332
func TestWhatCannotBeSignedSaysWhoMustAct(t *testing.T) {
	lacks := `{"gate":"test_evidence_holds","detail":"/test/evidence/1: r.xml is another one now","by":"tester"},
		` + approval
	html := pagetest.Show(t, dossier.Page(), visit(api(lacks), "pm", ""))
	require.Contains(t, html, "A cannot be signed yet: r.xml is another one now. The tester must act.")
	require.NotContains(t, html, "Approve A")
	a := api(lacks)
	a.Answers["GET /requirements/A/next"] = `{"id":"A","if_match":"\"11\"","waiting_for":["pm"],"fields":[],"moves":[]}`
	html = pagetest.Show(t, dossier.Page(), visit(a, "viewer", ""))
	require.Contains(t, html, "Waits for the PM.")
	require.NotContains(t, html, "<textarea")
}

// Verifies: ORC-332
func TestAFormIsTheRequestOfAProgram(t *testing.T) {
	form := url.Values{"revision": {`"11"`}, "key": {"k1"}, "fingerprint": {"sha256:seen"}, "text": {" all of it \n"},
		"rests": {"/implementation_evidence/0 holds", "/test/evidence/0 holds", "/not/there"}}
	for act, want := range map[string]struct{ body, said string }{
		"approve": {`{"status":"done","approvals":[{"decision":"approved","text":"all of it"}],
		"justification":{"reason":"all of it","evidence":[
			{"kind":"file","path":"due.go","lines":"41-48"},{"kind":"test","name":"TestFree","result":"pass",
		"report":"r.xml"}]}}`,
			"You approved A. It is done. It is record 12 of the log."},
		"move": {`{"status":"blocked","justification":{"reason":"all of it","evidence":[
			{"kind":"file","path":"due.go","lines":"41-48"},{"kind":"test","name":"TestFree","result":"pass",
		"report":"r.xml"}]}}`,
			"You moved A to blocked. It is record 12 of the log."},
		"note":   {`{"pm_notes":[{"text":"all of it"}]}`, "Your note on A was written. It is record 12 of the log."},
		"accept": {`{"accept_fingerprint":"sha256:seen"}`, "You accepted the text of A. It is record 12 of the log."},
	} {
		a := api(approval)
		v := visit(a, "pm", "")
		v.Form = url.Values{"act": {act}, "to": {"blocked"}}
		for name, values := range form {
			v.Form[name] = values
		}
		done, err := dossier.Page().Act(v)
		require.NoError(t, err, act)
		require.Equal(t, page.Outcome{Said: want.said}, done, act)
		sent := len(a.Sent) - 1
		require.Equal(t, "PATCH /requirements/A", a.Asked[sent], act)
		require.JSONEq(t, want.body, a.Bodies[sent], act)
		require.Equal(t, `"11"`, a.Sent[sent].Get("If-Match"), act)
		require.Regexp(t, "^k1-[0-9a-f]{16}$", a.Sent[sent].Get("Idempotency-Key"), act)
	}
	a := api(approval)
	v := visit(a, "pm", "")
	v.Form = url.Values{"act": {"note"}, "text": {"x"}, "key": {"k1"}, "try": {"1"}}
	done, err := dossier.Page().Act(v)
	require.NoError(t, err)
	require.True(t, done.Tried)
	require.Contains(t, a.Asked, "PATCH /requirements/A?dry_run=true")
	require.Empty(t, a.Sent[len(a.Sent)-1].Get("Idempotency-Key"), "a trial uses no key up")
	v.Form.Set("act", "sing")
	_, err = dossier.Page().Act(v)
	var refused *ask.Refusal
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 400, refused.Status)
}

// Where nobody knows whether a form was carried out, the same form is sent again; after a refusal, a new one.
//
// Verifies: ORC-332
func TestAFormWhoseFateIsUnknownKeepsItsKey(t *testing.T) {
	for status, same := range map[int]bool{503: true, 409: false} {
		v := visit(api(approval), "pm", "")
		v.Form = url.Values{"act": {"approve"}, "to": {"done"}, "key": {"the-same-key"}, "revision": {`"7"`},
			"text": {"why <b>"}}
		v.Refused = &ask.Refusal{Body: []byte(`{"code":"x"}`)}
		v.Refused.Status = status
		html := pagetest.Show(t, dossier.Page(), v)
		require.Equal(t, same, strings.Contains(html, `name="key" value="the-same-key"`), status)
		require.Equal(t, same, strings.Contains(html, "It is not known whether this was applied."), status)
		require.Equal(t, same, strings.Contains(html, `name="revision" value="&#34;7&#34;"`), status)
		require.Contains(t, html, ">why &lt;b&gt;</textarea>")
		require.Less(t, strings.Index(html, `role="alert"`), strings.Index(html, "<textarea"),
			"the refusal stands at the top of the form")
	}
}

func TestALongHistoryIsShownInPart(t *testing.T) {
	var moves []string
	for i := range 32 {
		moves = append(moves, fmt.Sprintf(`{"by":"tess","role":"tester","at":"2026-11-%02dT12:00:00Z","from":"planned",
			"to":"blocked","reason":"reason %d."}`, i%28+1, i))
	}
	a := api(approval)
	longer := `"history":[` + strings.Join(moves, ",") + ","
	a.Answers["GET /requirements/A/review"] = strings.Replace(review, `"history":[`, longer, 1)
	html := pagetest.Show(t, dossier.Page(), visit(a, "pm", ""))
	require.Contains(t, html, `<a href="?history=all#history">15 older</a>`)
	require.Contains(t, html, "reason 27.")
	require.NotContains(t, html, "reason 1.")
	require.Contains(t, pagetest.Show(t, dossier.Page(), visit(a, "pm", "history=all")), "reason 1.")
}

// seen is a form as the page made it: at revision 11, resting on what was built.
func seen(act string) url.Values {
	return url.Values{"act": {act}, "to": {"blocked"}, "revision": {`"11"`}, "key": {"k1"}, "text": {"why"},
		"rests": {"/implementation_evidence/0 holds"}}
}

// What was looked at is what is signed: evidence that changed after the page was made is refused, though the revision
// is the same, and is not ticked when the page is shown again.
//
// Verifies: ORC-332
func TestNobodySignsEvidenceThatTheyHaveNotSeen(t *testing.T) {
	a := api(approval)
	a.Answers["GET /requirements/A/review"] = strings.Replace(review, `"verdict":"holds"`,
		`"verdict":"stale","detail":"other lines stand there"`, 1)
	v := visit(a, "pm", "")
	v.Form = seen("approve")
	_, err := dossier.Page().Act(v)
	var refused *ask.Refusal
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 409, refused.Status)
	require.Equal(t, "due.go:41-48 changed after the page was made: does not hold any more", refused.Detail)
	require.NotContains(t, a.Asked, "PATCH /requirements/A")

	v.Refused = refused
	html := pagetest.Show(t, dossier.Page(), v)
	require.NotRegexp(t, `value="/implementation_evidence/0 [^"]*" checked`, html)
	v.Form.Set("revision", `"10"`)
	_, err = dossier.Page().Act(v)
	require.NoError(t, err, "a form of another revision is the API's to refuse")
	require.Equal(t, `"10"`, a.Sent[len(a.Sent)-1].Get("If-Match"))

	v.Form = seen("move")
	v.Form.Set("rests", "/implementation_evidence/0 stale other lines stand there")
	_, err = dossier.Page().Act(v)
	require.NoError(t, err, "who ticks what does not hold has seen it")
}

// The ticks of another revision name other pieces.
//
// Verifies: ORC-332
func TestTicksAreOfOneRevision(t *testing.T) {
	v := visit(api(approval), "pm", "")
	v.Form = seen("move")
	v.Form.Set("rests", "/test/evidence/0 holds")
	ticked := regexp.MustCompile(`name="rests" value="/implementation_evidence/0 holds"( checked)?>`)
	require.Empty(t, ticked.FindStringSubmatch(pagetest.Show(t, dossier.Page(), v))[1])
	v.Form.Set("revision", `"10"`)
	require.NotEmpty(t, ticked.FindStringSubmatch(pagetest.Show(t, dossier.Page(), v))[1])
}

// The page asks twice, and somebody may write in between: a form covers what is shown.
//
// Verifies: ORC-332
func TestAFormCoversTheRevisionThatIsShown(t *testing.T) {
	a := api(approval)
	a.Answers["GET /requirements/A/next"] = strings.Replace(next(approval), `\"11\"`, `\"12\"`, 1)
	html := pagetest.Show(t, dossier.Page(), visit(a, "pm", ""))
	require.Contains(t, html, "at revision 11: this text")
	require.Contains(t, html, `name="revision" value="&#34;11&#34;"`)
	require.NotContains(t, html, `value="&#34;12&#34;"`)
}

// Evidence that moved is cited where it stands: other lines stand where it stood.
//
// Verifies: ORC-332
func TestEvidenceThatMovedIsCitedWhereItStands(t *testing.T) {
	for to, cited := range map[string]string{
		"due.go:51-58":     `{"kind":"file","path":"due.go","lines":"51-58"}`,
		"fee/a:b.go:51-58": `{"kind":"file","path":"fee/a:b.go","lines":"51-58"}`,
	} {
		a := api(approval)
		a.Answers["GET /requirements/A/review"] = strings.Replace(review, `"verdict":"holds"`,
			`"verdict":"moved","detail":"`+to+`"`, 1)
		v := visit(a, "pm", "")
		v.Form = seen("move")
		_, err := dossier.Page().Act(v)
		require.NoError(t, err)
		require.Contains(t, a.Bodies[len(a.Bodies)-1], `"evidence":[`+cited+`]`)
	}
}

// A page that is open replaces its form when the requirement changes: so it replaces all that the form covers as well.
//
// Verifies: ORC-332
func TestWhatAFormCoversIsKeptUpWithIt(t *testing.T) {
	html := pagetest.Show(t, dossier.Page(), visit(api(approval), "pm", ""))
	_, covered, _ := strings.Cut(html, `<div id="covered" data-live="A">`)
	covered, rest, found := strings.Cut(covered, `<div class="signoff" id="decide" data-live="A">`)
	require.True(t, found)
	for _, part := range []string{"Text</h2>", "Implementation <", "Tests <", "It is &lt;free&gt;.",
		"Due after 15 minutes."} {
		require.Contains(t, covered, part)
		require.NotContains(t, rest, part)
	}
	require.NotContains(t, covered, "data-live", "what is kept up does not lie in another")
	require.Equal(t, strings.Count(covered, "<div"), strings.Count(covered, "</div>")-1, "it ends before the form")
}
