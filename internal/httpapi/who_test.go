package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// Who did something to a requirement, and when, is answered in words from what the store has; an approval that does not
// count says so.
//
// Verifies: ORC-296
func TestWhoDidWhatIsTold(t *testing.T) {
	h := newHarness(t)
	told := func(utterance string) string {
		t.Helper()
		sent := h.do("viewer", http.MethodPost, "/requests", utter(utterance)).json(t)
		require.Equal(t, "resolved", sent["status"], sent)
		return answersOf(sent)[0]["text"].(string)
	}
	require.Equal(t, "It is not on record that REQ-001 was ever approved: it is not_started.", told("who approved REQ-001?"))
	h.patch("pm", move(lifecycle.Planned))
	h.patch("pm", move(lifecycle.DesignInProgress))
	h.patch("architect", `{"design_spec":{"summary":"a form"}}`)
	h.patch("pm", `{"approvals":[{"decision":"approved","text":"as shown"}]}`)
	require.Regexp(t, `^\S+ \(architect\) wrote the design of REQ-001 on 20\S+Z\.$`, told("who designed REQ-001"))
	require.Regexp(t, `^\S+ \(pm\) approved REQ-001 on 20\S+Z; why: as shown\.$`, told("when was REQ-001 approved?"))
	h.patch("pm", `{"approvals":[{"decision":"rejected"}]}`)
	require.Regexp(t, `as shown; it does not count any more\.$`, told("who approved REQ-001"))
	require.Regexp(t, `^\S+ \(pm\) rejected REQ-001 on 20\S+Z\.$`, told("by whom was REQ-001 rejected"))
	h.patch("architect", `{"design_spec":null}`)
	require.Regexp(t, `cleared the design of REQ-001`, told("who designed REQ-001"))
	h.patch("pm", move(lifecycle.NeedsChanges))
	require.Regexp(t, `^\S+ \(pm\) moved REQ-001 to needs_changes on 20\S+Z; why: \S.*\.$`, told("who asked for changes on REQ-001"))
	require.Contains(t, told("who implemented REQ-001"), "not on record that REQ-001 was ever implemented")
	unknown := h.do("viewer", http.MethodPost, "/obligations",
		`{"obligations":[{"type":"REPORT","payload":{"kind":"requirement.acts","id":"REQ-001","did":"sung"}}]}`)
	require.Equal(t, http.StatusBadRequest, unknown.Status)
	asked := h.do("pm", http.MethodPost, "/obligations",
		`{"obligations":[{"type":"REPORT","payload":{"kind":"requirement.acts","id":"REQ-001"}}]}`).json(t)
	require.Equal(t, "clarify", asked["status"])
}
