package language

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/schemas"
)

// What the grammar makes is what the doors take: every example fits the schema of obligations.
func TestTheFormsFitTheSchema(t *testing.T) {
	for i := range forms {
		for _, example := range forms[i].Examples {
			request, err := In(example)
			require.NoError(t, err, example)
			raw, err := json.Marshal(request)
			require.NoError(t, err)
			var value any
			require.NoError(t, json.Unmarshal(raw, &value))
			require.Empty(t, schemas.Violations(schemas.Obligations, value), "%s: %s", example, raw)
		}
	}
}
