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
			request, err := In(example, moment)
			require.NoError(t, err, example)
			completed(request.Obligations[0].Payload)
			raw, err := json.Marshal(request)
			require.NoError(t, err)
			var value any
			require.NoError(t, json.Unmarshal(raw, &value))
			require.Empty(t, schemas.Violations(schemas.Obligations, value), "%s: %s", example, raw)
		}
	}
}

// completed adds what the service adds to words: evidence for a reason, and the status that a requirement was held from.
func completed(payload map[string]any) {
	if payload["status"] == Held {
		payload["status"] = "planned"
	}
	if why, is := payload["justification"].(map[string]any); is && why["evidence"] == nil {
		why["evidence"] = []any{map[string]any{"kind": "file", "path": "REQUIREMENTS.md"}}
	}
}
