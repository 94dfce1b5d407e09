package catalogue_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/catalogue"
)

// maxPage is the most bytes of the page of a code, in any form.
const maxPage = 2048

// Verifies: ORC-131
func TestEveryCodeHasAPageThatIsShort(t *testing.T) {
	pages, err := catalogue.Make()
	require.NoError(t, err)
	examples, err := catalogue.Examples()
	require.NoError(t, err)
	require.Len(t, pages.Of, len(catalogue.Entries()))
	for _, e := range catalogue.Entries() {
		page := pages.Of[e.Code]
		require.Contains(t, examples, e.Code)
		for form, body := range map[string][]byte{"text": page.Text, "html": page.HTML, "json": page.JSON} {
			require.LessOrEqual(t, len(body), maxPage, "%s of %s", form, e.Code)
			require.Contains(t, string(body), string(e.Code))
		}
		require.Contains(t, string(page.Text), e.Means)
		require.Contains(t, string(page.Text), e.Fix)
		require.Contains(t, string(pages.List.Text), string(e.Code)+": ")
		require.Contains(t, string(pages.List.HTML), catalogue.Path(e.Code))
	}
}

// TestExamplesShowWhatWasSent: an example that changes something has the body that was refused, and no problem speaks of
// an Idempotency-Key that its request does not have.
func TestExamplesShowWhatWasSent(t *testing.T) {
	examples, err := catalogue.Examples()
	require.NoError(t, err)
	bodiless := []fault.Code{"report_empty"}
	for code, e := range examples {
		method, path, _ := strings.Cut(e.Request, " ")
		require.Equal(t, strings.HasPrefix(string(code), "store_"), e.Request == "", code)
		if method != "GET" && method != "DELETE" && path != "/project/import" && method != "" && !slices.Contains(bodiless, code) {
			require.NotEmpty(t, e.Body, code)
		}
		if strings.Contains(string(e.Problem), "new Idempotency-Key") {
			require.Contains(t, e.Request, "Idempotency-Key: ", code)
		}
	}
}

func TestEntriesAreWhole(t *testing.T) {
	all := catalogue.Entries()
	require.True(t, slices.IsSortedFunc(all, func(a, b catalogue.Entry) int { return strings.Compare(string(a.Code), string(b.Code)) }))
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	for i, e := range all {
		require.Regexp(t, name, e.Code)
		require.True(t, i == 0 || e.Code != all[i-1].Code, "%s stands twice", e.Code)
		require.NotEmpty(t, e.Statuses, e.Code)
		for _, status := range e.Statuses {
			require.NotEmpty(t, http.StatusText(status), e.Code)
		}
		for _, text := range []string{e.Means, e.Fix} {
			require.True(t, strings.HasSuffix(text, ".") || strings.HasSuffix(text, "}."), "%s: %q", e.Code, text)
		}
	}
}

func TestWhatMayBeSentAgain(t *testing.T) {
	for code, want := range map[fault.Code]bool{
		"rate_limited": true, "changed_meanwhile": true, "body_timeout": true, "disk_full": true, "ledger_failed": true,
		"gate_unmet": false, "stale_revision": false, "internal": false, "no_such_code": false,
	} {
		require.Equal(t, want, catalogue.Retryable(code), code)
	}
	for _, e := range catalogue.Entries() {
		if slices.Contains(e.Statuses, http.StatusTooManyRequests) || slices.Contains(e.Statuses, http.StatusRequestTimeout) {
			require.True(t, e.Retryable, e.Code)
		}
	}
}

func TestWhatIsShownIsEscaped(t *testing.T) {
	pages, err := catalogue.Make()
	require.NoError(t, err)
	examples, err := catalogue.Examples()
	require.NoError(t, err)
	require.Contains(t, examples["report_unreadable"].Body, "<testsuite")
	page := string(pages.Of["report_unreadable"].HTML)
	require.NotContains(t, page, "<testsuite")
	require.Contains(t, page, "&lt;testsuite")
	_, found := catalogue.Find("no_such_code")
	require.False(t, found)
}
