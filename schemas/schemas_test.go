package schemas

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func violations(t *testing.T, schema, doc string) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(doc)))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	out := []string{}
	for _, f := range Violations(schema, v) {
		out = append(out, f.Pointer+" "+string(f.Code))
	}
	return out
}

// Verifies: ORC-013
func TestChangeRequest(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"a status", `{"status":"planned"}`, []string{}},
		{"nothing", `{}`, []string{" minProperties"}},
		{"not an object", `[]`, []string{" type"}},
		{"no such status", `{"status":"almost_done"}`, []string{"/status enum"}},
		{"wrong type", `{"status":5}`, []string{"/status enum"}},
		{"cleared", `{"design_spec":null,"implementation":null,"test":null}`, []string{}},
		{"nested unknown", `{"design_spec":{"summary":"x","colour":"red"}}`, []string{"/design_spec additionalProperties"}},
		{"blank", `{"pm_notes":[{"text":"  "}]}`, []string{"/pm_notes/0/text pattern"}},
		{"evidence of a file", `{"justification":{"reason":"r","evidence":[{"kind":"file","path":"a.go","lines":"1-2","commit":"abcdef1"}]}}`, []string{}},
		{"evidence of a commit", `{"justification":{"reason":"r","evidence":[{"kind":"commit","commit":"abcdef1"}]}}`, []string{}},
		{"evidence of a test", `{"justification":{"reason":"r","evidence":[{"kind":"test","name":"T","result":"pass","report":"r.xml"}]}}`, []string{}},
		{"a file without path", `{"justification":{"reason":"r","evidence":[{"kind":"file"}]}}`, []string{"/justification/evidence/0 required"}},
		{"a test with a path", `{"justification":{"reason":"r","evidence":[{"kind":"test","name":"T","result":"pass","path":"x"}]}}`, []string{"/justification/evidence/0/path not_allowed"}},
		{"no evidence", `{"justification":{"reason":"r","evidence":[]}}`, []string{"/justification/evidence minItems"}},
		{"an absolute path", `{"design_spec":{"summary":"x","files":["/etc/passwd"]}}`, []string{"/design_spec/files/0 pattern"}},
		{"files in both forms", `{"design_spec":{"summary":"x","files":["a.md",{"path":"b.md","lines":"1-2"}]},"implementation":{"summary":"x","files":["a.go",{"path":"b.go","commit":"abcdef1"}]}}`, []string{}},
		{"a file with another name for its path", `{"design_spec":{"summary":"x","files":[{"name":"a"}]}}`, []string{"/design_spec/files/0 additionalProperties", "/design_spec/files/0 required"}},
		{"a file whose path is a number", `{"implementation":{"summary":"x","files":[{"path":5}]}}`, []string{"/implementation/files/0/path type"}},
		{"a file that is a number", `{"implementation":{"summary":"x","files":[5]}}`, []string{"/implementation/files/0 type", "/implementation/files/0 type"}},
		{"several at once", `{"status":"x","pm_notes":[{}],"approvals":[{"decision":"maybe"}]}`, []string{"/approvals/0/decision enum", "/pm_notes/0 required", "/status enum"}},
		{"negative count", `{"test":{"results":{"passed":-1,"failed":0}}}`, []string{"/test/results/passed minimum"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, violations(t, ChangeRequest, c.body))
		})
	}
}

func TestUnknownMembersAreNamedInOrder(t *testing.T) {
	for range 20 {
		found := Violations(ChangeRequest, map[string]any{"design_spec": map[string]any{"summary": "s", "c": 1, "a": 1, "b": 1}})
		require.Equal(t, "there is no member a, b, c", found[0].Detail)
	}
}

func TestWhatWasSentIsNotRepeated(t *testing.T) {
	found := Violations(ChangeRequest, map[string]any{
		"status": "hidden", "hidden": 1.0, "design_spec": map[string]any{"summary": "s", "files": []any{"/hidden"}},
		"test":          map[string]any{"results": map[string]any{"passed": "hidden"}},
		"justification": map[string]any{"reason": "r", "evidence": []any{map[string]any{"kind": "commit", "commit": "hidden"}}},
	})
	require.Len(t, found, 6)
	for _, f := range found {
		if f.Code != "additionalProperties" { // which must name it
			require.NotContains(t, f.Detail, "hidden", f.Pointer)
		}
	}
}

func TestEverySchemaIsClosed(t *testing.T) {
	for _, name := range []string{ChangeRequest, Requirement, Project, Problem, AuditRecord, Witness, BoundaryPolicy, Tool, Obligations,
		Doctor} {
		require.NotEmpty(t, violations(t, name, `{"surprise":1}`), name)
	}
}

func BenchmarkViolations(b *testing.B) {
	changes := map[string]string{
		"status": `{"status":"planned","justification":{"reason":"Agreed.","evidence":[` +
			`{"kind":"file","path":"docs/review.md","lines":"1-40"},{"kind":"commit","commit":"00000000000a"}]}}`,
		"implementation": `{"implementation":{"summary":"Appends the record.","files":[` +
			`{"path":"a/b.go","lines":"40-88","change":"appends"},{"path":"a/c.go","lines":"12-40"}],` +
			`"commits":["00000000000a"],"notes":"Updates are ordered."}}`,
	}
	for name, text := range changes {
		b.Run(name, func(b *testing.B) {
			var change any
			require.NoError(b, json.Unmarshal([]byte(text), &change))
			b.ReportAllocs()
			for b.Loop() {
				if found := Violations(ChangeRequest, change); found != nil {
					b.Fatal(found)
				}
			}
		})
	}
}
