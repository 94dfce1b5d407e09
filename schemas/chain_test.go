package schemas

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// when returns a condition: when the member is the constant, the member required is required.
func when(member, constant, required string) string {
	return `{"if":{"properties":{"` + member + `":{"const":"` + constant + `"}},"required":["` + member + `"]},` +
		`"then":{"required":["` + required + `"]}}`
}

func TestChained(t *testing.T) {
	open := func(condition string) string { return condition[:len(condition)-1] }
	for name, c := range map[string]struct{ all, want string }{
		"one member": {
			when("kind", "a", "x") + "," + when("kind", "b", "y") + "," + when("kind", "c", "z") + `,{"required":["y"]}`,
			open(when("kind", "a", "x")) + `,"else":` + open(when("kind", "b", "y")) + `,"else":` +
				when("kind", "c", "z") + `}},{"required":["y"]}`,
		},
		"two members":        {when("kind", "a", "x") + "," + when("type", "b", "y"), ""},
		"one constant twice": {when("kind", "a", "x") + "," + when("kind", "a", "y"), ""},
		"something between":  {when("kind", "a", "x") + `,{"required":["y"]},` + when("kind", "b", "y"), ""},
		"not required": {
			when("kind", "a", "x") + `,{"if":{"properties":{"kind":{"const":"b"}}},"then":{"required":["y"]}}`, "",
		},
		"an else of its own": {
			when("kind", "a", "x") + "," + open(when("kind", "b", "y")) + `,"else":{"required":["z"]}}`, "",
		},
		"more than a constant": {
			when("kind", "a", "x") + `,{"if":{"properties":{"kind":{"const":"b","minLength":2}},"required":["kind"]},` +
				`"then":{"required":["y"]}}`, "",
		},
	} {
		if c.want == "" {
			c.want = c.all
		}
		var schema any
		require.NoError(t, json.Unmarshal([]byte(`{"items":[{"allOf":[`+c.all+`]}]}`), &schema), name)
		got, err := json.Marshal(chained(schema))
		require.NoError(t, err)
		require.JSONEq(t, `{"items":[{"allOf":[`+c.want+`]}]}`, string(got), name)
	}
}

func TestAChainAloneTakesThePlaceOfItsAllOf(t *testing.T) {
	for all, want := range map[string]string{
		`{"allOf":[` + when("kind", "a", "x") + `]}`:           when("kind", "a", "x"),
		`{"if":true,"allOf":[` + when("kind", "a", "x") + `]}`: `{"if":true,"allOf":[` + when("kind", "a", "x") + `]}`,
		`{"allOf":[{"required":["y"]}]}`:                       `{"allOf":[{"required":["y"]}]}`,
	} {
		var schema any
		require.NoError(t, json.Unmarshal([]byte(all), &schema))
		got, err := json.Marshal(chained(schema))
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
	}
}

// TestEvidenceIsAChain: the schema that every change of status is held against has the form that is linked.
func TestEvidenceIsAChain(t *testing.T) {
	evidence := document("defs.schema.json")["$defs"].(map[string]any)["evidence"].(map[string]any)
	require.Len(t, evidence["allOf"], 3)
	chain := chained(inlined("defs.schema.json", evidence)).(map[string]any)
	require.NotContains(t, chain, "allOf")
	require.Contains(t, chain["else"].(map[string]any)["else"], "then")
}
