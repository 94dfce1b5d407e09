package docpage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/api"
	"orchestrator/internal/httpapi/docpage"
)

func rendered(t *testing.T) string {
	t.Helper()
	page, err := docpage.Render(api.OpenAPIJSON)
	require.NoError(t, err)
	return string(page)
}

func TestThePageHasEveryOperation(t *testing.T) {
	page := rendered(t)
	for path, operations := range decoded(t)["paths"].(map[string]any) {
		for method, op := range operations.(map[string]any) {
			if op, is := op.(map[string]any); is && op["operationId"] != nil {
				require.Contains(t, page, `<section id="`+op["operationId"].(string)+`"><h3><code>`+strings.ToUpper(method)+" "+path)
			}
		}
	}
	for name := range decoded(t)["components"].(map[string]any)["schemas"].(map[string]any) {
		require.Contains(t, page, `<section id="schema-`+name+`">`)
	}
}

func decoded(t *testing.T) map[string]any {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(api.OpenAPIJSON, &doc))
	return doc
}

var (
	link   = regexp.MustCompile(`href="([^"]*)"`)
	anchor = regexp.MustCompile(` id="([^"]*)"`)
	tag    = regexp.MustCompile(`<([a-z0-9]+)`)
	styles = regexp.MustCompile(`<style>(.*)</style>`)
)

// TestThePageNeedsNothingFromElsewhere: no script, no image, no address of another host, and no link that leads nowhere.
//
// Verifies: ORC-130
func TestThePageNeedsNothingFromElsewhere(t *testing.T) {
	page := rendered(t)
	ids := map[string]bool{}
	for _, m := range anchor.FindAllStringSubmatch(page, -1) {
		require.False(t, ids[m[1]], "%s stands twice", m[1])
		ids[m[1]] = true
	}
	for _, m := range link.FindAllStringSubmatch(page, -1) {
		if to, inside := strings.CutPrefix(m[1], "#"); inside {
			require.True(t, ids[to], "%s leads nowhere", m[1])
		} else {
			require.Regexp(t, `^/problems/[a-z0-9_]+$`, m[1])
		}
	}
	known := " html meta title style h1 h2 h3 h4 p nav ul li a code section strong dl dt dd pre details summary br "
	for _, m := range tag.FindAllStringSubmatch(page, -1) {
		require.Contains(t, known, " "+m[1]+" ")
	}
	sum := sha256.Sum256([]byte(styles.FindStringSubmatch(page)[1]))
	require.Contains(t, docpage.Policy(), "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	require.NotContains(t, page, " style=")
}

func TestWhatIsNoDocumentIsRefused(t *testing.T) {
	for _, wrong := range []string{"", "[]", "{", `{"openapi":"3.1.0"}`, "openapi: 3.1.0"} {
		_, err := docpage.Render([]byte(wrong))
		require.Error(t, err, wrong)
	}
}

func TestTextIsEscaped(t *testing.T) {
	page, err := docpage.Render([]byte(`{"openapi":"3.1.0","info":{"title":"<script>","description":"a ` + "`<b>`" + ` **<i>**\n\n1. one\n2. two"},
		"tags":[{"name":"<t>"}],"paths":{"/<x>":{"parameters":[{"name":"<n>","in":"query","schema":{"enum":["<e>"]}}],
		"get":{"operationId":"o","tags":["<t>"],"responses":{"200":{"description":"<d>","content":{"text/plain":{"example":"<p>x"}}}}}}}}`))
	require.NoError(t, err)
	for _, never := range []string{"<script>", "<b>", "<i>", "<t>", "<x>", "<n>", "<e>", "<d>", "<p>x"} {
		require.NotContains(t, string(page), never)
	}
	for _, wanted := range []string{"<code>&lt;b&gt;</code>", "<strong>&lt;i&gt;</strong>", "<br>2. two", "&lt;e&gt;", "&lt;p&gt;x"} {
		require.Contains(t, string(page), wanted)
	}
}
