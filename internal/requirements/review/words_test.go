package review

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// Each gate on the way to done has words of its own, and no chore is of a gate that there is not.
func TestEveryGateHasWords(t *testing.T) {
	known := map[string]bool{}
	for _, g := range lifecycle.Gates() {
		if g.To == lifecycle.TestedFail {
			continue // not on the way to done
		}
		known[g.Name] = true
		said := lackWords([]Missing{{g.To, lifecycle.Lack{Gate: g.Name, Detail: "a detail", By: g.Supplier}}}, true)
		require.Contains(t, said, "the "+string(g.Supplier)+" must ")
		require.NotContains(t, said, "see to", g.Name)
	}
	for _, c := range chores {
		require.True(t, known[c.gate], c.gate)
	}
	require.Equal(t, "the pm must see to a_new_gate",
		lackWords([]Missing{{lifecycle.Done, lifecycle.Lack{Gate: "a_new_gate", By: lifecycle.PM}}}, false))
}

// Each reason for which a part can be stale has words of its own; one that is not known is named.
func TestEveryStaleReasonHasWords(t *testing.T) {
	for reason := range staleReasons {
		said := staleSentence([]lifecycle.Stale{{Part: lifecycle.FieldTest, Reason: reason}})
		require.NotContains(t, said, reason)
		require.NotContains(t, said, "%!")
		require.Regexp(t, `: the (tester must test again|operator must make the repository whole and readable)$`, said)
	}
	require.Equal(t, "test record is stale (new_reason): the tester must test again",
		staleSentence([]lifecycle.Stale{{Part: lifecycle.FieldTest, Reason: "new_reason"}}))
	require.Equal(t, "nobody", theParties(nil))
	require.Equal(t, "the coder and the tester", theParties([]lifecycle.Party{"coder", "tester"}))
}
