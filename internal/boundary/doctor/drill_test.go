package doctor

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
)

func ids() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("%016x", n) }
}

// Verifies: ORC-069
func TestDrillExercisesBothAndNotesThem(t *testing.T) {
	t.Parallel()
	for by, environment := range map[string]bool{"environment": true, "grant": false} {
		for _, mode := range boundary.Modes() {
			dir, _ := project(t)
			p := boundary.DefaultPolicy()
			p.Mode, p.Bypass.Environment = mode, environment
			require.NoError(t, dir.WritePolicy(p))
			done, err := Drill(dir, control.Change{By: "ada"}, ids())
			require.NoError(t, err)
			require.Equal(t, []string{by, "mode"}, []string{done.Bypass.By, done.Rollback.By})
			require.Positive(t, done.Bypass.Micros)
			require.Positive(t, done.Rollback.Micros)

			h, err := report.Read(dir)
			require.NoError(t, err)
			require.Len(t, h.Drills, 2)
			for i, what := range []string{report.DrillBypass, report.DrillRollback} {
				require.Equal(t, []any{what, "ada", "drill"}, []any{h.Drills[i].What, h.Drills[i].By, h.Drills[i].Reason})
				require.Positive(t, h.Drills[i].Micros)
			}
			require.Empty(t, h.Decisions, "what was tried in the copy is no decision")
			require.Empty(t, h.Bypasses)
			kept, err := dir.Policy()
			require.NoError(t, err)
			require.Equal(t, p, kept)
			f := h.Figures(&p, time.Now())
			require.Equal(t, []int{1, 1}, []int{f.BypassDrills, f.Rollbacks})
		}
	}
}

// A way out that does not work is not noted as exercised, and copies are removed.
func TestAFailedDrillNotesNothing(t *testing.T) {
	tmp := t.TempDir()
	dir, _ := project(t)
	t.Setenv("TMPDIR", tmp)
	p := boundary.DefaultPolicy()
	p.BlockedTools, p.AllowedTools = []string{}, []string{"*"}
	require.NoError(t, dir.WritePolicy(p))
	before := journal(t, dir)
	_, err := Drill(dir, control.Change{By: "ada"}, ids())
	require.ErrorContains(t, err, "enforced, a write by a main session is not blocked")
	require.Equal(t, before, journal(t, dir))
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, left)
}
