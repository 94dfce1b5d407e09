package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/pagetest"
)

// Verifies: ORC-337
func TestEveryPageSaysWhichDocumentWasNotImported(t *testing.T) {
	const (
		problem = `{"last":{"ok":false,"at":"2026-11-22T14:31:00Z","problem":{"detail":"nothing is there","errors":[`
		nothing = "The documents were not imported since 14:31: nothing is there."
	)
	for answer, said := range map[string]string{
		`{"last":{"ok":true},"counts":{"skipped":2}}`:        "",
		problem + `{"path":"R.md","line":177}]}}}`:           "R.md was not imported since 14:31: line 177.",
		problem + `{"path":"R.md","line":0,"detail":""}]}}}`: nothing,
		problem + `]}}}`: nothing,
	} {
		api := ask.API{Handler: &pagetest.API{Answers: map[string]string{"GET /project/import": answer}},
			From: httptest.NewRequest(http.MethodGet, "/ui/", http.NoBody)}
		nav := []page.Item{{Name: "Import"}, {Name: "Log"}}
		require.Equal(t, said, documents(api, nav), answer)
		if said == "" {
			require.Equal(t, []page.Item{{Name: "Import", Count: 2}, {Name: "Log"}}, nav)
		}
	}
}
