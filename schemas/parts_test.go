package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// published are the schemas as they are served, without what this package does to them for speed.
var published = map[string]func() *jsonschema.Schema{}

func init() {
	for name := range compiled {
		published[name] = sync.OnceValue(func() *jsonschema.Schema {
			s, err := compile(name, inlined(name, document(name)), nil)
			if err != nil {
				panic(err)
			}
			return s
		})
	}
}

// plainly returns what the library finds when it validates a value at once.
func plainly(name string, value any) []fault.Field {
	return fieldsOf(name, published[name]().Validate(value))
}

// words are what the schemas say: names of members, and values that they name.
func words(node any, found map[string]bool) {
	switch n := node.(type) {
	case map[string]any:
		for name, member := range n {
			found[name] = true
			words(member, found)
		}
	case []any:
		for _, item := range n {
			words(item, found)
		}
	case string:
		if len(n) < 40 {
			found[n] = true
		}
	}
}

// maker makes values that a schema may accept here and refuse there.
type maker struct {
	*rand.Rand
	words []string
}

func (m maker) word() string { return m.words[m.IntN(len(m.words))] }

// value follows a schema, inlined, but for one place in so many.
func (m maker) value(schema map[string]any, depth, astray int) any {
	if m.IntN(astray) == 0 || depth == 0 {
		return m.anything(depth)
	}
	if c, has := schema["const"]; has {
		return c
	}
	if enum, has := schema["enum"].([]any); has {
		return enum[m.IntN(len(enum))]
	}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	items, isArray := schema["items"].(map[string]any)
	switch {
	case properties != nil:
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if of, is := properties[name].(map[string]any); is && (slices.Contains(required, any(name)) || m.IntN(3) == 0) {
				object[name] = m.value(of, depth-1, astray)
			}
		}
		return object
	case isArray:
		array := []any{}
		for range 1 + m.IntN(5) {
			array = append(array, m.value(items, depth-1, astray))
		}
		return array
	case schema["type"] == "string":
		return m.word()
	case schema["type"] == "integer" || schema["type"] == "number":
		return json.Number(fmt.Sprint(m.IntN(5)))
	}
	return m.anything(depth)
}

func (m maker) anything(depth int) any {
	switch kind := m.IntN(8); {
	case kind == 0 && depth > 0:
		object := map[string]any{}
		for range m.IntN(5) {
			object[m.word()] = m.anything(depth - 1)
		}
		return object
	case kind == 1 && depth > 0:
		array := []any{}
		for range m.IntN(5) {
			array = append(array, m.anything(depth-1))
		}
		return array
	case kind == 2:
		return json.Number(fmt.Sprint(m.IntN(5)))
	case kind == 3:
		return nil
	case kind == 4:
		return m.IntN(2) == 0
	}
	return m.word()
}

// fromOutside are the schemas of what clients and tools send.
var fromOutside = []string{ChangeRequest, Obligations, Drive, Answer, Trace, Tool}

// TestPartByPartIsAsAtOnce: a value that is taken apart as far as it goes has the violations that it has as a whole.
func TestPartByPartIsAsAtOnce(t *testing.T) {
	values := 1500
	if testing.Short() {
		values = 300
	}
	for _, name := range slices.Sorted(maps.Keys(compiled)) {
		schema := inlined(name, document(name)).(map[string]any)
		known := map[string]bool{}
		words(schema, known)
		m := maker{rand.New(rand.NewPCG(1, 2)), slices.Sorted(maps.Keys(known))}
		valid, invalid := 0, 0
		for n := range values {
			value := m.value(schema, 7, []int{8, 40, 1000}[n%3])
			if requireAsAtOnce(t, name, value) {
				valid++
			} else {
				invalid++
			}
		}
		require.Positive(t, invalid, name)
		if slices.Contains([]string{ChangeRequest, Drive}, name) {
			require.Positive(t, valid, name)
		}
	}
}

// TestPartByPartOfGoodBodies: obligations fit their schema by conditions, which random values rarely meet.
func TestPartByPartOfGoodBodies(t *testing.T) {
	for _, body := range []string{
		`{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"2+2"}}]}`,
		`{"obligations":[{"type":"ACHIEVE","payload":{"kind":"ir.assert","facts":[{"subject":"a","predicate":"b","object":1}]}},{"type":"MAINTAIN","payload":{"condition":"true"}}]}`,
		`{"obligations":[{"type":"SCHEDULE","payload":{"at":"2026-01-01T00:00:00Z","obligations":[{"type":"VERIFY","payload":{"kind":"audit"}}]}}]}`,
	} {
		d := json.NewDecoder(strings.NewReader(body))
		d.UseNumber()
		var value any
		require.NoError(t, d.Decode(&value))
		require.True(t, requireAsAtOnce(t, Obligations, value), body)
		known := map[string]bool{}
		words(value, known)
		m := maker{rand.New(rand.NewPCG(3, 4)), slices.Sorted(maps.Keys(known))}
		for range 500 {
			requireAsAtOnce(t, Obligations, m.spoilt(value))
		}
	}
}

// spoilt is a value with something else in some places.
func (m maker) spoilt(value any) any {
	if m.IntN(10) == 0 {
		return m.anything(2)
	}
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[name] = m.spoilt(v[name])
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, m.spoilt(item))
		}
		return out
	}
	return value
}

// requireAsAtOnce tells whether the value is valid. What is wrong with the name of a member has no place when it is validated
// at once, and that of its object when it is taken apart, so places are compared where no schema looks at names.
func requireAsAtOnce(t *testing.T, name string, value any) bool {
	t.Helper()
	want := plainly(name, value)
	f := finding{name: name}
	f.check("", compiled[name](), value)
	got := inOrder(f.found)
	require.Equal(t, want == nil, got == nil, "%s: %v", name, value)
	if len(want) <= MaxViolations && slices.Contains(fromOutside, name) {
		require.Equal(t, want, got, "%s: %v", name, value)
	}
	require.Equal(t, want == nil, Violations(name, value) == nil)
	return want == nil
}

func FuzzPartByPart(f *testing.F) {
	f.Add(`{"pm_notes":[1,{"text":""},{"text":"x","more":1}],"status":"?"}`)
	f.Add(`{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":1}},{"type":"SCHEDULE","payload":{}}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		d := json.NewDecoder(strings.NewReader(body))
		d.UseNumber()
		var value any
		if d.Decode(&value) != nil || strings.ContainsAny(body, "eE") {
			return // huge exponents do not pass the doors
		}
		for _, name := range []string{ChangeRequest, Obligations, Drive, Answer, Trace} {
			requireAsAtOnce(t, name, value)
		}
	})
}

// TestViolationsStop: of a value with very many violations a hundred are found, and that there are more is said.
func TestViolationsStop(t *testing.T) {
	ones := make([]any, 40_000)
	for i := range ones {
		ones[i] = json.Number("1")
	}
	f := finding{name: ChangeRequest, small: smallValue}
	f.check("", compiled[ChangeRequest](), map[string]any{"pm_notes": ones})
	require.LessOrEqual(t, len(f.found), MaxViolations+smallValue, "it went on")

	found := Violations(ChangeRequest, map[string]any{"pm_notes": ones})
	require.Len(t, found, MaxViolations+1)
	require.Equal(t, fault.Field{Code: "more", Detail: "there are more"}, found[MaxViolations])
}

// TestAViolationDoesNotRepeatALongList: names that do not belong into an object are many, and long.
func TestAViolationDoesNotRepeatALongList(t *testing.T) {
	note := map[string]any{"text": "x"}
	for i := range 20_000 {
		note[fmt.Sprintf("%05d", i)+strings.Repeat("n", 100)] = true
	}
	found := Violations(ChangeRequest, map[string]any{"pm_notes": []any{note}})
	require.Len(t, found, 1)
	require.Equal(t, "additionalProperties", string(found[0].Code))
	require.Contains(t, found[0].Detail, "and 19990 more")
	require.Less(t, len(found[0].Detail), 1000)
}
