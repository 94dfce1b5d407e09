package schemas

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The library gives its violations in words alone: each of them is held here in the words of this package.
func TestTheWordsOfEachKeyword(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"integer"}`, `"x"`, `type: got string, want integer`},
		{`{"type":["string","null"]}`, `1`, `type: got number, want string or null`},
		{`{"enum":["a","b'c",1,null,true]}`, `"x"`, `enum: value must be one of 'a', 'b'c', 1, <nil>, true`},
		{`{"enum":[{"a":1}]}`, `"x"`, `enum: enum failed`},
		{`{"const":"a"}`, `"x"`, `const: value must be 'a'`},
		{`{"const":1}`, `2`, `const: value must be 1`},
		{`{"required":["a"]}`, `{}`, `required: missing property 'a'`},
		{`{"required":["a","b"]}`, `{}`, `required: missing properties 'a', 'b'`},
		{`{"required":["a', 'b"]}`, `{}`, `required: missing property 'a\', \'b'`},
		{`{"minLength":3}`, `"é"`, `minLength: minLength: got 1, want 3`},
		{`{"maxLength":1}`, `"été"`, `maxLength: maxLength: got 3, want 1`},
		{`{"minItems":1}`, `[]`, `minItems: minItems: got 0, want 1`},
		{`{"maxItems":1}`, `[1,2]`, `maxItems: maxItems: got 2, want 1`},
		{`{"minProperties":1}`, `{}`, `minProperties: minProperties: got 0, want 1`},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, `maxProperties: maxProperties: got 2, want 1`},
		{`{"minimum":0}`, `-1`, `minimum: minimum: got -1, want 0`},
		{`{"maximum":1.5}`, `2`, `maximum: maximum: got 2, want 1.5`},
		{`{"exclusiveMinimum":0}`, `0`, `exclusiveMinimum: exclusiveMinimum: got 0, want 0`},
		{`{"exclusiveMaximum":0}`, `0`, `exclusiveMaximum: exclusiveMaximum: got 0, want 0`},
		{`{"multipleOf":2}`, `3`, `multipleOf: 3 not multipleOf 2`},
		{`{"uniqueItems":true}`, `[1,1]`, `uniqueItems: items at 0 and 1 are equal`},
		{`{"pattern":"^\\d'\\\\$"}`, `"hidden"`, `pattern: does not match pattern '^\d'\\$'`},
		{`{"format":"date-time"}`, `"hidden is not valid uuid"`, `format: is not valid date-time`},
		{`{"format":"uuid"}`, `"hidden"`, `format: is not valid uuid`},
		{`{"not":{}}`, `1`, `not: has what must not stand in it`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `/a not_allowed: this member does not belong here`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `dependentRequired: property 'b' is required, if 'a' property exists`},
		{`{"propertyNames":{"maxLength":1}}`, `{"a/b%":1}`, `/a~1b% maxLength: maxLength: got 4, want 1`},
		{`{"properties":{"a~/%é":{"type":"null"}}}`, `{"a~/%é":1}`, `/a~0~1%é type: got number, want null`},
		{`{"additionalProperties":false}`, `{"z":1,"a', 'b":1,"c\\":1,"d\"\\'":1,"e\n":1}`,
			"additionalProperties: there is no member a', 'b, c\\, d\"\\', e\n, z"},
	} {
		t.Run(c.schema, func(t *testing.T) {
			s, wrong := Compile(object(t, c.schema))
			require.Empty(t, wrong)
			found := s.Violations(object(t, `{"v":`+c.value+`}`)["v"])
			require.Len(t, found, 1)
			require.Equal(t, c.want, strings.TrimSpace(found[0].Pointer+" "+string(found[0].Code)+": "+found[0].Detail))
		})
	}
}
