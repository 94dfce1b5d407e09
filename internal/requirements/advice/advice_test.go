package advice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-159

// Each request that the service shows as an example has a command, whose words no shell takes apart.
func TestEveryExampleHasACommand(t *testing.T) {
	j := &lifecycle.Justification{Evidence: []lifecycle.Evidence{{Kind: "file", Path: "a b.md", Lines: "1-2"}}}
	id := "cli list/It's $(x)"
	const quoted = `'cli list/It'\''s $(x)'`
	for want, body := range map[string]guidance.Body{
		"approve " + quoted: {Status: lifecycle.Done, Approvals: []lifecycle.NewApproval{{}}, Justification: j},
		"change " + quoted + " --status planned --reason '<why>' --evidence 'file:a b.md:1-2'": {Status: lifecycle.Planned, Justification: j},
		"block " + quoted + " --reason '<why>'":                                                {Status: lifecycle.Blocked, Justification: j},
		"defer " + quoted + " --reason '<why>'":                                                {Status: lifecycle.Deferred, Justification: j},
		"accept " + quoted:                                                                     {AcceptFingerprint: "sha256:0", PMNotes: []lifecycle.NewNote{{}}},
		"design " + quoted + " --summary '<what is to be built, and how>'":                     {DesignSpec: &guidance.Design{}},
		"implement " + quoted + " --summary '<what was built>' --file '<path:lines>'":          {Implementation: &guidance.Implementation{}},
		"attach " + quoted + " '<report>'":                                                     {Test: &lifecycle.TestRecord{}},
		"note " + quoted + " '<a remark>'":                                                     {PMNotes: []lifecycle.NewNote{{}}},
		"change " + quoted + " --from '<file with deviations>'":                                {Deviations: []lifecycle.DeviationChange{{}}},
	} {
		require.Equal(t, "orchestrator "+want, Body(id, body))
	}
	require.Empty(t, Body(id, guidance.Body{}))
	require.Equal(t, "orchestrator workflow rework --reason '<why>'", Lead(id, guidance.Lead{Request: `PUT /workflow {"workflow":"rework"}`}))
	require.Equal(t, "orchestrator attach R-1 '<report>'", Lead("R-1", guidance.Lead{Request: "POST /requirements/R-1/test-report <x>"}))
	require.Equal(t, "orchestrator rename R-1 'a/R 2' --reason '<why>'",
		Lead("R-1", guidance.Lead{Request: guidance.RenameRequest + `{"renames":[{"from":"R-1","to":"a/R 2"}],"reason":"<why>"}`}))
	require.Empty(t, Lead("R-1", guidance.Lead{Request: guidance.RenameRequest + `{"qualify":"folder"}`}))
	require.Equal(t, "orchestrator next R-1 --as pm", Next("R-1", "pm"))
	require.Empty(t, Next("R-1", "operator"))
}

func TestARefusalLeadsOn(t *testing.T) {
	f := fault.New(fault.Conflict, "gate_unmet", "not yet").
		WithFields(fault.Field{Example: `{"design_spec":{"summary":"<x>"}}`}, fault.Field{Detail: "no example"})
	f.Allowed = []fault.Move{{To: "planned", By: "pm"}, {To: "blocked", By: "pm"}, {To: "deferred", By: "pm"}, {To: "done", By: "pm"}}
	f.IDs = []string{"a/FR 1"}
	require.Equal(t, []string{
		"supply it: orchestrator design R-1 --summary '<what is to be built, and how>'",
		"allowed, by the pm: orchestrator change R-1 --status planned --reason '<why>' --evidence '<evidence>'",
		"allowed, by the pm: orchestrator block R-1 --reason '<why>'",
		"allowed, by the pm: orchestrator defer R-1 --reason '<why>'",
		"allowed, by the pm: orchestrator approve R-1",
		"it may be: 'a/FR 1'",
	}, Refusal("R-1", f))
	require.Nil(t, Refusal("R-1", nil))
	require.Equal(t, "orchestrator next R-1 shows what is left", Typed("R-1", "GET /requirements/{id}/next shows what is left"))
	require.ErrorIs(t, Error{Err: f, Lines: []string{"x"}}, fault.Conflict)
	require.EqualError(t, Error{Err: f}, f.Error())
}

// What comes first can be typed as it stands, unless it takes a person's judgement.
func TestWhatIsAgreedBeforehand(t *testing.T) {
	first := func(l guidance.Lead) agenda.First {
		return agenda.First{Item: agenda.Item{ID: "R-1"}, Next: []guidance.Lead{l}}
	}
	for want, l := range map[string]guidance.Lead{
		"orchestrator rename": {Request: guidance.RenameRequest + `{"renames":[{"from":"R-1","to":"R-2"}],"reason":"<why>"}`},
		"orchestrator change R-1 --status planned --reason agreed --evidence file:R.md": {Example: &guidance.Body{Status: lifecycle.Planned,
			Justification: &lifecycle.Justification{Evidence: []lifecycle.Evidence{{Kind: "file", Path: "R.md"}}}}},
		"": {Example: &guidance.Body{DesignSpec: &guidance.Design{}}},
	} {
		require.Equal(t, want, Agreed(first(l)))
	}
	require.Empty(t, Agreed(agenda.First{}))
}

// What stands against done names commands, and nothing twice.
func TestAnObjectionNamesCommands(t *testing.T) {
	pm := lifecycle.Party(lifecycle.PM)
	out := `PUT /workflow {"workflow":"rework","reason":"…"}, then the move back`
	for want, o := range map[string]guidance.Objection{
		"no row leads to done (pm: orchestrator workflow rework --reason '<why>', then the move back)": {Gate: dead,
			Detail: "no row leads to done; a pm can switch with PUT /workflow", By: pm, With: out},
		"it is gone (pm: orchestrator defer R-1 --reason '<why>')":                {Detail: "it is gone", By: pm, With: "status deferred"},
		"a; b (pm: orchestrator accept R-1, if the work still fits)":              {Gate: lifecycle.GateAcceptance, Detail: "a; b", By: pm},
		"old (pm: orchestrator reopen R-1 opens it, since it is sealed; then so)": {Detail: "old", By: pm, With: "status needs_changes opens it, since it is sealed; then so"},
		"deviation D-1 is open (pm: orchestrator approve R-1, which accepts it, or orchestrator change R-1 " +
			"--from '<file with deviations>')": {Gate: lifecycle.GateDeviations, Detail: "deviation D-1 is open", By: pm},
	} {
		require.Equal(t, want, Objection("R-1", o))
	}
	require.Equal(t, "orchestrator workflow rework --reason '<why>'", WayOut([]guidance.Objection{{}, {Gate: dead}}))
	require.Empty(t, WayOut([]guidance.Objection{{Gate: "retired"}}))
}

// Only a role has a token to ask with.
func TestWhoeverAwaitsIsToldWhatToDo(t *testing.T) {
	require.Equal(t, "orchestrator next --as coder", Awaiting("coder", "R-1"))
	require.Equal(t, "correct the documents, and save them; orchestrator show 'R 1' says what is wrong",
		Awaiting(lifecycle.Document, "R 1"))
	require.Equal(t, "see to the repository and the service: orchestrator doctor", Awaiting(lifecycle.Operator, "R-1"))
}
