package schemas

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/measure"
)

func object(t *testing.T, doc string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var o map[string]any
	require.NoError(t, d.Decode(&o))
	return o
}

func TestWhatCannotBeCompiled(t *testing.T) {
	for name, c := range map[string]struct{ doc, at, detail string }{
		"no such type":          {`{"type":"text"}`, "/type", ""},
		"a type below":          {`{"properties":{"a":{"type":5}}}`, "/properties/a/type", ""},
		"a negative length":     {`{"minLength":-1}`, "/minLength", "minimum"},
		"required of one":       {`{"required":"a"}`, "/required", "want array"},
		"a pattern":             {`{"pattern":"("}`, "/pattern", ""},
		"a look-ahead":          {`{"pattern":"(?=a)"}`, "/pattern", ""},
		"an outside reference":  {`{"$ref":"https://example.com/a.json"}`, "", "nothing is loaded"},
		"a file":                {`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "", "nothing is loaded"},
		"a file beside":         {`{"$ref":"defs.schema.json"}`, "", "nothing is loaded"},
		"a dialect":             {`{"$schema":"https://example.com/s"}`, "", "nothing is loaded"},
		"nothing there":         {`{"$ref":"#/$defs/none"}`, "", "none"},
		"a huge number":         {`{"maximum":1e999999999}`, "", "too large"},
		"a long number":         {`{"maximum":` + strings.Repeat("9", 33) + `}`, "", "too long"},
		"a huge number in list": {`{"enum":[{"a":-1e-999999999}]}`, "", "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			s, found := Compile(object(t, c.doc))
			require.Nil(t, s)
			require.NotEmpty(t, found)
			require.Equal(t, c.at, found[0].Pointer, found)
			require.Contains(t, found[0].Detail, c.detail)
			require.NotContains(t, found[0].Detail, base)
		})
	}
	_, found := Compile(nil)
	require.NotEmpty(t, found)
}

func TestWhatAForeignSchemaRefuses(t *testing.T) {
	s, found := Compile(object(t, `{"type":"object","properties":{"n":{"type":"integer","maximum":10},"list":{"type":"array","items":{"$ref":"#/$defs/word"}},
		"when":{"type":"string","format":"date-time"},"inner":{"$ref":"#"}},"additionalProperties":false,"$defs":{"word":{"type":"string"}}}`))
	require.Empty(t, found)
	type result struct {
		N    int       `json:"n"`
		List []string  `json:"list,omitempty"`
		When time.Time `json:"when,omitzero"`
	}
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"nothing":       {map[string]any{}, ""},
		"a json.Number": {map[string]any{"n": json.Number("7")}, ""},
		"a float":       {map[string]any{"n": 7.0}, ""},
		"an int":        {map[string]any{"n": 7}, ""},
		"a struct":      {result{N: 7, List: []string{"a"}, When: time.Unix(0, 0)}, ""},
		"strings":       {map[string]any{"list": []string{"a", "b"}}, ""},
		"itself":        {map[string]any{"inner": map[string]any{"inner": map[string]any{"n": 1}}}, ""},
		"null":          {nil, " type"},
		"too large":     {map[string]any{"n": 11}, "/n maximum"},
		"half":          {map[string]any{"n": 1.5}, "/n type"},
		"a number":      {map[string]any{"list": []any{"a", 1}}, "/list/1 type"},
		"no date":       {map[string]any{"when": "noon"}, "/when format"},
		"deep":          {map[string]any{"inner": map[string]any{"inner": result{N: 12}}}, "/inner/inner/n maximum"},
		"unknown":       {map[string]any{"m": 1}, " additionalProperties"},
		"a bomb":        {map[string]any{"n": json.Number("1e999999999")}, " json"},
		"no number":     {map[string]any{"n": json.Number("true")}, " json"},
		"an empty one":  {map[string]any{"n": json.Number("")}, " json"},
		"not a number":  {map[string]any{"n": math.NaN()}, " json"},
		"a channel":     {map[string]any{"n": make(chan int)}, " json"},
	} {
		t.Run(name, func(t *testing.T) {
			var found []fault.Field
			allocated := measure.Allocated(func() { found = s.Violations(c.value) })
			require.Less(t, allocated, uint64(1<<20), "no number is written out")
			if c.want == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, c.want, found[0].Pointer+" "+string(found[0].Code))
		})
	}
}

// Whatever comes as the schema of a tool, the library neither panics nor goes on for ever.
func FuzzCompile(f *testing.F) {
	for _, doc := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"minLength":1}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}],"additionalItems":false}`,
		`{"$dynamicRef":"#x","$dynamicAnchor":"x","$id":"a","$anchor":"y","allOf":[{"$ref":"#y"}]}`,
		`{"$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true},"$recursiveRef":"#"}`,
		`{"if":{"pattern":"("},"then":{"minItems":1e300},"dependentRequired":{"a":["b"]},"multipleOf":0}`,
	} {
		f.Add(doc, `{"a":[1,"b"]}`)
	}
	f.Fuzz(func(t *testing.T, doc, value string) {
		var schema, v any
		for text, into := range map[string]*any{doc: &schema, value: &v} {
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if d.Decode(into) != nil {
				return
			}
		}
		if object, is := schema.(map[string]any); is {
			if s, wrong := Compile(object); len(wrong) == 0 {
				s.Violations(v)
			}
		}
	})
}
