package tracing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/tracing"
)

const id = "4bf92f3577b34da6a3ce929d0e0e4736"

// Verifies: ORC-312
func TestAProgramIsToldItsPlace(t *testing.T) {
	none := t.Context()
	require.Empty(t, tracing.Environment(none))
	require.Equal(t, none, tracing.With(none, ""))
	ctx := tracing.With(none, id)
	require.Equal(t, id, tracing.ID(ctx))
	one, other := tracing.Environment(ctx), tracing.Environment(ctx)
	require.Regexp(t, `^TRACEPARENT=00-`+id+`-[0-9a-f]{16}-01$`, one[0])
	require.NotEqual(t, one, other, "each program is a span of its own")
	require.Equal(t, id, tracing.Parse(one[0][len("TRACEPARENT="):]))
}

func TestOnlyAWellFormedTraceIsOne(t *testing.T) {
	for sent, want := range map[string]string{
		"00-" + id + "-00f067aa0ba902b7-01": id, "01-" + id + "-00f067aa0ba902b7-01-more": id,
		"ff-" + id + "-00f067aa0ba902b7-01": "", "00-" + id + "-00f067aa0ba902b7-01-more": "", "": "", id: "",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": "", "00-" + id + "-0000000000000000-01": "",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01": "",
	} {
		require.Equal(t, want, tracing.Parse(sent), sent)
	}
}
