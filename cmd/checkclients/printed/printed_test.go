package printed

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is kept of what a client prints is what it says of its usage.
func TestWhatIsReported(t *testing.T) {
	var message any
	require.NoError(t, json.Unmarshal([]byte(`[{"type":"step","id":"x","part":{"tokens":{"input":1},"text":"secret"}},
		{"type":"end","stats":{"models":{"m":{"n":2}},"tools":3},"usage":{"input_tokens":4}}, "warning"]`), &message))
	kept, err := json.Marshal(reported(message))
	require.NoError(t, err)
	require.JSONEq(t, `[{"type":"step","part":{"tokens":{"input":1}}},
		{"type":"end","stats":{"models":{"m":{"n":2}}},"usage":{"input_tokens":4}}, null]`, string(kept))
}
