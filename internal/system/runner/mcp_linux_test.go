package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestAServerLeavesNothing(t *testing.T) {
	for range times() {
		arguments, file := leaving(t, false)
		_, err := tool(t, "leave").Run(t.Context(), arguments)
		require.NoError(t, err)
		require.Len(t, idsIn(file), 3)
		require.Empty(t, living(idsIn(file)))

		arguments, file = leaving(t, true)
		ctx := due{t.Context(), make(chan struct{})}
		var over time.Time
		go func() {
			for end := time.Now().Add(time.Minute); len(idsIn(file)) < 3 && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			over = time.Now()
			close(ctx.done)
		}()
		_, err = tool(t, "leave").Run(ctx, arguments)
		refusal(t, err, "tool_timeout")
		require.Less(t, time.Since(over), sweepFor)
		require.Len(t, idsIn(file), 3)
		require.Empty(t, living(idsIn(file)))
	}
}

func TestManyServersLeaveNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	t.Setenv("TMPDIR", t.TempDir()) // other tests run programs as well
	before := inventory(t)
	for i := range 40 {
		m := tool(t, []string{"echo", "error", "die", "hang"}[i%4])
		if m.Tool == "hang" {
			m.Timeout = 100 * time.Millisecond
		}
		_, err := m.Run(t.Context(), nil)
		require.Equal(t, m.Tool != "echo", err != nil, "%v", err)
	}
	require.Equal(t, before, inventory(t))
}
