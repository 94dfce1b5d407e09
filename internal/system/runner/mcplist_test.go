package runner

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAServerListsItsTools(t *testing.T) {
	found, r, err := tool(t, "structured").List(t.Context())
	require.NoError(t, err)
	require.Len(t, found.Tools, len(tools))
	require.True(t, slices.Contains(found.Tools, "echo"))
	require.JSONEq(t, `{"n":9007199254740993,"d":1.10}`, string(found.Answer))
	require.Zero(t, r.Exit)

	found, _, err = tool(t, "no such tool").List(t.Context())
	require.NoError(t, err)
	require.Len(t, found.Tools, len(tools))
	require.Empty(t, found.Answer)

	found, _, err = tool(t, "error").List(t.Context())
	require.Contains(t, refusal(t, err, "tool_error").Detail, "no such bird")
	require.Len(t, found.Tools, len(tools))

	_, r, err = tool(t, "echo", "crash").List(t.Context())
	require.Contains(t, refusal(t, err, "tool_failed").Detail, "no license")
	require.Equal(t, 9, r.Exit)

	m := tool(t, "echo", "deaf")
	m.Timeout = 400 * time.Millisecond
	_, r, err = m.List(t.Context())
	refusal(t, err, "tool_timeout")
	require.Less(t, r.Took, longest)
}
