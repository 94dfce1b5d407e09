package folder

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// TestALineKeepsThatSecretsAreRead: however long the names are, the call is judged the same again.
func TestALineKeepsThatSecretsAreRead(t *testing.T) {
	policy := boundary.DefaultPolicy()
	for _, length := range []int{1, 100, 5000} {
		long := ".orchestrator/tokens/" + strings.Repeat("\x01", length)
		l := Line{ID: "0000000000000001", At: time.Unix(1, 0).UTC(), Kind: KindDecision, Shell: true, Tool: "Bash"}
		for range 20 {
			l.Reads = append(l.Reads, boundary.Target{Path: long, Real: long})
		}
		before := boundary.Judge(&policy, l.Call())
		require.Equal(t, boundary.RuleSecret, before.Rule)
		raw, err := encodeLine(l)
		require.NoError(t, err)
		require.LessOrEqual(t, len(raw), MaxLine)
		back, err := ParseLine(raw)
		require.NoError(t, err)
		after := boundary.Judge(&policy, back.Call())
		require.Equal(t, before.Rule, after.Rule, length)
		require.Equal(t, before.Would, after.Would)
	}
}
