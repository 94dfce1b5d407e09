package spoken

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-147

func TestObligationsGetWholeIDs(t *testing.T) {
	all := []planning.Obligation{
		{Payload: map[string]any{"id": "FR-1"}}, {Payload: map[string]any{"id": 7}}, {Payload: map[string]any{"role": "FR-1"}}, {},
	}
	whole := Whole(all, func(name string) string { return "a/" + name })
	require.Equal(t, "a/FR-1", whole[0].Payload["id"])
	require.Equal(t, 7, whole[1].Payload["id"])
	require.Equal(t, map[string]any{"role": "FR-1"}, whole[2].Payload)
	require.Nil(t, whole[3].Payload)
}

func TestAQuestionSaysWhatWasNotUnderstood(t *testing.T) {
	asked := Question(fault.New(fault.Invalid, "not_understood", "it is not a sentence").WithFix("say it so"))
	require.Equal(t, planning.Clarify, asked.Type)
	require.Contains(t, asked.Payload["question"], "it is not a sentence. Please say it so")
	require.Equal(t, "What is meant?", Question(errors.New("x")).Payload["question"])
}
