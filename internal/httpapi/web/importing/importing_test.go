package importing_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/importing"
	"orchestrator/internal/httpapi/web/pagetest"
)

const (
	last = `{"last":{"ok":true},"counts":{"rows":5,"read":3,"skipped":2},"imported":{"record":324,
"at":"2026-11-22T14:31:00Z","by":{"name":"orchestrator","role":"system"},"origin":{"via":"watch"},
"documents":[{"path":"R.md","family":"markdown","counts":{"rows":5,"read":3,"skipped":2},"origin":{"uncommitted":true},
"remarks":[{"line":9,"id":"PG-902","message":"PG-902 was not taken: it has small letters","fix":"write it in capitals"},
{"line":8,"id":"PG-901","message":"PG-901 was not taken: it is not bold","fix":"",
"excerpt":"<b>PG-901</b> Bicycles"}]}]}}`
	project = `{"requirements":[{"source":{"path":"R.md","line":2,"end_line":4}},
{"source":{"path":"R.md","line":6,"end_line":6}},{"retired":true,"source":{"path":"R.md","line":1,"end_line":99}}]}`
	report = `{"dry_run":true,"added":[{"id":"PG-041","title":"New","path":"R.md","line":12}],
"changed":[{"id":"PG-014","path":"R.md","line":2,"suspect":true,"stale":["design_spec","test"],
"diff":[{"op":"equal","text":"leaves within"},{"op":"delete","text":"10"},{"op":"insert","text":"15 <i>"}]}],
"moved":[],"restored":[],"renamed":[{"from":"PG-003","to":"PG-041","declared":false}],
"retired":[{"id":"PG-003","title":"Old","status":"planned","strands":["status"],"pm_must":"defer it"}],
"warnings":[],"errors":[]}`
)

func of() *pagetest.API {
	return &pagetest.API{Answers: map[string]string{"GET /project/import": last, "GET /project": project,
		"GET /audit/records/324":            `{"data":{"defined":[{"id":"PG-014"}],"retired":["PG-003"]}}`,
		"POST /project/import?dry_run=true": report}, Status: map[string]int{}}
}

// Verifies: ORC-337
func TestThePageSaysWhatWasNotTakenAndWhy(t *testing.T) {
	html := pagetest.Show(t, importing.Page(), of().Visit("viewer", "/project/import"))
	require.Contains(t, html, "Three requirements were read. Two lines look like one and were not taken.</h1>")
	first, second := strings.Index(html, "R.md:8"), strings.Index(html, "R.md:9")
	require.True(t, 0 < first && first < second, "by line")
	require.Contains(t, html, "It is not bold.")
	require.Contains(t, html, "Write it in capitals.")
	require.Contains(t, html, "&lt;b&gt;PG-901&lt;/b&gt; Bicycles")
	require.Contains(t, html, `when the document changed, by <bdi>orchestrator</bdi>`)
	require.Contains(t, html, `<a href="/ui/audit/records/324">record 324</a>`)
	require.Contains(t, html, `with another text or place: <a href="/ui/requirements/PG-014">`)
	require.Contains(t, html, `Retired: <a href="/ui/requirements/PG-003">`)
	require.Contains(t, html, "The PM can import the documents.")
	require.NotContains(t, html, "<button name=\"act\"")
}

// Verifies: ORC-337
func TestTheStripHasAStrokeForEachLine(t *testing.T) {
	html := pagetest.Show(t, importing.Page(), of().Visit("viewer", "/project/import"))
	_, drawing, _ := strings.Cut(html, `class="strip"`)
	drawing, _, _ = strings.Cut(drawing, "</svg>")
	var kinds []string
	for _, rect := range strings.Split(drawing, `<rect class="`)[1:] {
		kind, _, _ := strings.Cut(rect, `"`)
		kinds = append(kinds, kind)
	}
	require.Equal(t,
		[]string{"prose", "begins", "goes-on", "goes-on", "prose", "begins", "prose", "not-taken", "not-taken"}, kinds)
	require.Contains(t, html, "R.md: nine lines, three requirements were read, two lines were not taken")
}

// Verifies: ORC-337
func TestLookingSaysWhatWouldChangeAndChangesNothing(t *testing.T) {
	api := of()
	v := api.Visit("pm", "/project/import")
	v.Form = url.Values{"act": {"look"}}
	outcome, err := importing.Page().Act(v)
	require.NoError(t, err)
	require.True(t, outcome.Tried)
	v.Tried = outcome.Said
	html := pagetest.Show(t, importing.Page(), v)
	require.Contains(t, html, "An import would change this: one added, one changed and one retired.")
	require.Contains(t, html, `<del><span class="aside-word">taken out: </span>10</del>`)
	require.Contains(t, html, `<ins><span class="aside-word">put in: </span>15 &lt;i&gt;</ins>`)
	require.Contains(t, html, "Work had begun: the PM must accept the new text.")
	require.Contains(t, html, "Design and test rest on the earlier text.")
	require.Contains(t, html, "The PM must act: defer it.")
	require.Contains(t, html, "PG-041 has the same text.")
	require.NotContains(t, api.Asked, "POST /project/import", "nothing was imported")
}

// Verifies: ORC-337
func TestAnImportNamesItsRecordAndARefusalIsShown(t *testing.T) {
	api := of()
	api.Answers["POST /project/import"] = strings.Replace(report, `"dry_run":true`, `"dry_run":false`, 1)
	api.Header = http.Header{"Audit-Receipt": {"index=1284, size=1285"}}
	v := api.Visit("pm", "/project/import")
	v.Form = url.Values{"act": {"import"}}
	outcome, err := importing.Page().Act(v)
	require.NoError(t, err)
	require.Equal(t,
		"The documents were imported: one added, one changed and one retired. It is record 1,284 of the log.",
		outcome.Said)
	api.Status["POST /project/import"] = http.StatusUnprocessableEntity
	api.Answers["POST /project/import"] = `{"status":422,"code":"document_invalid","detail":"problems with ids"}`
	_, err = importing.Page().Act(v)
	require.ErrorContains(t, err, "problems with ids")
}

// Verifies: ORC-337
func TestAFailedImportComesFirst(t *testing.T) {
	api := of()
	api.Answers["GET /project/import"] = strings.Replace(last, `{"ok":true}`, `{"ok":false,"problem":{
"detail":"problems with ids","fix":"mend the documents",
"errors":[{"path":"R.md","line":177,"detail":"PG-001 stands twice","fix":"give one another id"}]}}`, 1)
	html := pagetest.Show(t, importing.Page(), api.Visit("pm", "/project/import"))
	require.Contains(t, html, "The documents were not imported: problems with ids.</h1>")
	require.Contains(t, html, "<code>R.md:177</code>")
	require.Contains(t, html, `<button class="act" name="act" value="import">Import <bdi>R.md</bdi></button>`)
}
