package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatWasNotReadIsShown: at each place, until the document is mended.
func TestWhatWasNotReadIsShown(t *testing.T) {
	h := newHarness(t)
	get := func(path string) map[string]any { return h.do("viewer", http.MethodGet, path, "").json(t) }
	counts := func(rows, read, skipped, totals float64) map[string]any {
		return map[string]any{"rows": rows, "read": read, "skipped": skipped, "totals": totals, "empty": 0.0, "warnings": 0.0}
	}
	first := get("/project/import")["imported"].(map[string]any)
	require.Equal(t, map[string]any{"via": "start"}, first["origin"])
	require.Equal(t, map[string]any{"name": "orchestrator", "role": "system"}, first["by"])
	_, body := h.ready()
	require.Contains(t, body, `{"name":"documents","status":"ok"}`)

	h.write(sample + "\n- **REQ-004**: Pay.\n- REQ-005 Print a bill.\n\nTotal: 5 requirements\n")
	h.expect(200, "", "pm", http.MethodPost, "/project/import", "")
	answer := get("/project/import")
	require.Equal(t, counts(5, 4, 1, 1), answer["counts"])
	imported := answer["imported"].(map[string]any)
	require.Equal(t, map[string]any{"name": "pm", "role": "pm"}, imported["by"])
	origin := imported["origin"].(map[string]any)
	require.Equal(t, "api", origin["via"])
	inForce := h.tokenIDs()
	require.Contains(t, inForce, origin["token"], "the id that names it in the log")
	require.Equal(t, "pm", inForce[origin["token"].(string)])
	remark := imported["documents"].([]any)[0].(map[string]any)["remarks"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"near_miss", "REQ-005", 20.0, "- REQ-005 Print a bill."},
		[]any{remark["reason"], remark["id"], remark["line"], remark["excerpt"]})

	project := get("/project")["import"].(map[string]any)
	require.Equal(t, imported["record"], project["record"])
	require.Equal(t, []any{map[string]any{"path": "REQUIREMENTS.md", "counts": counts(5, 4, 1, 1)}}, project["documents"])
	reading := get("/project/review")["findings"].(map[string]any)["reading"].(map[string]any)
	require.Equal(t, counts(5, 4, 1, 1), reading["counts"])
	require.Equal(t, imported["documents"], reading["documents"])
	status, body := h.ready()
	require.Equal(t, 200, status)
	require.Contains(t, body, `{"name":"documents","status":"warning","detail":"4 of 5 rows that look like requirements were read, stated totals that differ: 1;`)
	records := get("/audit?limit=1000")["records"].([]any)
	data := records[len(records)-1].(map[string]any)["data"].(map[string]any)
	require.Equal(t, origin, data["origin"])
	require.Equal(t, imported["documents"], data["read"])

	h.write(sample + "\n- **REQ-004**: Pay.\n- **REQ-005**: Print a bill.\n\nTotal: 5 requirements\n")
	h.expect(200, "", "pm", http.MethodPost, "/project/import", "")
	require.Equal(t, counts(5, 5, 0, 0), get("/project/import")["counts"])
	require.Empty(t, get("/project/review")["findings"].(map[string]any)["reading"].(map[string]any)["documents"])
}

// A refused import leaves what the last good one read, and says so.
func TestTheLastImportOfABrokenDocument(t *testing.T) {
	h := newHarness(t)
	h.write(sample + "\n## REQ-001: Another\n\nText.\n")
	h.expect(422, "document_invalid", "pm", http.MethodPost, "/project/import", "")
	answer := h.do("viewer", http.MethodGet, "/project/import", "").json(t)
	require.Equal(t, false, answer["last"].(map[string]any)["ok"])
	require.Equal(t, 3.0, answer["counts"].(map[string]any)["read"])
	h.expect(400, "unknown_parameter", "viewer", http.MethodGet, "/project/import?x=1", "")
	h.expect(401, "token_missing", "", http.MethodGet, "/project/import", "")
}

// Verifies: ORC-154

// A tick of the document is its claim: shown beside the status, which it does not change.
func TestATickIsShownAsTheDocumentsClaim(t *testing.T) {
	h := newHarness(t, func(o *options) { o.Document = "# Sample\n\n- [x] **REQ-001**: Log in.\n- [ ] **REQ-002**: Log out.\n" })
	dossier := func(accept string) string {
		return string(h.expect(200, "", "viewer", http.MethodGet, "/requirements/REQ-001/review", "", "Accept", accept).Body)
	}
	require.Contains(t, dossier("text/markdown"), "- document: complete according to the document\n")
	require.Contains(t, dossier("application/json"), `"tick":"ticked","suspect":false,"retired":false,"complete_in_document":true`)
	shown := func(path string) int {
		return strings.Count(string(h.expect(200, "", "pm", http.MethodGet, path, "").Body), `"complete_in_document":`)
	}
	for path, want := range map[string]int{"/requirements": 1, "/requirements/REQ-001/next": 1, "/requirements/REQ-002/next": 0,
		"/next": 3, "/project/review": 2} { // of mine, the first and all; of the counts and the line
		require.Equal(t, want, shown(path), path)
	}
	review := string(h.expect(200, "", "viewer", http.MethodGet, "/project/review", "", "Accept", "text/markdown").Body)
	require.Equal(t, 2, strings.Count(review, "complete according to the document"), "among the counts and at the requirement")

	h.patch("pm", exampleBody(t, "pm_moves"))
	h.write("# Sample\n\n- [ ] **REQ-001**: Log in.\n- [ ] **REQ-002**: Log out.\n")
	h.expect(200, "", "pm", http.MethodPost, "/project/import", "")
	after := h.do("viewer", http.MethodGet, one, "").json(t)
	require.Equal(t, []any{"planned", false}, []any{after["status"], after["suspect"]})
	require.Contains(t, dossier("text/markdown"), "- the document says: open; the state here is planned\n")
	require.Zero(t, shown("/requirements")+shown("/next")+shown("/project/review"))
}

// tokenIDs returns the tokens of the harness: the name of each by its id.
func (h *harness) tokenIDs() map[string]string {
	h.t.Helper()
	tokens, err := h.files.List()
	require.NoError(h.t, err)
	names := map[string]string{}
	for _, token := range tokens {
		names[token.Mark()] = token.Name
	}
	return names
}
