package fulltext_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/fulltext"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/pagetest"
)

var (
	piece = regexp.MustCompile(`(?s)<div class="text" dir="auto">(.*?)</div>`)
	next  = regexp.MustCompile(`href="/ui/requirements/A/text\?(from=[0-9]+)">Next`)
)

func visit(api *pagetest.API, query string) *page.Visit {
	v := api.Visit("viewer", "/requirements/A/text?"+query)
	v.ID = "A"
	return v
}

// The pieces of a long text are the whole text, and no piece begins or ends within a character.
func TestAllPiecesAreTheWholeText(t *testing.T) {
	text := strings.Repeat("é and ẞ\n", 20_000)
	body, err := json.Marshal(map[string]string{"id": "A", "title": "T", "text": text})
	require.NoError(t, err)
	api := &pagetest.API{Answers: map[string]string{"GET /requirements/A": string(body)}}
	var all strings.Builder
	query, pages := "", 0
	for {
		html := pagetest.Show(t, fulltext.Page(), visit(api, query))
		require.NotContains(t, html, "0x", "a character was cut")
		all.WriteString(piece.FindStringSubmatch(html)[1])
		pages++
		m := next.FindStringSubmatch(html)
		if m == nil {
			break
		}
		query = m[1]
	}
	require.Equal(t, text, all.String())
	require.Equal(t, len(text)/(64<<10)+1, pages)
	for _, odd := range []string{"from=-1", "from=x", "from=99999999", "from=1"} {
		require.NotContains(t, pagetest.Show(t, fulltext.Page(), visit(api, odd)), "0x", odd)
	}
}
