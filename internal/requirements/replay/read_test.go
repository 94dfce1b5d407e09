package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// TestFormsOfFilesThatOlderRulesRefused: what was refused for its schema then is refused when it is replayed.
func TestFormsOfFilesThatOlderRulesRefused(t *testing.T) {
	for _, c := range []struct {
		role    lifecycle.Role
		change  string
		refused []string // by rules before lifecycle.Rules4
	}{
		{lifecycle.Coder, `{"implementation":{"summary":"s","files":[{"path":"a.go"},"b.go"]}}`, []string{"/implementation/files/1"}},
		{lifecycle.Coder, `{"implementation":{"summary":"s","files":[{"path":"a.go"}]}}`, nil},
		{lifecycle.Coder, `{"implementation":null}`, nil},
		{lifecycle.Architect, `{"design_spec":{"summary":"s","files":["a.md",{"path":"b.md"}]}}`, []string{"/design_spec/files/1"}},
		{lifecycle.Architect, `{"design_spec":{"summary":"s","files":["a.md"]}}`, nil},
	} {
		for _, rules := range []lifecycle.Rules{lifecycle.Rules1, lifecycle.Rules3, lifecycle.Rules4} {
			from := audit.Record{Actor: audit.Actor{Name: "ada", Role: string(c.role)}}
			change, err := readChange(from, record.Proposed{Rules: rules, Change: []byte(c.change)})
			require.NoError(t, err)
			var refused []string
			for _, v := range change.Violations {
				refused = append(refused, v.Pointer)
			}
			if rules == lifecycle.Rules4 {
				require.Empty(t, refused, c.change)
			} else {
				require.Equal(t, c.refused, refused, "rules %d: %s", rules, c.change)
			}
		}
	}
}
