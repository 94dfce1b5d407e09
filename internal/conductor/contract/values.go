package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// The variables of conditions.
const (
	varPayload = "payload"
	varInput   = "input"
	varCaller  = "caller"
	varIR      = "ir"
	varState   = "state"
	varResult  = "result"
)

// Facts are what conditions are evaluated on. Values are of any type that can be written as JSON, and seen as their
// JSON.
type Facts struct {
	Payload map[string]any // payload: of the obligation
	Input   map[string]any // input: what the tool is given, by slot
	Caller  map[string]any // caller: who asks
	Known   any            // ir: what is known
	State   any            // state: of the project
}

// variables resolves the names of one evaluation, or of several on the same facts. Only what a condition names is
// converted.
type variables struct {
	raw       map[string]any
	converted map[string]any
}

func (f Facts) variables() *variables {
	return &variables{
		raw: map[string]any{varPayload: object(f.Payload), varInput: object(f.Input),
			varCaller: object(f.Caller), varIR: f.Known, varState: f.State},
		converted: map[string]any{},
	}
}

func object(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func (v *variables) with(name string, value any) *variables {
	v.raw[name] = value
	return v
}

// ResolveName makes the variables what CEL evaluates on.
func (v *variables) ResolveName(name string) (any, bool) {
	if value, done := v.converted[name]; done {
		return value, true
	}
	value, known := v.raw[name]
	if known {
		v.converted[name] = asJSON(value)
	}
	return v.converted[name], known
}

// Parent returns nil: there is no enclosing activation.
func (v *variables) Parent() cel.Activation { return nil }

// asJSON returns a value in the types that JSON is read into. What is in them already is not copied; a number may be of
// any Go type. What cannot be written as JSON becomes an error value, on which no condition holds.
func asJSON(value any) any {
	switch value.(type) {
	case nil, bool, string, json.Number, float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16,
		uint32, uint64, map[string]any, []any, ref.Val:
		return value
	}
	written, err := json.Marshal(value)
	if err != nil {
		return types.NewErrFromString("a value cannot be written as JSON")
	}
	d := json.NewDecoder(bytes.NewReader(written))
	d.UseNumber()
	var read any
	if err := d.Decode(&read); err != nil {
		return types.NewErrFromString("a value cannot be read as JSON")
	}
	return read
}

// adapter turns values into those of CEL when a condition meets them.
type adapter struct{}

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case ref.Val:
		return v
	case json.Number:
		return parsedNumber(string(v))
	case float64:
		return number(v)
	case float32:
		return number(float64(v))
	case uint64:
		return parsedNumber(strconv.FormatUint(v, 10))
	case uint:
		return parsedNumber(strconv.FormatUint(uint64(v), 10))
	case uint8, uint16, uint32:
		return parsedNumber(fmt.Sprint(v))
	case map[string]any:
		return sortedMap{Mapper: types.NewStringInterfaceMap(a, v), sorted: func() traits.Lister {
			return types.NewStringList(a, slices.Sorted(maps.Keys(v)))
		}}
	case []any:
		return types.NewDynamicList(a, v)
	case map[ref.Val]ref.Val: // a map that stands in a condition
		return sortedMap{Mapper: types.NewRefValMap(a, v), sorted: func() traits.Lister { return sortedKeys(a, v) }}
	case nil, bool, string, int, int8, int16, int32, int64, []ref.Val:
		return types.DefaultTypeAdapter.NativeToValue(v)
	}
	return a.NativeToValue(asJSON(value))
}

// parsedNumber returns a number of JSON: an integer if its value is one, since JSON knows no other difference.
func parsedNumber(text string) ref.Val {
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int(whole)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return types.NewErrFromString("a number is out of range")
	}
	return number(f)
}

// maxWhole is the largest number up to which float64 holds every integer.
const maxWhole = 1 << 53

func number(f float64) ref.Val {
	if f == math.Trunc(f) && math.Abs(f) <= maxWhole {
		return types.Int(int64(f))
	}
	return types.Double(f)
}

// sortedMap is a map that is walked through in the order of its keys, not in a random one: the same facts give the same
// verdict.
type sortedMap struct {
	traits.Mapper
	sorted func() traits.Lister
}

// Iterator implements traits.Iterable.
func (m sortedMap) Iterator() traits.Iterator { return m.sorted().Iterator() }

func sortedKeys(a types.Adapter, m map[ref.Val]ref.Val) traits.Lister {
	keys := slices.SortedFunc(maps.Keys(m), func(x, y ref.Val) int {
		return cmp.Or(cmp.Compare(x.Type().TypeName(), y.Type().TypeName()),
			cmp.Compare(fmt.Sprint(x.Value()), fmt.Sprint(y.Value())))
	})
	return types.NewRefValList(a, keys)
}
