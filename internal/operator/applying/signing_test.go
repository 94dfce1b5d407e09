package applying

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/adoption"
)

// Verifies: ORC-190

func TestAReviewListsWhatThePMSigns(t *testing.T) {
	plan := planOf(t,
		line("R-1", 1, `{"status":"planned"}`),
		line("R-1", 2, `{"approvals":[{"decision":"approved","text":"fine"}],"status":"done","justification":{"reason":"all there"}}`),
		line("R-2", 2, `{"accept_fingerprint":"sha256:x"}`),
		line("R-3", 2, `{"deviations":[{"id":"D-1","status":"accepted"}]}`),
		line("R-4", 2, `{"status":7}`),
		`{"role":"tester","requirement":"R-1","report":{"path":"r.xml"}}`)
	r := ReviewOf(plan, []byte("content"))
	require.Equal(t, map[adoption.Role]int{"pm": 5, "tester": 1}, r.Roles)
	require.Equal(t, []Signature{
		{2, "R-1", "approval: approved", "fine"}, {2, "R-1", "moves it to done", "all there"},
		{3, "R-2", "accepts its changed text", "sha256:x"}, {4, "R-3", "deviation D-1: accepted", ""},
		{5, "R-4", "sends what cannot be read as a change", `{"status":7}`},
	}, r.Signs)
	require.NoError(t, r.Hold(""))
	require.NoError(t, r.Hold(digestOf([]byte("content"))))
	require.True(t, fault.Is(r.Hold(digestOf([]byte("other"))), "plan_changed"))
}
