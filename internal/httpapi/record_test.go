package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A scope says who is answered with a fact; the record of the run that stated it is everybody's to read.
//
// Verifies: ORC-268
func TestTheRecordHasFactsOfOnesOwn(t *testing.T) {
	h := newHarness(t)
	run := h.expect(200, "", "coder", "POST", "/obligations",
		`{"obligations":[{"type":"ACHIEVE","payload":{"kind":"ir.assert","scope":"own",
		"facts":[{"subject":"Bob","predicate":"city","object":"Atlantis"}]}}]}`)
	listed := h.expect(200, "", "viewer", "POST", "/obligations", obligation("query.facts", `"subject":"Bob"`))
	require.NotContains(t, string(listed.Body), "Atlantis")
	id, _ := run.json(t)["id"].(string)
	for _, path := range []string{"/obligations/" + id, "/traces/" + id} {
		require.Contains(t, string(h.expect(200, "", "viewer", "GET", path, "").Body), "Atlantis", path)
	}
}
