package main

import (
	"bytes"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentIsUpToDate(t *testing.T) {
	want, err := made("../../api", "../../schemas")
	require.NoError(t, err)
	there, err := os.ReadFile("../../api/openapi.json")
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, there), "api/openapi.json is old: go generate ./api")
}

// bundled returns the schemas of components, of a document that has these and no more.
func bundled(t *testing.T, components string, files map[string]string) (string, error) {
	t.Helper()
	others := fstest.MapFS{}
	for name, text := range files {
		others[name] = &fstest.MapFile{Data: []byte(text)}
	}
	text, err := bundle([]byte("components:\n  schemas:\n"+components), others)
	const before, after = "{\n\"components\":{\n\"schemas\":{\n", "\n}\n}\n}\n"
	if err == nil {
		require.True(t, bytes.HasPrefix(text, []byte(before)) && bytes.HasSuffix(text, []byte(after)), "%s", text)
		text = text[len(before) : len(text)-len(after)]
	}
	return string(text), err
}

// rules are what becomes of schemas, one way of writing each.
var rules = map[string]struct{ components, file, want string }{
	"a whole file is a component of its name": {
		`    A: { $ref: "../schemas/b_c.schema.json", description: x }`,
		`{"$schema": "y", "type": "string", "$defs": {"unused": {}}}`,
		`"A":{"$ref":"#/components/schemas/BC","description":"x"},` + "\n" + `"BC":{"type":"string"}`,
	},
	"a definition is named after its file": {
		`    A: { type: array, items: { $ref: "../schemas/b_c.schema.json#/$defs/d_e" } }`,
		`{"$defs": {"d_e": {"type": "array", "items": {"$ref": "#/$defs/f"}}, "f": {"type": "string"}}}`,
		`"A":{"type":"array","items":{"$ref":"#/components/schemas/BCDE"}},` + "\n" +
			`"BCDE":{"type":"array","items":{"$ref":"#/components/schemas/BCF"}},` + "\n" + `"BCF":{"type":"string"}`,
	},
	"a component that only refers is what it refers to": {
		"    A: { $ref: \"../schemas/b_c.schema.json#/$defs/d\" }\n    B: { type: object, properties: { a: { $ref: \"../schemas/b_c.schema.json#/$defs/d\" } } }",
		`{"$defs": {"d": {"type": "string"}}}`,
		`"A":{"type":"string"},` + "\n" + `"B":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"}}}`,
	},
	"a part that is referred to is a component where it stands, too": {
		`    A: { type: object, properties: { a_b: { enum: [x] }, c: { $ref: "#/components/schemas/A/properties/a_b" } } }`, `{}`,
		`"A":{"type":"object","properties":{"a_b":{"$ref":"#/components/schemas/AAB"},"c":{"$ref":"#/components/schemas/AAB"}}},` + "\n" + `"AAB":{"type":"string","enum":["x"]}`,
	},
	"a small part is copied": {
		`    A: { type: object, properties: { a: { type: string, minLength: 1, description: x }, b: { $ref: "#/components/schemas/A/properties/a", description: z } } }`, `{}`,
		`"A":{"type":"object","properties":{"a":{"type":"string","minLength":1,"description":"x"},"b":{"type":"string","minLength":1,"description":"z"}}}`,
	},
	"a reference to a reference is followed": {
		`    A: { type: object, properties: { a: { $ref: "../schemas/b_c.schema.json#/properties/x" } } }`, `{"properties": {"x": {"$ref": "#/$defs/y"}}, "$defs": {"y": {"type": "string"}}}`,
		`"A":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/BCY"}}},` + "\n" + `"BCY":{"type":"string"}`,
	},
	"what stands beside a reference is joined with it": {
		`    A: { $ref: "../schemas/b_c.schema.json", required: [b], properties: { b: { type: string } }, unevaluatedProperties: false }`,
		`{"title": "t", "type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}`,
		`"A":{"type":"object","required":["a","b"],"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"additionalProperties":false}`,
	},
	"a property of a closed schema is narrowed": {
		`    A: { $ref: "../schemas/b_c.schema.json", properties: { a: { enum: [x, y] } } }`,
		`{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}`,
		`"A":{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]}},"additionalProperties":false}`,
	},
	"an object or null is a choice": {
		`    A: { type: object, properties: { a: { type: [object, "null"], $ref: "../schemas/b_c.schema.json" }, b: { type: object, $ref: "../schemas/b_c.schema.json" } } }`,
		`{"required": ["x"]}`,
		`"A":{"type":"object","properties":{"a":{"oneOf":[{"$ref":"#/components/schemas/BC"},{"type":"null"}]},"b":{"$ref":"#/components/schemas/BC"}}},` + "\n" +
			`"BC":{"type":"object","required":["x"]}`,
	},
	"cases of a closed object are a choice": {
		`    A: { description: x, type: object, additionalProperties: false, required: [k], properties: { k: { enum: [u, v] }, a: { type: string }, b: { type: string } }, allOf: [` +
			`{ if: { properties: { k: { const: u } }, required: [k] }, then: { required: [a], properties: { a: true, b: false } } }, ` +
			`{ if: { properties: { k: { const: v } } }, then: { properties: { b: { const: w } } } }] }`, `{}`,
		`"A":{"description":"x","oneOf":[{"$ref":"#/components/schemas/AU"},{"$ref":"#/components/schemas/AV"}],` +
			`"discriminator":{"propertyName":"k","mapping":{"u":"#/components/schemas/AU","v":"#/components/schemas/AV"}}},` + "\n" +
			`"AU":{"type":"object","additionalProperties":false,"required":["k","a"],"properties":{"k":{"type":"string","const":"u"},"a":{"type":"string"}}},` + "\n" +
			`"AV":{"type":"object","additionalProperties":false,"required":["k"],"properties":{"k":{"type":"string","const":"v"},"a":{"type":"string"},"b":{"type":"string","const":"w"}}}`,
	},
	"other cases stay": {
		`    A: { type: object, properties: { k: { enum: [u, v] } }, allOf: [{ if: { properties: { k: { const: u } } }, then: { required: [a] } }] }`, `{}`,
		`"A":{"type":"object","properties":{"k":{"type":"string","enum":["u","v"]}},"allOf":[{"type":"object","if":{"type":"object","properties":{"k":{"type":"string","const":"u"}}},"then":{"type":"object","required":["a"]}}]}`,
	},
	"described constants are an enumeration": {
		`    A: { oneOf: [{ const: a, description: x }, { const: b, description: z }] }`, `{}`,
		`"A":{"type":"string","enum":["a","b"],"x-enumDescriptions":{"a":"x","b":"z"}}`,
	},
	"other choices stay": {
		`    A: { oneOf: [{ const: a, minLength: 1 }, { type: number }] }`, `{}`,
		`"A":{"oneOf":[{"type":"string","const":"a","minLength":1},{"type":"number"}]}`,
	},
	"types follow from keywords and values": {
		`    A: { type: object, properties: { a: { enum: [1.5, 2] }, b: { const: true }, c: { enum: [x, null] }, d: { minItems: 1 }, e: { pattern: x }, f: { minProperties: 1 }, g: { const: { x: 1 } } } }`, `{}`,
		`"A":{"type":"object","properties":{"a":{"type":["number","integer"],"enum":[1.5,2]},"b":{"type":"boolean","const":true},"c":{"type":["string","null"],"enum":["x",null]},` +
			`"d":{"type":"array","minItems":1},"e":{"type":"string","pattern":"x"},"f":{"type":"object","minProperties":1},"g":{"type":"object","const":{"x":1}}}}`,
	},
	"any JSON lists its types": {
		`    A: { type: [object, "null", string] }`, `{}`, `"A":{"type":["object","null","string"]}`,
	},
	"examples and defaults are no schemas": {
		`    A: { type: object, examples: [{ enum: [1] }], default: { $ref: nowhere, required: true } }`, `{}`,
		`"A":{"type":"object","examples":[{"enum":[1]}],"default":{"$ref":"nowhere","required":true}}`,
	},
	"references to themselves end": {
		`    A: { type: object, properties: { a: { $ref: "../schemas/b_c.schema.json" } } }`,
		`{"type": "array", "items": {"$ref": "#"}}`,
		`"A":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/BC"}}},` + "\n" + `"BC":{"type":"array","items":{"$ref":"#/components/schemas/BC"}}`,
	},
}

func TestRules(t *testing.T) {
	for name, r := range rules {
		t.Run(name, func(t *testing.T) {
			got, err := bundled(t, r.components, map[string]string{"b_c.schema.json": r.file})
			require.NoError(t, err)
			require.Equal(t, r.want, got)
		})
	}
}

func TestWhatToolsDoNotTakeIsRefused(t *testing.T) {
	for components, want := range map[string]string{
		`    A: { description: x }`:                                                                          "a schema without a type",
		`    A: { type: array, items: true }`:                                                                "a schema that is true",
		`    A: { type: object, unevaluatedProperties: false }`:                                              "do not take this keyword",
		`    A: { $ref: "#/components/responses/B" }`:                                                        "leads nowhere",
		`    A: { type: array, items: { $ref: "#/components/schemas/B" } }`:                                  "leads nowhere",
		"    A: { type: string }\n    a: { type: string }":                                                   "a is also the name",
		`    A: { $ref: "../schemas/b_c.schema.json", properties: { x: {} } }`:                               "cannot be joined",
		`    BC: { type: array, items: { $ref: "../schemas/b_c.schema.json" } }`:                             "would be a second component BC",
		"    A: { type: string }\n  responses:\n    R: { $ref: \"#/components/responses/B\" }":               "is no component",
		`    A: { type: string, type: number }`:                                                              "type stands twice",
		`    <<: { type: string }`:                                                                           "merges",
		"    A: { type: string }\npaths: { /a: { get: { operationId: getA }, put: { operationId: geta } } }": "geta has the name of getA",
		"    A: { type: string }\n  parameters:\n    P: { name: p, in: path, required: true }":               "needs an example",
	} {
		_, err := bundled(t, components, map[string]string{"b_c.schema.json": `{"type": "object", "additionalProperties": false}`})
		require.ErrorContains(t, err, want, components)
	}
	_, err := bundled(t, `    A: { type: string }`, map[string]string{"b.schema.json": `[`})
	require.ErrorContains(t, err, "b.schema.json")
}
