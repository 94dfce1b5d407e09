package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

const exactNumbers = `{"deep":[{"n":-1.0000000000000000001}],"half":1.5,"large":12345678901234567890,"tenth":0.1}`

// What a tool answers keeps its digits: in the answer, its text, the trace, what is known, and what conditions and schemas look at.
func TestNumbersOfOutsideToolsKeepTheirDigits(t *testing.T) {
	s := store.NewMemory()
	tool := outsideTool("t.a", planning.Implementation{Means: planning.Exec, Argv: []string{"./tool"}})
	tool.contract.Produces = map[string]any{"type": "object", "required": []any{"large"}, "properties": map[string]any{
		"large": map[string]any{"type": "integer", "minimum": 12345678901234567.0}, "half": map[string]any{"const": 1.5},
	}}
	tool.contract.Postconditions = []string{"result.tenth == 0.1", "result.large > 12345678901234560000.0", "result.deep[0].n < 0.0"}
	b := conductorOf(t, s, tool)
	b.script("tool", "echo '"+exactNumbers+"'")
	trace := b.conduct(ob(planning.Report, "k.x"))
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	for _, v := range trace.Obligations[0].Runs[0].Postconditions {
		require.True(t, v.Holds, v)
	}
	require.Equal(t, byNothing, trace.Obligations[0].Verified.By)
	require.Equal(t, `k.x: deep {"n":-1.0000000000000000001}; half 1.5; large 12345678901234567890; tenth 0.1 (not verified)`, trace.Answers[0].Text)
	require.Equal(t, exactNumbers, encoded(t, trace.Answers[0].Result))
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		run, _, err := v.ToolRun(trace.ID, "o1/1")
		require.Equal(t, exactNumbers, encoded(t, run.Result), "a run that is gone on with has them too")
		again, errTrace := traceIn(v, trace.ID)
		require.Equal(t, encoded(t, trace), encoded(t, again), "and so has the first answer for a key")
		require.NoError(t, errTrace)
		return err
	}))
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := ledger.Encode(v)
	require.NoError(t, err)
	return string(raw)
}
