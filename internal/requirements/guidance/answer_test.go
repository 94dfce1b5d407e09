package guidance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/rules/lifecycle"
)

// Each gate has a body that its supplier may send.
//
// Verifies: ORC-153
func TestEveryGateHasAnExample(t *testing.T) {
	req, _ := lifecycle.Define(nil, text("a"), noon, lifecycle.LatestRules)
	req.Suspect = true
	for _, g := range lifecycle.Gates() {
		refusal := fault.New(fault.Conflict, lifecycle.CodeGateUnmet, "not yet").
			WithFields(fault.Field{Pointer: "/status", Code: fault.Code(g.Name), Detail: "it is lacking"})
		told := Around{Workflow: lifecycle.V1}.Explained(req, actors[0], *refusal)
		require.NotEmpty(t, told.Fields[0].Example, g.Name)
		require.Empty(t, refusal.Fields[0].Example, "the refusal itself is as it goes into the log")
		change, err := decision.Read([]byte(told.Fields[0].Example), g.Supplier)
		require.NoError(t, err)
		require.Empty(t, change.Violations, "%s: %s", g.Name, told.Fields[0].Example)
	}
}

// What breaks the schema is shown the member as it would be right, once.
func TestABrokenMemberIsShownWhole(t *testing.T) {
	req, _ := lifecycle.Define(nil, text("a"), noon, lifecycle.LatestRules)
	told := func(code fault.Code, who lifecycle.Actor, pointers ...string) (examples []string) {
		refusal := fault.New(fault.Invalid, code, "no")
		for _, p := range pointers {
			refusal.Fields = append(refusal.Fields, fault.Field{Pointer: p, Detail: "wrong"})
		}
		for _, f := range (Around{Workflow: lifecycle.V1}).Explained(req, who, *refusal).Fields {
			examples = append(examples, string(f.Example))
		}
		return examples
	}
	pm, coder := actors[0], actors[2]
	files := `{"implementation":{"summary":"<what was built>","files":[{"path":"<path of a file in the repository>"}]}}`
	require.Equal(t, []string{files, "", ""}, told(lifecycle.CodeSchemaViolation, coder, "/implementation/files/0", "/implementation/x", "/colour"))
	why := `{"justification":{"reason":"<why>","evidence":[{"kind":"file","path":"REQUIREMENTS.md","lines":"3-9"}]}}`
	require.Equal(t, []string{why}, told(lifecycle.CodeSchemaViolation, coder, "/justification/evidence/0"))
	require.Equal(t, []string{why}, told(lifecycle.CodeUnjustified, pm, "/justification"))
	require.Contains(t, told(lifecycle.CodeSchemaViolation, pm, "/status")[0], `"status":"planned"`)
	require.Equal(t, []string{""}, told(lifecycle.CodeSchemaViolation, coder, "/status"))
	require.Equal(t, []string{""}, told("sealed", coder, "/status"))
	require.Equal(t, []string{""}, told(lifecycle.CodeGateUnmet, coder, "/status"), "an unknown gate")
}

// The example shows the member that was wrong, for each that a part can have, and keeps the schema.
func TestWhatWasWrongIsShown(t *testing.T) {
	req, _ := lifecycle.Define(nil, text("a"), noon, lifecycle.LatestRules)
	for _, part := range []struct {
		field   string
		role    lifecycle.Role
		members []string
	}{
		{"design_spec", lifecycle.Architect, []string{"summary", "components", "interfaces", "decisions", "risks", "files"}},
		{"implementation", lifecycle.Coder, []string{"summary", "files", "files/0/lines", "commits", "notes"}},
		{"test", lifecycle.Tester, []string{"plan", "results", "results/passed", "evidence", "notes"}},
	} {
		for _, member := range part.members {
			for _, looks := range []bool{true, false} {
				refusal := fault.New(fault.Invalid, lifecycle.CodeSchemaViolation, "no").
					WithFields(fault.Field{Pointer: "/" + part.field + "/" + member, Detail: "wrong"})
				around := Around{Workflow: lifecycle.V1.Looking(looks)}
				example := []byte(around.Explained(req, lifecycle.Actor{Role: part.role}, *refusal).Fields[0].Example)
				var shown map[string]map[string]any
				require.NoError(t, json.Unmarshal(example, &shown))
				require.Contains(t, shown[part.field], strings.Split(member, "/")[0])
				change, err := decision.Read(example, part.role)
				require.NoError(t, err)
				require.Empty(t, change.Violations, "%s: %s", member, example)
			}
		}
	}
}

// Who sends nothing is shown what the role may send.
//
// Verifies: ORC-153
func TestNothingSentIsAnsweredWithAnExample(t *testing.T) {
	req, _ := lifecycle.Define(nil, text("a"), noon, lifecycle.LatestRules)
	empty := fault.New(fault.Invalid, lifecycle.CodeSchemaViolation, "no").WithFields(fault.Field{Detail: "at least one member"})
	for i, want := range []string{`"status":"planned"`, `"design_spec"`, `"implementation"`, `"test"`, ""} {
		example := string(Around{Workflow: lifecycle.V1}.Explained(req, actors[i], *empty).Fields[0].Example)
		require.Contains(t, example, want)
		require.Equal(t, want == "", example == "", "a viewer sends nothing")
	}
}

// What a role does first is said in a few words.
func TestALeadInWords(t *testing.T) {
	require.Equal(t, "move it to done", Lead{To: lifecycle.Done}.Do())
	require.Equal(t, "supply test", Lead{Field: lifecycle.FieldTest, Needs: "tests"}.Do())
	require.Equal(t, switching, Lead{Request: switching, Needs: "workflow v1 has no row that leads on"}.Do())
	require.Equal(t, "put the text back", Lead{Needs: "put the text back"}.Do())
}

// A document is cited by the path that evidence has for it.
func TestADocumentIsCitedByItsPathInTheRepository(t *testing.T) {
	req, _ := lifecycle.Define(nil, text("a"), noon, lifecycle.LatestRules)
	around := Around{Workflow: lifecycle.V1, Cited: func(path string) string { return "docs/" + path }}
	require.Equal(t, "docs/REQUIREMENTS.md", around.Of(req, actors[0]).Moves[0].Example.Justification.Evidence[0].Path)
	require.Equal(t, "POST /requirements/REQ%201/test-report <the report as the test tool wrote it>", around.Of(req, actors[3]).ReportRequest)
	require.Equal(t, "D-2", place{lifecycle.Requirement{Deviations: []lifecycle.Deviation{{ID: "D-1"}}}, around}.freeDeviation())
}
