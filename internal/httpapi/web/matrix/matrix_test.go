package matrix_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/matrix"
	"orchestrator/internal/httpapi/web/pagetest"
)

func of(evidence string, lines ...string) *pagetest.API {
	return &pagetest.API{Answers: map[string]string{"GET /project/review": `{"verdict":"not_ready",` +
		`"evidence":"` + evidence + `","reasons":["2 of 3 requirements are open"],"unchecked":[],` +
		`"requirements":[` + strings.Join(lines, ",") + `]}`}}
}

const (
	done = `{"id":"PG-002","title":"A full garage","status":"done","codes":["stale"],"parts":["design_spec",
"implementation","test"],"results":{"passed":14,"failed":0,"skipped":1},"decision":"approved","path":"R.md","line":7,
"stale":[{"part":"implementation","pointer":"/implementation_evidence/0","detail":"other lines"}],
"moved":[{"pointer":"/test/evidence/0"}]}`
	blocked = `{"id":"PG-016","title":"=HYPERLINK(\"http://evil\")","status":"blocked","codes":["not_done","dead_end"],
"parts":["design_spec","implementation","test"],"results":{"passed":1,"failed":2,"skipped":0},"decision":"rejected",
"moved":[{"pointer":"/implementation_evidence/0"}],"suspect":true}`
	begun = `{"id":"PG-027","title":"<i>A</i> charger","status":"planned","codes":["not_done"],"waiting_for":["pm"],
"missing":[{"to":"done","gate":"approval","detail":"there is no approval","by":"pm"}]}`
	renewed = `{"id":"PG-030","title":"T","status":"tested_pass","codes":["not_done"],"parts":["test"],
"decision":"approved","missing":[{"to":"done","gate":"approval","detail":"of an earlier revision","by":"pm"}]}`
)

// words returns the words of the cells of each row.
func words(html string) (rows [][]string) {
	_, body, _ := strings.Cut(html, "<tbody>")
	for _, tr := range strings.Split(body, "<tr>")[1:] {
		var cells []string
		for _, td := range strings.Split(tr, "data-name=")[2:] {
			_, word, _ := strings.Cut(td, "<span>")
			word, _, _ = strings.Cut(word, "</span>")
			cells = append(cells, word)
		}
		rows = append(rows, cells)
	}
	return rows
}

// Verifies: ORC-336
func TestEachPartSaysWhetherItIsThereAndHolds(t *testing.T) {
	html := pagetest.Show(t, matrix.Page(),
		of("verify", done, blocked, begun, renewed).Visit("viewer", "/project/review"))
	require.Equal(t, [][]string{
		{"there", "stale", "holds", "14 passed", "approved"},
		{"there", "moved", "holds", "2 failed", "rejected"},
		{"not yet", "not yet", "not yet", "not yet", "not yet"},
		{"not yet", "not yet", "holds", "not yet", "of another state"},
	}, words(html))
	require.Contains(t, html, `Three of four are open. One that is done rests on stale evidence: `+
		`<a href="/ui/requirements/PG-002">PG-002</a>.</h1>`)
	require.Contains(t, html, "Not ready: 2 of 3 requirements are open.")
	require.Contains(t, html, "&lt;i&gt;A&lt;/i&gt; charger")
}

// Verifies: ORC-336
func TestCodeThatIsNotCommittedSaysSo(t *testing.T) {
	dirty := strings.Replace(blocked, `"suspect":true`, `"dirty":["due.go"]`, 1)
	html := pagetest.Show(t, matrix.Page(), of("verify", dirty).Visit("viewer", "/project/review"))
	require.Equal(t, [][]string{{"there", "uncommitted", "holds", "2 failed", "rejected"}}, words(html))
}

// Verifies: ORC-336
func TestWhatNobodyLookedUpDoesNotHold(t *testing.T) {
	html := pagetest.Show(t, matrix.Page(), of("record", done).Visit("viewer", "/project/review"))
	require.Equal(t, [][]string{{"there", "stale", "said", "14 passed", "approved"}}, words(html))
	require.Contains(t, html, "nobody has looked it up")
}

// Verifies: ORC-336
func TestThePagesOfTheMatrixAndItsChoices(t *testing.T) {
	var lines []string
	for i := range 450 {
		lines = append(lines, strings.Replace(begun, "PG-027", "R-"+strings.Repeat("i", i+1), 1))
	}
	api := of("verify", append(lines, done)...)
	html := pagetest.Show(t, matrix.Page(),
		api.Visit("pm", "/project/review?ok=false&after=R-"+strings.Repeat("i", 200)))
	require.Len(t, words(html), 200)
	require.Contains(t, html, "201-400 of 451")
	require.Contains(t, html,
		`<a href="/ui/project/review?after=R-`+strings.Repeat("i", 400)+`&amp;ok=false" rel="next">`)
	require.Contains(t, html, `<a href="/ui/project/review?ok=false">First</a>`)
	require.Contains(t, html, `<a href="/ui/project/review.csv?ok=false" download>CSV</a>`)
	require.Contains(t, html, `<a href="/ui/project/review?stale=true">Stale <span class="n">1</span></a>`)
}

// Verifies: ORC-336
func TestNoCellOfTheTableIsAFormula(t *testing.T) {
	tab := strings.Replace(begun, `<i>A</i> charger`, `\tcmd, \"quoted\"\nnext`, 1)
	view, err := matrix.CSV().Show(of("verify", blocked, tab, done).Visit("viewer", "/project/review.csv"))
	require.NoError(t, err)
	require.Equal(t, "requirements-2026-11-22.csv", view.File.Name)
	require.Contains(t, string(view.File.Body), "\r\n")
	rows, err := csv.NewReader(strings.NewReader(string(view.File.Body))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	require.Equal(t, `'=HYPERLINK("http://evil")`, rows[1][1])
	require.Equal(t, []string{"there", "moved", "holds", "2 failed", "rejected", "true", "false"}, rows[1][4:11])
	require.Equal(t, "'\tcmd, \"quoted\"\nnext", rows[2][1])
	require.Equal(t, "approval: there is no approval (pm)", rows[2][12])
	require.Equal(t, "/implementation_evidence/0: other lines", rows[3][13])
	for _, row := range rows {
		for _, cell := range row {
			require.False(t, cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])), cell)
		}
	}
}

// Verifies: ORC-336
func TestAnEmptyChoiceSaysSo(t *testing.T) {
	html := pagetest.Show(t, matrix.Page(), of("verify", begun).Visit("pm", "/project/review?stale=true"))
	require.Contains(t, html, "No requirement is stale.")
	require.NotContains(t, html, "<table")
}
