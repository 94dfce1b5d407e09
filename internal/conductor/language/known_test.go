package language

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// unspoken are the obligations that no sentence makes, and why words cannot carry them.
var unspoken = map[string]string{
	"REPORT(rules.deduce)":                "facts and rules are a program, and are sent as JSON",
	"ACHIEVE(requirement.design_spec)":    "a design is a document, and is sent as JSON",
	"ACHIEVE(requirement.implementation)": "an implementation names files and commits, and is sent as JSON",
	"ACHIEVE(requirement.test)":           "a test record has results and evidence, and comes from a report",
	"ACHIEVE(plan)":                       "the steps of a plan are obligations of their own",
	"MAINTAIN":                            "a guardrail is a condition in CEL",
	"AVOID":                               "a guardrail is a condition in CEL",
	"CLARIFY":                             "the conductor asks; an answer is given to its question by id",
	"JUSTIFY":                             "the conductor justifies what it did; the trace has it",
	"DISCOVER_OP":                         "the conductor finds that a tool is missing; GET /tools has those that are there",
}

// Every kind that a built-in tool satisfies, and every type of obligations, is said by some form, or is listed with the
// reason why not.
//
// Verifies: ORC-262
func TestEveryKindHasWords(t *testing.T) {
	said, types := map[string]bool{"VERIFY(answers)": false}, map[planning.Type]bool{}
	for _, f := range forms {
		said[f.name()], types[f.Type] = true, true
	}
	require.True(t, said["VERIFY(answers)"])
	kinds := []string{}
	for _, c := range slices.Concat(builtin.FactContracts(), builtin.ProjectContracts()) {
		kinds = append(kinds, c.Satisfies...)
	}
	for _, tool := range tools.Box() {
		kinds = append(kinds, tool.Contract.Satisfies...)
	}
	require.Greater(t, len(kinds), 15)
	for _, kind := range kinds {
		require.True(t, said[kind] != (unspoken[kind] != ""), "%s has a form, or a reason why it has none", kind)
	}
	for _, typ := range planning.Types() {
		require.True(t, types[typ] != (unspoken[string(typ)] != ""), "%s", typ)
	}
}

// Every move of the workflows, and every member of a change that a role may send, is said by some form or has a reason
// why not; and the roles of a form are those that may send what it makes.
//
// Verifies: ORC-262
func TestEveryActOfEveryRoleHasWords(t *testing.T) {
	for _, row := range lifecycle.Rework.Transitions() {
		to := strings.ReplaceAll(string(row.To), "_", " ")
		sentence := "set REQ-7 to " + to
		if string(row.To) == Held {
			sentence = "unblock REQ-7"
		}
		require.Contains(t, said(t, sentence), `"status":"`+string(row.To)+`"`)
	}
	for _, role := range lifecycle.Roles() {
		for _, member := range lifecycle.FieldsOf(role) {
			if unspoken["ACHIEVE(requirement."+member+")"] != "" || member == lifecycle.FieldJustification {
				continue // a justification goes with what it justifies
			}
			require.True(t, slices.ContainsFunc(Forms(moment), func(k Known) bool {
				_, has := k.Obligation.Payload[member]
				return has && slices.Contains(k.Roles, role)
			}), "%s of %s", member, role)
		}
	}
	for _, k := range Forms(moment) {
		require.Equal(t, slices.Contains(k.Roles, lifecycle.Viewer), k.Obligation.Type.Reads(), k.Example)
		require.Contains(t, k.Roles, lifecycle.PM, k.Example)
	}
}

// A sentence near a form is answered with it alone, in the words of the sentence, and what is proposed is understood.
//
// Verifies: ORC-263
func TestNearForms(t *testing.T) {
	for utterance, want := range map[string]string{
		"aprove REQ-1":                           "did you mean: approve REQ-1",
		"Please aprove requirement REQ-12":       "did you mean: approve requirement REQ-12",
		"block REQ-2 the supplier is late":       "did you mean: block REQ-2 because the supplier is late",
		"statsu of shop/REQ-1":                   "did you mean: status of shop/REQ-1",
		"what was refussed today":                "did you mean: what was refused today",
		"how many requirments are done":          "did you mean: how many requirements are done",
		"histroy of REQ-7":                       "did you mean: history of REQ-7",
		"what is mising for REQ-7":               "did you mean: what is missing for REQ-7",
		"remembr that Bob lives in Rome":         "did you mean: remember that Bob lives in Rome",
		"what is 2+2; aprove REQ-1":              "did you mean: approve REQ-1",
		"list the requirments of kind story":     "did you mean: list the requirements of kind story",
		"block REQ-3 since the supplier is late": "did you mean: block REQ-3 because the supplier is late",
		"block REQ-3 REQ-1 is late":              "did you mean: block REQ-3 because REQ-1 is late",
	} {
		t.Run(utterance, func(t *testing.T) {
			f := refusal(t, utterance)
			require.Equal(t, want, f.Fix)
			require.NotEmpty(t, said(t, strings.TrimPrefix(f.Fix, "did you mean: ")))
		})
	}
}

// Who says several sentences at once is told how sentences are parted; of what is not all understood, nothing is.
//
// Verifies: ORC-263
func TestSentencesThatAreNotParted(t *testing.T) {
	for utterance, want := range map[string]string{
		"status of REQ-001. status of REQ-002.":                "say: status of REQ-001; status of REQ-002",
		"what is 2**3 and how many a's in banana":              "say: what is 2**3; how many a's in banana",
		"what is 2+2, status of REQ-1 and history of REQ-1":    "say: what is 2+2; status of REQ-1; history of REQ-1",
		`status of "A. B" and status of REQ-1`:                 `say: status of "A. B"; status of REQ-1`,
		"set REQ-7 to done and block REQ-8 because it is late": "say: set REQ-7 to done; block REQ-8 because it is late",
	} {
		f := refusal(t, utterance)
		require.Equal(t, want, f.Fix, utterance)
		require.Contains(t, f.Detail, "alone part sentences")
		require.NotEmpty(t, said(t, strings.TrimPrefix(f.Fix, "say: ")))
	}
	for _, utterance := range []string{"never do it and approve REQ-1", "approve REQ-1 and REQ-2", "status of REQ-1. Or not."} {
		require.NotContains(t, refusal(t, utterance).Detail, "alone part sentences", utterance)
	}
}

// What is near to no form is answered with the nearest ones, and with where all are listed.
func TestNearestForms(t *testing.T) {
	f := refusal(t, "What is the meaning of life?")
	require.Contains(t, f.Detail, "is not understood")
	require.Regexp(t, "^the nearest forms are: [^;]+; [^;]+; [^;]+; GET /forms lists all$", f.Fix)
	for _, utterance := range []string{"don't approve REQ-1", "never block REQ-2 because it is late", "approve REQ-1 and REQ-2", "approve REQ-1 unless it is late",
		"who approves REQ-1?", "should I approve REQ-1", "approved REQ-1", "Bob approves REQ-1", "approve REQ-3 approve REQ-1",
		"aprove REQ-3 aprove REQ-1", "when did I defer REQ-3", "is REQ-1 to be approved", "who set REQ-1 to done",
		"block REQ-3 until it is late", "what is love", strings.Repeat("approve ", 40)} {
		require.NotContains(t, refusal(t, utterance).Fix, "did you mean", "%s: what says something else is not proposed", utterance)
	}
	require.Equal(t, "say it in one of the forms that GET /forms lists", refusal(t, "hm").Fix)
	for _, utterance := range []string{"help", "Help me!", "what can I say?", "what can you do", "how does this work?"} {
		require.Equal(t, "say for example: status of REQ-7; what should I do next; approve REQ-7; what is 2+2; GET /forms lists all",
			refusal(t, utterance).Fix)
	}
	require.Equal(t, "say it as in: my name is Jeff", refusal(t, "my name is not secret").Fix)
}

// What cannot be scheduled by a sentence is refused with the reason, and for a question nothing is scheduled.
//
// Verifies: ORC-261
func TestWhatIsNotScheduled(t *testing.T) {
	for utterance, why := range map[string]string{
		"every day approve REQ-1":                           "ACHIEVE(requirement.signoff) is not scheduled in words",
		"every hour verify the answers":                     "VERIFY(answers) is not scheduled in words",
		"every hour what was refused today":                 "which would stay the same",
		"every hour every hour what is next":                "it says twice when",
		"every hour sing a song":                            "what is to be asked then is not understood",
		"every 0 minutes what is next":                      "no time at all",
		"every day at 29:00 UTC what is next":               "not a time of the day",
		"at 2026-13-01T09:00Z what is next":                 "not a moment",
		"every 10 minutes what is next?":                    "nothing is done for a question",
		strings.Repeat("every hour ", 150) + "what is next": "it says twice when",
		"every day at 09:00 what is next":                   "a time of the day is said in UTC",
	} {
		f := refusal(t, utterance)
		require.Contains(t, f.Detail, why, utterance)
		require.NotEmpty(t, f.Fix)
	}
	for _, utterance := range []string{"which schedules are there?", "stop the schedule s1", "list the schedules"} {
		require.Contains(t, refusal(t, utterance).Fix, "GET /schedules", utterance)
	}
}
