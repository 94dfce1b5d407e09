package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheRulesExploredWhole walks the states of one requirement that the rules can tell from others, and takes every step
// from each, to the fixpoint; explore_class_test.go says what a state is. Every step is held to the laws. Under rework
// there is a way to done from everywhere; under v1 the dead ends are those that are declared. Without any one of the
// gates, and without some other parts of the rules, a law is broken.
//
// Verifies: ORC-014, ORC-026
func TestTheRulesExploredWhole(t *testing.T) {
	for _, w := range []Workflow{Rework.Looking(true), V1.Looking(true)} {
		begun := time.Now()
		g, err := walk(w, false)
		require.NoError(t, err)
		t.Logf("%s: %d states, %d transitions of %d steps tried, %s", w.Name, len(g.classes), g.accepted, g.asked,
			time.Since(begun).Round(time.Millisecond))
		require.Greater(t, len(g.classes), 20_000, "what is reached")
		stuck := g.stuck()
		require.ElementsMatch(t, w.DeadEnds(), g.statusesOf(stuck))
		require.Len(t, stuck, g.count(w.DeadEnds()...), "each state of a dead end is one, and no other")
		if w.Name == Rework.Name {
			requireEachRule(t, g)
			requireFewDifferences(t, g)
		}
		if testing.Short() {
			t.Log("v1 was not explored, as -short asks")
			return
		}
	}
}

// requireEachRule demands that a law is broken without any one of the gates, or of the other parts of the rules.
func requireEachRule(t *testing.T, g *graph) {
	t.Helper()
	mutants := append(withoutGate(), withoutPart()...)
	require.Len(t, mutants, len(gates)+5)
	for _, m := range mutants {
		seen := g.hunt(m)
		require.Error(t, seen.broken, "nobody misses %s: %s", m.name, seen)
	}
	t.Logf("%d gates and 5 other parts of the rules are missed when they are left out", len(gates))
}

// requireFewDifferences compares, for one state in a hundred, each step from the requirement that stands for the state
// with the same step at the end of a real history of it. The states are not exact: where tests do not count for several
// reasons, only some are kept. A law that is broken by a mutant is confirmed by a real history; see hunt.
func requireFewDifferences(t *testing.T, g *graph) {
	t.Helper()
	sampled, differ := 0, 0
	for n := 0; n < len(g.classes); n += 97 {
		sampled++
		if g.differs(int32(n)) != "" {
			differ++
		}
	}
	t.Logf("%d of %d sampled states have a step that leads elsewhere in a real history", differ, sampled)
	require.LessOrEqual(t, differ, sampled/10)
}
