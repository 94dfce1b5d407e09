package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/reqdoc"
)

// Verifies: ORC-147

// TestAWholeIDIsOnePartOfEveryPath: its slash and its spaces are percent-encoded, and stay what they are.
//
// Verifies: ORC-007
func TestAWholeIDIsOnePartOfEveryPath(t *testing.T) {
	h := newHarness(t)
	h.specs = []reqdoc.File{{Path: "openspec/specs/cli-list/spec.md", Content: []byte("# List\n\n### Requirement: 100% of it's Output?\nText.\n")}}
	h.expect(http.StatusOK, "", "pm", "POST", "/project/import", "")
	const path, short = "/requirements/cli-list%2F100%25%20of%20it%27s%20Output%3F", "/requirements/100%25%20of%20it's%20Output%3F"
	for _, request := range [][3]string{
		{"pm", "GET", ""}, {"pm", "GET", "/next"}, {"pm", "GET", "/history"}, {"pm", "GET", "/review"},
		{"coder", "POST", "/claim"}, {"coder", "DELETE", "/claim?field=implementation"}, {"pm", "PATCH", ""},
	} {
		body := map[string]string{"PATCH": `{"pm_notes":[{"text":"soon"}]}`, "POST": `{}`}[request[1]]
		ok := h.do(request[0], request[1], path+request[2], body)
		require.Less(t, ok.Status, 300, "%v %s", request, ok.Body)
		refused := h.expect(http.StatusNotFound, "unknown_requirement", request[0], request[1], short+request[2], body)
		require.Contains(t, string(refused.Body), `"ids":["cli-list/100% of it's Output?"]`)
	}
	h.expect(http.StatusNotFound, "unknown_path", "pm", "GET", "/requirements/cli-list/Output", "")
}
