package schemas

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// when returns a condition: when the member is the constant, the member required is required.
func when(member, constant, required string) string {
	return `{"if":{"properties":{"` + member + `":{"const":"` + constant + `"}},"required":["` + member + `"]},` +
		`"then":` + requires(required) + `}`
}

func requires(member string) string { return `{"required":["` + member + `"]}` }

func TestWithCases(t *testing.T) {
	a := `{"orchestrator:cases":{"member":"kind","of":{"a":` + requires("x") + `}}`
	for name, c := range map[string]struct{ all, want string }{
		"two constants": {
			when("kind", "a", "x") + "," + when("kind", "b", "y"),
			`{"orchestrator:cases":{"member":"kind","of":{"a":` + requires("x") + `,"b":` + requires("y") + `}}}`,
		},
		"another member":     {when("kind", "a", "x") + "," + when("type", "b", "y"), a + `,"allOf":[` + when("type", "b", "y") + `]}`},
		"one constant twice": {when("kind", "a", "x") + "," + when("kind", "a", "y"), a + `,"allOf":[` + when("kind", "a", "y") + `]}`},
		"no condition":       {requires("y") + "," + when("kind", "a", "x"), a + `,"allOf":[` + requires("y") + `]}`},
		"not required": {
			`{"if":{"properties":{"kind":{"const":"b"}}},"then":{"required":["y"]}}`,
			`{"allOf":[{"if":{"properties":{"kind":{"const":"b"}}},"then":{"required":["y"]}}]}`,
		},
		"an else": {
			`{"if":{"properties":{"kind":{"const":"b"}},"required":["kind"]},"then":true,"else":false}`,
			`{"allOf":[{"if":{"properties":{"kind":{"const":"b"}},"required":["kind"]},"then":true,"else":false}]}`,
		},
		"more than a constant": {
			`{"if":{"properties":{"kind":{"const":"b","minLength":2}},"required":["kind"]},"then":true}`,
			`{"allOf":[{"if":{"properties":{"kind":{"const":"b","minLength":2}},"required":["kind"]},"then":true}]}`,
		},
		"a number": {
			`{"if":{"properties":{"kind":{"const":1}},"required":["kind"]},"then":true}`,
			`{"allOf":[{"if":{"properties":{"kind":{"const":1}},"required":["kind"]},"then":true}]}`,
		},
	} {
		var schema any
		require.NoError(t, json.Unmarshal([]byte(`{"items":[{"allOf":[`+c.all+`]}]}`), &schema), name)
		got, err := json.Marshal(withCases(schema))
		require.NoError(t, err)
		require.JSONEq(t, `{"items":[`+c.want+`]}`, string(got), name)
	}
}

// TestEvidenceHasCases: the schema that every change of status is held against has the form that is found.
func TestEvidenceHasCases(t *testing.T) {
	evidence := document("defs.schema.json")["$defs"].(map[string]any)["evidence"].(map[string]any)
	require.Len(t, evidence["allOf"], 3)
	schema := withCases(inlined("defs.schema.json", evidence)).(map[string]any)
	require.NotContains(t, schema, "allOf")
	require.Len(t, schema[keywordCases].(map[string]any)["of"], 3)
}

// TestCasesAreOurs: the keyword means nothing in a schema that came from elsewhere.
func TestCasesAreOurs(t *testing.T) {
	s, wrong := Compile(map[string]any{keywordCases: map[string]any{"member": "kind", "of": map[string]any{"a": false}}})
	require.Empty(t, wrong)
	require.Empty(t, s.Violations(map[string]any{"kind": "a"}))
}

// TestAReferenceStandsForAValue: every member that admits a reference has the form that is found, and is told by its else.
func TestAReferenceStandsForAValue(t *testing.T) {
	math := document(Obligations)["$defs"].(map[string]any)["math"]
	schema := withCases(inlined(Obligations, math)).(map[string]any)["properties"].(map[string]any)["expr"].(map[string]any)
	require.NotContains(t, schema, "if")
	require.Contains(t, schema[keywordValue], "minLength")
	for payload, want := range map[string][]string{
		`{"kind":"query.math","expr":{"from":"o1.value"}}`: nil, `{"kind":"query.math","expr":{"from":1}}`: {"/obligations/0/payload/expr type"},
		`{"kind":"query.math","expr":{"from":"o1.value","to":"x"}}`: {"/obligations/0/payload/expr type"}, `{"kind":"query.math","expr":""}`: {"/obligations/0/payload/expr minLength", "/obligations/0/payload/expr pattern"},
		`{"kind":{"from":"o1.value"},"expr":"1"}`: {"/obligations/0/payload/kind pattern", "/obligations/0/payload/kind type"},
	} {
		found := violations(t, Obligations, `{"obligations":[{"type":"REPORT","payload":`+payload+`}]}`)
		if len(want) == 1 || want == nil {
			require.Equal(t, len(want), len(found), "%s: %v", payload, found)
		}
	}
}
