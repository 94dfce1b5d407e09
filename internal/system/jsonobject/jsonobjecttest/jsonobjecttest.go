// Package jsonobjecttest holds what encodes values by hand to the bytes of the library.
package jsonobjecttest

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
)

// Types are generators by the type that they make.
type Types map[reflect.Type]*rapid.Generator[any]

// Like holds what encode returns to what the library returns: of the zero T, of any T that Drawn makes, and of any with
// parts that the library refuses, of which there are no bytes.
func Like[T any](t *testing.T, types Types, encode func(*T) ([]byte, error)) {
	t.Helper()
	like := func(t require.TestingT, value *T) error {
		want, wrong := jsonv2.Marshal(value, jsonv2.Deterministic(true), jsontext.AllowDuplicateNames(true))
		got, err := encode(value)
		require.Equal(t, wrong == nil, err == nil, "the library: %v; by hand: %v", wrong, err)
		if err == nil {
			require.Equal(t, string(want), string(got))
		}
		return err
	}
	require.NoError(t, like(t, new(T)), "the zero value")
	rapid.Check(t, func(t *rapid.T) {
		value := Drawn[T](types).Draw(t, "value")
		require.NoError(t, like(t, &value))
		refused := drawn[T](types, refusable).Draw(t, "refusable value")
		_ = like(t, &refused)
	})
}

// Drawn makes any T that can be encoded, member by member, so that none is forgotten. Its parts of the types are made
// by their generators; times, JSON, errors and values of type any are such as requests have.
func Drawn[T any](types Types) *rapid.Generator[T] { return drawn[T](types, valid) }

func drawn[T any](types Types, of parts) *rapid.Generator[T] {
	all := Types{
		reflect.TypeFor[string]():          rapid.Map(of.texts, func(text string) any { return text }),
		reflect.TypeFor[float64]():         rapid.Map(of.numbers, func(n float64) any { return n }),
		reflect.TypeFor[time.Time]():       of.times,
		reflect.TypeFor[any]():             rapid.Custom(func(t *rapid.T) any { return of.value(t, 3) }),
		reflect.TypeFor[json.RawMessage](): rawOf[json.RawMessage](),
		reflect.TypeFor[jsontext.Value]():  rawOf[jsontext.Value](),
		reflect.TypeFor[*fault.Error]():    faults,
		reflect.TypeFor[fault.JSON]():      rapid.SampledFrom([]any{fault.JSON(`{"status":"done"}`), fault.JSON(`[]`)}),
	}
	maps.Copy(all, types)
	return rapid.MakeCustom[T](rapid.MakeConfig{Types: all})
}

// parts make what values are made of.
type parts struct {
	texts   *rapid.Generator[string]
	numbers *rapid.Generator[float64]
	times   *rapid.Generator[any]
}

// The parts of values that can be encoded, and of those that the library may refuse.
var (
	valid     = parts{texts, numbers, timesUpTo(250e9)}
	refusable = parts{
		rapid.OneOf(texts, rapid.SampledFrom([]string{"a", "\xff"})),
		rapid.OneOf(numbers, rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)})),
		timesUpTo(300e9), // of years that have five digits
	}
)

// texts need escapes, or none.
var texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", `"`, `\`, "{", "\u2028<>&\x7f\x00\n",
	"\ufffd", "\U00010000", "plain", "more", "text"}))

// numbers are written with an exponent, or without one.
var numbers = rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1e3, 1e3), rapid.Map(rapid.IntRange(-9, 1e9),
	func(n int) float64 { return float64(n) }), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e-6, 9.9e-7, 1e20,
	1e21, 5e-324}))

// timesUpTo makes the zero time, and times with and without digits after the second, in several zones.
func timesUpTo(seconds int64) *rapid.Generator[any] {
	east, west := time.FixedZone("", 3600), time.FixedZone("", -5*3600-1800)
	return rapid.Custom(func(t *rapid.T) any {
		from := rapid.Int64Range(0, seconds).Draw(t, "seconds")
		at := time.Unix(from, rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
		all := []time.Time{{}, at, at.Truncate(time.Microsecond), at.Truncate(time.Second), at.In(east), at.In(west)}
		return rapid.SampledFrom(all).Draw(t, "at")
	})
}

// value is one of a type that JSON is read into, or seldom of another.
func (p parts) value(t *rapid.T, depth int) any {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "word")
	case 1, 2:
		return p.texts.Draw(t, "text")
	case 3, 4:
		return p.numbers.Draw(t, "number")
	case 5:
		return rapid.SampledFrom([]any{7, []string{"a"}, jsontext.Value("12345678901234567890"),
			map[string]string{"b": "", "a": ""}, map[string]any(nil), []any(nil)}).Draw(t, "other")
	case 6:
		items := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range items {
			items[i] = p.value(t, depth-1)
		}
		return items
	}
	members := map[string]any{}
	for range rapid.IntRange(0, 10).Draw(t, "members") {
		members[p.texts.Draw(t, "name")] = p.value(t, depth-1)
	}
	return members
}

// rawOf makes JSON that was parsed before, with and without white space and escapes.
func rawOf[T ~[]byte]() *rapid.Generator[any] {
	all := []any{T(nil)}
	for _, text := range []string{`{}`, `{"a":["b"]}`, `"ü\u2028<>"`, `""`, `null`, `"\u0041\/"`,
		`{"a" : [1.0, "b c"]}`, `{"a":[1,"é\""],"b":null}`, `{"pm_notes":[{"text":"\u0041\/\n"}]}`} {
		all = append(all, T(text))
	}
	return rapid.SampledFrom(all)
}

// faults are none, or one: not any error can be.
var faults = rapid.SampledFrom([]any{(*fault.Error)(nil),
	fault.New(fault.Conflict, "gate_unmet", "it lacks something").WithFix("supply it")})
