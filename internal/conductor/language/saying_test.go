package language

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/planning"
)

// What acts is said back in a sentence that is read as that act, where a sentence can be.
//
// Verifies: ORC-286
func TestSaying(t *testing.T) {
	exact := map[string]bool{}
	for i := range forms {
		for _, example := range forms[i].Examples {
			if forms[i].Type != planning.Achieve {
				continue
			}
			found, _ := match(example, moment)
			saying := Say(found[0].obligation, moment)
			if sentence, is := strings.CutPrefix(saying, "say: "); is {
				again, _ := match(sentence, moment)
				require.Equal(t, found[0].obligation, again[0].obligation, sentence)
				exact[forms[i].name()] = true
			} else {
				require.True(t, strings.HasPrefix(saying, "say it as in: "), saying)
			}
		}
	}
	for i := range forms {
		require.True(t, forms[i].Type != planning.Achieve || exact[forms[i].name()], "%s is said in no sentence", forms[i].name())
	}
	require.Equal(t, "say: approve REQ-1", Say(planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": "requirement.signoff",
		"id": "REQ-1", "approvals": []any{map[string]any{"decision": "approved"}}}}, moment))
	require.Equal(t, `say: my name is "Is Not"`, Say(planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": "status.name",
		"value": "Is Not"}}, moment))
	require.Equal(t, "say it as in: my name is Jeff", Say(planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": "status.name",
		"value": `"`}}, moment))
	require.Equal(t, "send it as JSON: POST /obligations", Say(planning.Obligation{Type: planning.Achieve, Payload: map[string]any{"kind": "k.x"}}, moment))
}
