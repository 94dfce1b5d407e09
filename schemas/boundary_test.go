package schemas

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// policyWith is the least policy there is, and more members.
func policyWith(members string) string {
	return `{"schema_version":1,"mode":"validate"` + strings.TrimSuffix(","+members, ",") + `}`
}

// The schema is what people and editors go by, and the program decides by code of its own: they must not differ.
func TestTheSchemaOfThePolicyAndTheProgramAgree(t *testing.T) {
	whole, err := json.Marshal(boundary.DefaultPolicy())
	require.NoError(t, err)
	good := map[string]string{
		"the default":          string(whole),
		"the least":            policyWith(""),
		"empty lists":          policyWith(`"blocked_tools":[],"agents":[],"exempt_paths":[],"reading_commands":[]`),
		"an agent's name":      policyWith(`"agents":[{"name":"*"}]`),
		"patterns":             policyWith(`"exempt_paths":["**","docs/**/*.md","a?c","/tmp/x","..x/y..",".../z"],"blocked_tools":["mcp__*__write*"]`),
		"thresholds":           policyWith(`"thresholds":{"accuracy":1,"misidentified":0,"validate_days":0.5,"tool_uses":0}`),
		"everything off":       `{"schema_version":1,"mode":"off","unknown_actor":"ask","ambiguous":"allow","bypass":{"environment":false}}`,
		"confirm":              `{"schema_version":1,"mode":"confirm"}`,
		"modes of paths":       policyWith(`"path_modes":[{"paths":["docs/**","*.md"],"mode":"validate"},{"paths":["src/**"],"mode":"enforce"}]`),
		"an empty description": policyWith(`"agents":[{"name":"a","for":"","may_write":[]}]`),
	}
	bad := map[string]string{
		"nothing":            `{}`,
		"no object":          `[]`,
		"no mode":            `{"schema_version":1}`,
		"no version":         `{"mode":"off"}`,
		"another version":    `{"schema_version":2,"mode":"off"}`,
		"another mode":       `{"schema_version":1,"mode":"on"}`,
		"a mode in capitals": `{"schema_version":1,"mode":"Enforce"}`,
		"paths that are off": policyWith(`"path_modes":[{"paths":["a"],"mode":"off"}]`),
		"a mode of no path":  policyWith(`"path_modes":[{"paths":[],"mode":"enforce"}]`),
		"a mode without any": policyWith(`"path_modes":[{"mode":"enforce"}]`),
		"paths without one":  policyWith(`"path_modes":[{"paths":["a"]}]`),
		"a mode of upward":   policyWith(`"path_modes":[{"paths":["../a"],"mode":"enforce"}]`),
		"an unknown member":  policyWith(`"exempt_path":["a"]`),
		"unknown inside":     policyWith(`"thresholds":{"accuracy ":1}`),
		"a null list":        policyWith(`"blocked_tools":null`),
		"a null threshold":   policyWith(`"thresholds":{"accuracy":null}`),
		"null thresholds":    policyWith(`"thresholds":null`),
		"a null entry":       policyWith(`"exempt_paths":[null]`),
		"a text for a list":  policyWith(`"blocked_tools":"Edit"`),
		"an empty pattern":   policyWith(`"exempt_paths":[""]`),
		"upward":             policyWith(`"exempt_paths":["../x"]`),
		"upward within":      policyWith(`"protected_paths":["a/../b"]`),
		"upward at the end":  policyWith(`"agents":[{"name":"a","may_write":["a/.."]}]`),
		"a class":            policyWith(`"exempt_paths":["app/[id]/**"]`),
		"an open class":      policyWith(`"allowed_tools":["mcp__[a"]`),
		"an escape":          policyWith(`"exempt_paths":["a\\b"]`),
		"an empty tool":      policyWith(`"delegate_tools":[""]`),
		"no name":            policyWith(`"agents":[{"may_write":["**"]}]`),
		"an empty name":      policyWith(`"agents":[{"name":""}]`),
		"a blank command":    policyWith(`"reading_commands":["  "]`),
		"an accuracy of 95":  policyWith(`"thresholds":{"accuracy":95}`),
		"a negative rate":    policyWith(`"thresholds":{"hook_errors":-0.1}`),
		"a negative count":   policyWith(`"thresholds":{"tool_uses":-1}`),
		"negative days":      policyWith(`"thresholds":{"validate_days":-1}`),
		"half a use":         policyWith(`"thresholds":{"tool_uses":1.5}`),
		"another rule":       policyWith(`"unknown_actor":"block"`),
		"warn":               policyWith(`"ambiguous":"warn"`),
		"a bypass that is":   policyWith(`"bypass":true`),
	}
	for name, doc := range good {
		t.Run("good: "+name, func(t *testing.T) {
			require.Empty(t, violations(t, BoundaryPolicy, doc))
			_, err := folder.ParsePolicy([]byte(doc))
			require.NoError(t, err)
		})
	}
	for name, doc := range bad {
		t.Run("bad: "+name, func(t *testing.T) {
			require.NotEmpty(t, violations(t, BoundaryPolicy, doc))
			_, err := folder.ParsePolicy([]byte(doc))
			require.Error(t, err)
		})
	}
}

// Every member of the default policy is in the schema, and the other way round.
func TestTheSchemaOfThePolicyHasItsMembers(t *testing.T) {
	p := boundary.DefaultPolicy()
	p.ModeSince = "2026-03-04"
	whole, err := json.Marshal(p)
	require.NoError(t, err)
	var policy map[string]any
	require.NoError(t, json.NewDecoder(bytes.NewReader(whole)).Decode(&policy))
	requireSameNames := func(have map[string]any, schema map[string]any) {
		t.Helper()
		for name := range have {
			require.Contains(t, schema["properties"], name)
		}
		require.Len(t, schema["properties"], len(have))
	}
	schema := document(BoundaryPolicy)
	requireSameNames(policy, schema)
	for _, inner := range []string{"thresholds", "bypass"} {
		requireSameNames(policy[inner].(map[string]any), schema["properties"].(map[string]any)[inner].(map[string]any))
	}
}
