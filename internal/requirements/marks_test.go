package requirements

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// TestAMarkMakesNothingSuspect: neither one that the author writes, nor one that an earlier release left in the title.
func TestAMarkMakesNothingSuspect(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	report := r.mustImport(strings.Replace(twoRequirements, "The login works.", "✅ The login works.", 1))
	require.Empty(t, report.Changed)
	require.Equal(t, "REQ-001", report.Moved[0].ID, "the tick is recorded")
	require.Equal(t, reqdoc.TickTicked, r.requirement("REQ-001").Source.Tick)
	r.verified()

	r = start(t, store.NewMemory())
	marked := "# Demo\n\n- **REQ-001**: ✓ The login works.\n"
	set, err := reqdoc.Read([]reqdoc.File{{Path: "REQUIREMENTS.md", Content: []byte(marked)}}, reqdoc.Options{})
	require.NoError(t, err)
	earlier := set.Requirements[0].Earlier
	set.Requirements[0].Title, set.Requirements[0].Text = "✓ The login works.", "✓ The login works."
	set.Requirements[0].Fingerprint, set.Requirements[0].Earlier, set.Requirements[0].Tick = earlier, "", ""
	r.mustTake(set)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	report = r.mustImport(marked)
	require.Empty(t, report.Changed)
	require.Len(t, report.Moved, 1)
	require.False(t, r.requirement("REQ-001").Suspect)
	require.Equal(t, earlier, r.requirement("REQ-001").Fingerprint)
	require.Equal(t, "The login works.", r.requirement("REQ-001").Title)
	require.Equal(t, 1, r.mustImport(marked).Unchanged)
	r.verified()

	require.Len(t, r.mustImport(strings.Replace(marked, "login", "logout", 1)).Changed, 1)
	require.True(t, r.requirement("REQ-001").Suspect, "another text is another text")
}
