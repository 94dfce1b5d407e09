package schemas

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
)

// edges are values of every type, at the bounds that the schemas of TestAcceptorsAgreeWithTheLibrary set.
func edges() []any {
	texts := []any{"", "a", "ab", "abc", "é", "éé", "ééé", "😀", "😀😀", "planned"}
	all := slices.Concat([]any{nil, true, false, 2.0, 2.5}, texts)
	for _, number := range []string{"0", "1", "2", "3", "-1", "2.0", "1e0", "2.5", "10e-1", "99999999999999999999"} {
		all = append(all, json.Number(number))
	}
	for _, one := range slices.Clone(all) {
		all = append(all, []any{one}, []any{one, "a"}, []any{one, one, one}, map[string]any{"a": one},
			map[string]any{"kind": one, "b": "x"}, map[string]any{"kind": "a", "b": one},
			map[string]any{"a": map[string]any{"a": one}}, map[string]any{"from": one},
			map[string]any{"a": one, "b": one, "c": one})
	}
	return append(all, []any{}, map[string]any{})
}

// TestAcceptorsAgreeWithTheLibrary holds every value of edges against schemas that have each keyword, alone and under
// others.
func TestAcceptorsAgreeWithTheLibrary(t *testing.T) {
	for _, text := range []string{
		`true`, `false`, `{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":["object","null"]}`,
		`{"type":["integer","boolean"]}`, `{"type":["array","string"]}`,
		`{"const":"a"}`, `{"const":null}`, `{"const":1}`, `{"const":true}`, `{"const":["a"]}`,
		`{"enum":["a",null,false]}`, `{"enum":["a",2]}`,
		`{"const":"a","enum":["a","ab"]}`,
		`{"minLength":2}`, `{"maxLength":2}`, `{"minLength":1,"maxLength":2}`, `{"pattern":"^a"}`, `{"format":"date"}`,
		`{"minimum":2}`, `{"maximum":2}`, `{"exclusiveMinimum":2}`, `{"exclusiveMaximum":2}`, `{"minimum":1.5}`,
		`{"multipleOf":2}`,
		`{"minItems":2}`, `{"maxItems":1}`, `{"items":{"type":"string"}}`, `{"items":false}`, `{"uniqueItems":true}`,
		`{"prefixItems":[{"type":"string"}]}`,
		`{"contains":{"const":"a"}}`, `{"minProperties":2}`, `{"maxProperties":1}`, `{"required":["a"]}`,
		`{"required":["kind","b"]}`,
		`{"properties":{"a":{"type":"string"},"b":false}}`, `{"properties":{"a":{}},"additionalProperties":false}`,
		`{"properties":{"a":true},"additionalProperties":{"type":"string"}}`,
		`{"patternProperties":{"^a":{"type":"string"}}}`,
		`{"propertyNames":{"maxLength":1}}`, `{"dependentRequired":{"a":["b"]}}`,
		`{"dependentSchemas":{"a":{"required":["b"]}}}`,
		`{"properties":{"a":true},"unevaluatedProperties":false}`, `{"not":{"type":"string"}}`, `{"not":{"minimum":2}}`,
		`{"allOf":[{"type":"string"},{"minLength":2}]}`, `{"anyOf":[{"type":"string"},{"minimum":2}]}`,
		`{"oneOf":[{"type":"string"},{"minLength":2},{"type":"integer"}]}`,
		`{"if":{"type":"string"},"then":{"minLength":2},"else":{"type":"object"}}`,
		`{"if":{"type":"string"},"then":{"minLength":2}}`,
		`{"if":{"type":"string"},"else":{"type":"object"}}`,
		`{"if":{"minimum":2},"then":{"type":"integer"}}`,
		`{"allOf":[{"if":{"properties":{"kind":{"const":"a"}},"required":["kind"]},"then":{"properties":{"b":{"type":"string"}}}}]}`,
		`{"if":{"type":"object","properties":{"from":{"type":"string"}},"required":["from"],"additionalProperties":false},"else":{"type":"integer"}}`,
	} {
		for _, under := range []string{`%`, `{"properties":{"a":%}}`, `{"items":%}`, `{"not":%}`,
			`{"additionalProperties":%}`, `{"oneOf":[%,{"type":"null"}]}`} {
			schema := strings.ReplaceAll(under, "%", text)
			var document any
			require.NoError(t, json.Unmarshal([]byte(schema), &document))
			library, err := compile("plain", document, nil)
			require.NoError(t, err, schema)
			require.NoError(t, json.Unmarshal([]byte(schema), &document))
			ours, err := compile("ours", withCases(document), ourKeywords)
			require.NoError(t, err, schema)
			accepted := acceptorOf(ours)
			for _, value := range edges() {
				require.Equal(t, library.Validate(value) == nil, accepted.accepts(value), "%s: %v", schema, value)
			}
		}
	}
}

// TestEveryKeywordIsKnown fails when the library gets a keyword: acceptors would not look at it.
func TestEveryKeywordIsKnown(t *testing.T) {
	annotations := []string{"Location", "Draft", "Title", "Description", "Default", "Comment", "ReadOnly", "WriteOnly",
		"Examples", "Deprecated"}
	taken := []string{"Always", "Types", "Constant", "Enum", "Not", "AllOf", "AnyOf", "OneOf", "If", "Then", "Else",
		"MinProperties", "MaxProperties", "Required", "Properties", "AdditionalProperties", "DependentRequired", "MinItems", "MaxItems", "Items2020",
		"MinLength", "MaxLength", "Pattern", "Minimum", "ExclusiveMinimum", "Maximum", "ExclusiveMaximum", "Extensions",
		"ContainsEval", "MinContains", "MaxContains"} // the last three are of Contains
	for field := range reflect.TypeFor[jsonschema.Schema]().Fields() {
		if !field.IsExported() || slices.Contains(annotations, field.Name) || slices.Contains(taken, field.Name) {
			continue
		}
		var s jsonschema.Schema
		value := reflect.ValueOf(&s).Elem().FieldByName(field.Name)
		value.Set(something(field.Type))
		require.True(t, hasOtherKeywords(&s), field.Name)
	}
}

// something returns a value of a type that is not its zero value.
func something(t reflect.Type) reflect.Value {
	value := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		value.SetBool(true)
	case reflect.String:
		value.SetString("x")
	case reflect.Pointer:
		value.Set(reflect.New(t.Elem()))
	case reflect.Slice:
		value.Set(reflect.MakeSlice(t, 1, 1))
	case reflect.Map:
		value.Set(reflect.MakeMap(t))
		value.SetMapIndex(reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
	case reflect.Interface:
		value.Set(reflect.ValueOf(true))
	}
	return value
}

// TestChangesNeedNoLibrary keeps what is sent most often from falling back on the library unnoticed.
func TestChangesNeedNoLibrary(t *testing.T) {
	require.Empty(t, foreignIn(compiled[ChangeRequest]().acceptor))
}

// foreignIn returns where the library decides.
func foreignIn(a *acceptor) (all []string) {
	if a == nil {
		return nil
	}
	if a.foreign {
		return []string{a.schema.Location}
	}
	for _, below := range slices.Concat(a.all, a.anyOf, a.oneOf,
		[]*acceptor{a.not, a.condition, a.holds, a.holdsNot, a.value, a.object.others, a.array.items}) {
		all = append(all, foreignIn(below)...)
	}
	for _, members := range []map[string]*acceptor{a.cases, a.object.members} {
		for _, below := range members {
			all = append(all, foreignIn(below)...)
		}
	}
	return all
}
