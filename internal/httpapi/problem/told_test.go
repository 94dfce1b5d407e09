package problem_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/problem"
)

// TestAnEncodedTraceIsToldAsItIs, in memory that an answer may append to without writing over that of the trace.
func TestAnEncodedTraceIsToldAsItIs(t *testing.T) {
	room := append(make(jsontext.Value, 0, 100), `{"obligations":[]},`...)
	encoded := room[:len(room)-1]
	told, err := problem.Told(encoded)
	require.NoError(t, err)
	require.Equal(t, string(encoded), string(told))
	_ = append(told, '\n')
	require.Equal(t, byte(','), room[len(room)-1])
}
