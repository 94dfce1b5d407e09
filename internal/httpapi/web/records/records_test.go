package records_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/pagetest"
	"orchestrator/internal/httpapi/web/records"
	"orchestrator/internal/ledger/audit"
)

const (
	moved = `{"seq":12,"at":"2026-11-22T14:49:00Z","kind":"requirement.changed","actor":{"name":"paula","role":"pm"},
"subject":"PG-014","prev":9,
"data":{"change":{"status":"done","justification":{},"approvals":[{"decision":"approved"}]}}}`
	cleared = `{"seq":11,"at":"2026-11-22T14:48:00Z","kind":"requirement.changed",
"actor":{"name":"tess","role":"tester"},
"subject":"PG-014","data":{"change":{"test":null}}}`
	refused = `{"seq":10,"at":"2026-11-22T14:47:00Z","kind":"requirement.refused",
"actor":{"name":"cora","role":"coder"},
"subject":"PG-005","data":{"change":{"status":"done"},
"refusal":{"code":"field_forbidden","detail":"names <b>fields</b>"}}}`
	odd = `{"seq":9,"at":"2026-11-22T14:46:00Z","kind":"boundary.recorded",
"actor":{"name":"orchestrator","role":"system"},
"subject":"boundary/journal","data":{"from":0,"to":20,"added":3,"lines":[1,2]}}`
)

func logOf(query, next string, lines ...string) *pagetest.API {
	return &pagetest.API{Answers: map[string]string{
		"GET /audit?" + query: `{"size":1284,"root":"","records":[` + strings.Join(lines, ",") +
			`],"next":` + next + `}`,
		"GET /audit/checkpoint": "garage\n1284\nroot\n", "GET /audit/key": "garage+1f+A<b>\n",
	}}
}

// Verifies: ORC-337
func TestEachRecordIsOneSentence(t *testing.T) {
	api := logOf("limit=50&order=desc", `"/audit?before=9&limit=50&order=desc"`, moved, cleared, refused, odd)
	html := pagetest.Show(t, records.Page(), api.Visit("viewer", "/audit"))
	require.Contains(t, html, ">1,284 records, the newest of 22 Nov 14:49.</h1>")
	require.Contains(t, html, "moved it to done and approved it")
	require.Contains(t, html, "cleared the tests")
	require.Contains(t, html, "was refused (move to done), field_forbidden: names &lt;b&gt;fields&lt;/b&gt;")
	require.Contains(t, html, `wrote a record of the kind boundary.recorded`, "its data are not what was expected")
	require.Contains(t, html, `<a href="/ui/requirements/PG-005">`)
	require.NotContains(t, html, `/ui/requirements/boundary`)
	require.Contains(t, html, `<a href="/ui/audit?before=9" rel="next">Older</a>`)
	require.Contains(t, html, "garage+1f+A&lt;b&gt;")
}

// Verifies: ORC-337
func TestTheFilterIsThatOfTheAPIAndStaysInTheAddress(t *testing.T) {
	api := logOf("actor=cora&before=1000&code=gate_unmet&kind=requirement.refused%2Crequest.refused%2Crefusals.folded"+
		"&limit=50&order=desc", `"/audit?before=7"`)
	html := pagetest.Show(t, records.Page(), api.Visit("viewer", "/audit?kind=requirement.refused,request.refused,"+
		"refusals.folded&actor=cora&requirement=&code=gate_unmet&before=1000"))
	require.Contains(t, html, "Older ones may be.")
	require.Contains(t, html,
		`<a href="/ui/audit?actor=cora&amp;before=7&amp;code=gate_unmet&amp;kind=requirement.refused`)
	require.Contains(t, html, `selected>Every refusal</option>`)
	require.Contains(t, html, `<a href="/ui/audit?actor=cora&amp;code=gate_unmet&amp;kind=requirement.refused`)
	api = logOf("before=13&limit=50&order=desc", `null`, moved)
	require.Contains(t, pagetest.Show(t, records.Page(), api.Visit("pm", "/audit?from=12&limit=1")), ">12</a>",
		"a link to a record begins with it")
}

// Verifies: ORC-337
func TestVerifyingSaysWhatItCameTo(t *testing.T) {
	for log, said := range map[string]string{
		`"verified_up_to":1284`:                    "The service has read and hashed each of them",
		`"verified_up_to":12,"problem":"it broke"`: "The log does not hold: it broke.",
		`"verified_up_to":1000`:                    "1,000 of 1,284 records were verified.",
	} {
		api := logOf("limit=50&order=desc", `null`, moved)
		api.Answers["GET /project/review"] = `{"log":{"size":1284,"root":"r=",` + log + `}}`
		v := api.Visit("viewer", "/audit")
		outcome, err := records.Page().Act(v)
		require.NoError(t, err)
		require.Contains(t, outcome.Said, said)
		html := pagetest.Show(t, records.Page(), v)
		require.Contains(t, html, said)
		require.Equal(t, strings.HasPrefix(said, "The service"), strings.Contains(html, ", all verified.</h1>"), log)
	}
}

// Verifies: ORC-337
func TestTheProofOfARecordIsChecked(t *testing.T) {
	var head audit.Head
	head, _, err := head.Seal([]byte(moved), pagetest.Now)
	require.NoError(t, err)
	api := &pagetest.API{Answers: map[string]string{
		"GET /audit/records/0": moved,
		"GET /audit":           `{"size":1,"root":"` + head.Root.String() + `","records":[]}`,
		"GET /audit/proof/inclusion?index=0&size=1": `{"index":0,"size":1,"hashes":[]}`,
	}}
	show := func() string {
		v := api.Visit("viewer", "/audit/records/0")
		v.ID = "0"
		return pagetest.Show(t, records.RecordPage(), v)
	}
	html := show()
	require.Contains(t, html, "Paula moved PG-014 to done and approved it.</h1>")
	require.Contains(t, html, "This record is in the log of 1 record:")
	require.Contains(t, html, `<a href="/ui/audit/records/9">`)
	api.Answers["GET /audit/records/0"] = strings.Replace(moved, "paula", "mallory", 1)
	html = show()
	require.NotContains(t, html, "This record is in the log")
	require.Contains(t, html, "the proof does not show that record 0 is in the log")
}

// Verifies: ORC-337
func TestEveryKindOfTheContractHasASentence(t *testing.T) {
	contract, err := os.ReadFile("../../../../api/openapi.yaml")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(contract), "| kind | data |")
	table, _, _ = strings.Cut(table, "parameters:")
	kinds := regexp.MustCompile("(?m)^ *\\| `([a-z._]+)` \\|").FindAllStringSubmatch(table, -1)
	require.Greater(t, len(kinds), 15)
	for _, kind := range kinds {
		record := `{"seq":1,"at":"2026-11-22T14:49:00Z","kind":"` + kind[1] + `",` +
			`"actor":{"name":"a","role":"pm"},"data":{}}`
		html := pagetest.Show(t, records.Page(), logOf("limit=50&order=desc", "null", record).Visit("pm", "/audit"))
		require.NotContains(t, html, "wrote a record of the kind", kind[1])
	}
}
