package dossier_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/dossier"
	"orchestrator/internal/httpapi/web/pagetest"
)

// replaced returns the answer of the review with something else in one place.
func replaced(t *testing.T, in, old, now string) string {
	t.Helper()
	require.Contains(t, in, old)
	return strings.Replace(in, old, now, 1)
}

// shown returns the page of the requirement, with a review, to the pm.
func shown(t *testing.T, review string) string {
	t.Helper()
	a := api(approval)
	a.Answers["GET /requirements/A/review"] = review
	return pagetest.Show(t, dossier.Page(), visit(a, "pm", ""))
}

func TestThePageSaysFirstWhatStandsAgainstARequirement(t *testing.T) {
	const retired, suspect = "The documents no longer have it.", "Its text changed after work on it had begun."
	html := shown(t, review)
	require.NotContains(t, html, retired)
	require.NotContains(t, html, suspect)
	against := `"standing":{"retired":true,"suspect":true,"dirty":["due.go"],`
	html = shown(t, replaced(t, review, `"standing":{`, against))
	head, _, found := strings.Cut(html, `<ol class="path"`)
	require.True(t, found)
	require.Contains(t, head, retired)
	require.Contains(t, head, suspect)
	require.Contains(t, head, "due.go has changes that are not committed.")
}

// What is held stands on its way where it was held, and is at none of the steps.
func TestAHeldRequirementKeepsItsPlaceOnTheWay(t *testing.T) {
	require.Equal(t, 1, strings.Count(shown(t, review), "#m-ahead"), "done alone")
	held := replaced(t, review, `"status":"tested_pass"`, `"status":"blocked"`)
	held = replaced(t, held, `"to":"tested_pass"`, `"to":"blocked"`)
	html := shown(t, held)
	require.Equal(t, 2, strings.Count(html, "#m-ahead"), "what comes after test in progress")
	require.NotContains(t, html, `aria-current="step"`)
}

func TestEachNeedIsSaidOnceAndTheUnmetComeFirst(t *testing.T) {
	const met = `{"to":"done","name":"implementation","needs":"an implementation","supplier":"coder","met":true}`
	html := shown(t, replaced(t, review, met, met+","+strings.Replace(met, "done", "implemented", 1)))
	require.Contains(t, html, `<span class="n">1 of 2</span>`)
	require.Equal(t, 1, strings.Count(html, "<span>an implementation</span>"))
	require.Less(t, strings.Index(html, "<span>an approval<br>"), strings.Index(html, "<span>an implementation</span>"))
}

func TestTheHistoryIsMadeOfSentences(t *testing.T) {
	require.Contains(t, shown(t, review), "<b><bdi>tess</bdi></b>, tester, moved it to tested pass")
	refused := `"refused":{"count":2,"newest":[{"at":"2026-11-27T13:00:00Z","by":"cora","role":"coder",` +
		`"code":"sealed","detail":"A is sealed","times":2,"record":10}]}`
	html := shown(t, replaced(t, review, `"refused":{"count":0,"newest":[]}`, refused))
	require.Contains(t, html, "<b><bdi>cora</bdi></b>, coder, was refused: sealed, two times")
}

// Where nothing is cited, a decision rests on the requirement itself.
//
// Verifies: ORC-332
func TestWithoutEvidenceADecisionRestsOnTheText(t *testing.T) {
	parts, rest, found := strings.Cut(review, `"parts":[`)
	require.True(t, found)
	_, rest, found = strings.Cut(rest, `"approvals":`)
	require.True(t, found)
	html := shown(t, parts+`"parts":[],"approvals":`+rest)
	require.Contains(t, html, `name="rests" value="/definition" checked>`)
	require.Contains(t, html, `<code>REQUIREMENTS.md:3-5</code>`)
}

// What was typed for one move is not put into the form of another.
func TestWhatWasTypedStaysInItsForm(t *testing.T) {
	v := visit(api(approval), "pm", "")
	v.Form = seen("move")
	require.Contains(t, pagetest.Show(t, dossier.Page(), v), ">why</textarea>")
	v.Form.Set("to", "deferred")
	require.NotContains(t, pagetest.Show(t, dossier.Page(), v), ">why</textarea>")
}

// The cited lines of the first piece, and of one that does not hold any more, are open from the beginning.
func TestWhatDoesNotHoldIsOpen(t *testing.T) {
	const open, all = `<details class="cited-lines" open>`, `<details class="cited-lines"`
	cited := strings.ReplaceAll(review, `"recheck":{`, `"lines":{"path":"r.xml","from":1,"text":"x"},"recheck":{`)
	html := shown(t, cited)
	require.Equal(t, []int{3, 3}, []int{strings.Count(html, open), strings.Count(html, all)})
	html = shown(t, replaced(t, cited, `"verdict":"stale"`, `"verdict":"holds"`))
	require.Equal(t, []int{2, 3}, []int{strings.Count(html, open), strings.Count(html, all)})
}
