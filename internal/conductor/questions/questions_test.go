package questions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/rules/planning"
)

var (
	asked = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ada   = audit.Actor{Name: "ada", Role: "coder"}
)

func question(id, obligation, slot string, status state.QuestionStatus) state.Question {
	return state.Question{ID: id, Run: "r", Obligation: obligation, Slot: slot, Question: "what is " + slot + "?", Asked: asked,
		Expires: asked.Add(time.Minute), Status: status, By: &ada}
}

// Verifies: ORC-245, ORC-246
func TestPick(t *testing.T) {
	two := []state.Question{question("o1.1", "o1", "name", state.QuestionWaits), question("o2.1", "o2", "text", state.QuestionWaits)}
	for name, c := range map[string]struct {
		all   []state.Question
		reply Reply
		want  string
		code  fault.Code
	}{
		"the only one":               {two[:1], Reply{}, "o1.1", ""},
		"by the obligation":          {two, Reply{Obligation: "o2"}, "o2.1", ""},
		"by the question":            {two, Reply{Obligation: "o2.1"}, "o2.1", ""},
		"by the slot":                {two, Reply{Slot: "name"}, "o1.1", ""},
		"which is not said":          {two, Reply{}, "", CodeAmbiguous},
		"which there is not":         {two, Reply{Obligation: "o7"}, "", CodeUnknown},
		"the slot of another":        {two, Reply{Obligation: "o1", Slot: "text"}, "", CodeUnknown},
		"none at all":                {nil, Reply{}, "", CodeUnknown},
		"the one that waits":         {[]state.Question{question("o1.1", "o1", "name", state.QuestionAnswered), two[1]}, Reply{}, "o2.1", ""},
		"the one that was answered":  {[]state.Question{question("o1.1", "o1", "name", state.QuestionAnswered)}, Reply{}, "o1.1", ""},
		"the last, where none waits": {[]state.Question{question("o1.1", "o1", "name", state.QuestionAnswered), question("o1.2", "o1", "text", state.QuestionAnswered)}, Reply{Obligation: "o1"}, "o1.2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Pick("r", c.all, c.reply, asked)
			if c.code != "" {
				require.True(t, fault.Is(err, c.code), "%v", err)
				require.NotEmpty(t, fault.As(err).Fix)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got.ID)
		})
	}
}

func TestOpenAndRepeats(t *testing.T) {
	waits := question("o1.1", "o1", "name", state.QuestionWaits)
	require.NoError(t, Open(waits, asked.Add(time.Minute-1)))
	require.True(t, fault.Is(Open(waits, asked.Add(time.Minute)), CodeExpired))
	require.True(t, fault.Is(Open(question("o1.1", "o1", "name", state.QuestionWithdrawn), asked), CodeAnswered))
	answered := question("o1.1", "o1", "name", state.QuestionAnswered)
	answered.Value = "Jeff"
	require.True(t, fault.Is(Open(answered, asked), CodeAnswered))
	require.True(t, Repeats(answered, Reply{Value: "Jeff"}, ada))
	require.False(t, Repeats(answered, Reply{Value: "Jim"}, ada))
	require.False(t, Repeats(answered, Reply{Value: "Jeff"}, audit.Actor{Name: "ada", Role: "pm"}), "in another role")
	require.False(t, Repeats(waits, Reply{}, ada))
}

func TestMayAnswer(t *testing.T) {
	require.NoError(t, MayAnswer(ada, ada))
	require.NoError(t, MayAnswer(audit.Actor{Name: "eve", Role: "pm"}, ada))
	for _, other := range []audit.Actor{{Name: "bob", Role: "coder"}, {Name: "ada", Role: "tester"}, {Name: "vic", Role: "viewer"}} {
		require.True(t, fault.Is(MayAnswer(other, ada), CodeForbidden))
	}
}

// Verifies: ORC-246
func TestWhatIsOverdue(t *testing.T) {
	late, early := question("o1.1", "o1", "name", state.QuestionWaits), question("o2.1", "o2", "text", state.QuestionWaits)
	early.Expires = asked.Add(time.Hour)
	why, waits := Overdue([]state.Question{late, early}, asked.Add(time.Minute))
	require.True(t, waits)
	require.Contains(t, Fails(why, waits, "o1"), "nobody answered")
	require.Contains(t, Fails(why, waits, "o1.3"), "o1: nobody answered", "the other steps of a plan fail with it")
	require.Empty(t, Fails(why, waits, "o2"))
	require.Empty(t, Fails(why, waits, "o3"), "it may wait for o2")
	why, waits = Overdue([]state.Question{late, early}, asked.Add(time.Hour))
	require.False(t, waits)
	require.NotEmpty(t, Fails(why, waits, "o3"))
	why, waits = Overdue([]state.Question{late}, asked)
	require.True(t, waits)
	require.Empty(t, why)
	require.Empty(t, Fails(why, waits, "o1"))
}

func TestEffectiveChangesNothingThatWasSent(t *testing.T) {
	o := planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "status.name"}}
	got := Effective(o, []Given{{Slot: "name", Value: "Jeff"}})
	require.Equal(t, map[string]any{"kind": "status.name", "name": "Jeff"}, got.Payload)
	require.Equal(t, map[string]any{"kind": "status.name"}, o.Payload)
	require.Equal(t, map[string]any{"a": 1}, Effective(planning.Obligation{Type: planning.Report}, []Given{{Slot: "a", Value: 1}}).Payload)
	clarify := planning.Obligation{Type: planning.Clarify}
	require.Equal(t, clarify, Effective(clarify, []Given{{Slot: "a", Value: 1}}))
	require.Equal(t, DefaultWait, Wait(planning.Request{}))
	require.Equal(t, time.Minute, Wait(planning.Request{AnswerWithinS: 60}))
}
