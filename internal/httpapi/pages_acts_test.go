package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// A question of a run is answered on its page, by who asked and by nobody who may not; an answer that does not fit is
// refused in its place.
//
// Verifies: ORC-338
func TestAQuestionIsAnsweredOnItsPage(t *testing.T) {
	h := newHarness(t)
	h.expect(200, "", "coder", "POST", "/obligations",
		`{"obligations":[{"type":"CLARIFY","payload":{"slot":"year","question":"which <year>?",`+
			`"schema":{"type":"integer","minimum":2000}}}]}`)

	b := h.browse().signIn("tester")
	require.Contains(t, b.visit("/ui/traces", nil).page, "Nothing is asked of you. One question waits for others.")
	require.NotContains(t, b.page, `Conductor <span class="n">`)

	b = h.browse().signIn("coder")
	require.Contains(t, b.visit("/ui/traces", nil).page, "One question waits for you.")
	require.Contains(t, b.page, `Conductor <span class="n">1</span>`)
	require.Contains(t, b.page, "Which &lt;year&gt;?")
	form := b.form("answer")
	form.Set("value", "1999")
	require.Equal(t, http.StatusUnprocessableEntity, b.visit("/ui/traces", form).status, b.page)
	require.Contains(t, b.page, "422 answer_unfit")
	require.Contains(t, b.page, `value="1999"`)

	form = b.form("answer")
	form.Set("value", "2031")
	require.Equal(t, http.StatusSeeOther, b.visit("/ui/traces", form).status, b.page)
	require.Contains(t, b.visit(b.header.Get("Location"), nil).page, "You answered run 1: it was resolved.")
	require.Contains(t, b.page, "<h1>Run 1 was resolved.</h1>")
	require.Contains(t, b.page, "<code>2031</code>", "the tree has who answered what")
	require.Contains(t, b.visit("/ui/traces", nil).page, "No question waits. No run is under way.")

	b.visit("/ui/traces", url.Values{"act": {"ask"}, "utterance": {"what is 2+2"}})
	require.Equal(t, http.StatusSeeOther, b.status, b.page)
	require.Contains(t, b.visit(b.header.Get("Location"), nil).page, "2+2 = 4")
}

// Workflow and mode are switched on their pages by a pm alone; what is refused is on record, as it is for a program.
//
// Verifies: ORC-338
func TestWorkflowAndModeAreSwitchedOnTheirPages(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("viewer")
	require.NotContains(t, b.visit("/ui/workflow", nil).page, "<textarea")
	require.NotContains(t, b.visit("/ui/boundary/report", nil).page, "<textarea")
	before := h.Ledger.Head().Size
	b.visit("/ui/boundary/report", url.Values{"act": {"mode"}, "mode": {"off"}, "reason": {"I may not"}})
	require.Equal(t, http.StatusForbidden, b.status)
	require.Contains(t, b.page, "403 role_forbidden")
	require.Equal(t, before+1, h.Ledger.Head().Size)

	b = h.browse().signIn("pm")
	b.visit("/ui/workflow", url.Values{"workflow": {"rework"}, "reason": {"failed tests lead back"}})
	require.Equal(t, http.StatusSeeOther, b.status, b.page)
	require.Contains(t, b.visit("/ui/workflow", nil).page, "Workflow rework is in force: every status leads to done.")

	b.visit("/ui/boundary/report", url.Values{"act": {"mode"}, "mode": {"enforce"}, "reason": {"in a hurry"}})
	require.Equal(t, http.StatusConflict, b.status)
	require.Contains(t, b.page, "409 boundary_not_ready")
	require.Contains(t, b.page, "in a hurry</textarea>")
	b.visit("/ui/boundary/report", url.Values{"act": {"mode"}, "mode": {"enforce"}, "reason": {"in a hurry"},
		"override": {"until it is out"}})
	require.Equal(t, http.StatusSeeOther, b.status, b.page)
	require.Contains(t, b.visit("/ui/boundary/report", nil).page, "<h1>Enforce for")
	require.Contains(t, b.page, "Switched by pm: in a hurry.")

	require.Contains(t, b.visit("/ui/progress", nil).page, "It is too early to say")
}

// A double click is one act, also where the API takes no key.
//
// Verifies: ORC-332
func TestADoubleClickAttestsOnce(t *testing.T) {
	h := newHarness(t)
	b := h.browse().signIn("pm")
	form := b.visit("/ui/boundary/report", nil).form("attest")
	form.Set("item", "team")
	form.Set("note", "briefed")
	before := h.Ledger.Head().Size
	for range 2 {
		require.Equal(t, http.StatusSeeOther, b.visit("/ui/boundary/report", form).status, b.page)
	}
	require.Equal(t, before+1, h.Ledger.Head().Size)
	form = b.visit("/ui/boundary/report", nil).form("attest")
	form.Set("item", "team")
	form.Set("note", "briefed again")
	require.Equal(t, http.StatusSeeOther, b.visit("/ui/boundary/report", form).status, b.page)
	require.Equal(t, before+2, h.Ledger.Head().Size, "another form is another act")
}
