// Package jsonobjecttest holds what encodes values by hand to the bytes of the library.
package jsonobjecttest

import (
	"encoding/json"
	"maps"
	"reflect"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Types are generators by the type that they make.
type Types map[reflect.Type]*rapid.Generator[any]

// Like holds what encode returns of any T that Drawn makes to what the library returns of it: the bytes, or that there
// are none.
func Like[T any](t *testing.T, types Types, encode func(*T) ([]byte, error)) {
	t.Helper()
	drawn := Drawn[T](types)
	rapid.Check(t, func(t *rapid.T) {
		value := drawn.Draw(t, "value")
		want, wrong := jsonv2.Marshal(&value, jsonv2.Deterministic(true), jsontext.AllowDuplicateNames(true))
		got, err := encode(&value)
		require.Equal(t, wrong == nil, err == nil, "the library: %v; by hand: %v", wrong, err)
		if err == nil {
			require.Equal(t, string(want), string(got))
		}
	})
}

// Drawn makes any T, member by member, so that none is forgotten. Its parts of the types are made by their generators;
// times, JSON and values of type any are such as requests have.
func Drawn[T any](types Types) *rapid.Generator[T] {
	all := Types{
		reflect.TypeFor[time.Time]():       times,
		reflect.TypeFor[any]():             anything,
		reflect.TypeFor[json.RawMessage](): rawOf[json.RawMessage](),
		reflect.TypeFor[jsontext.Value]():  rawOf[jsontext.Value](),
	}
	maps.Copy(all, types)
	return rapid.MakeCustom[T](rapid.MakeConfig{Types: all})
}

// times are zero, or have digits after the second; some have another zone, or a year that RFC 3339 cannot write.
var times = rapid.Custom(func(t *rapid.T) any {
	seconds := rapid.OneOf(rapid.Int64Range(0, 250e9), rapid.Int64Range(250e9, 300e9))
	at := time.Unix(seconds.Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	return rapid.SampledFrom([]time.Time{{}, at, at, at.Truncate(time.Second), at.In(time.FixedZone("", 3600))}).
		Draw(t, "at")
})

// texts need escapes, or none; few are no UTF-8.
var texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", `"`, `\`, "{", "\u2028<>&\x7f\x00\n",
	"\ufffd", "\U00010000", "plain", "more", "text", "\xff"}))

// numbers are written with an exponent, or without one.
var numbers = rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1e3, 1e3), rapid.Map(rapid.IntRange(-9, 1e9),
	func(n int) float64 { return float64(n) }), rapid.SampledFrom([]float64{1e-6, 9.9e-7, 1e20, 1e21, 5e-324}))

// anything is a value of a type that JSON is read into, and seldom one of another.
var anything = rapid.Custom(func(t *rapid.T) any { return value(t, 3) })

func value(t *rapid.T, depth int) any {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "word")
	case 1, 2:
		return texts.Draw(t, "text")
	case 3, 4:
		return numbers.Draw(t, "number")
	case 5:
		return rapid.SampledFrom([]any{7, []string{"a"}, jsontext.Value("12345678901234567890"),
			map[string]string{"b": "", "a": ""}, map[string]any(nil), []any(nil)}).Draw(t, "other")
	case 6:
		items := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range items {
			items[i] = value(t, depth-1)
		}
		return items
	}
	members := map[string]any{}
	for range rapid.IntRange(0, 10).Draw(t, "members") {
		members[texts.Draw(t, "name")] = value(t, depth-1)
	}
	return members
}

// rawOf makes JSON that was parsed before, with and without white space and escapes.
func rawOf[T ~[]byte]() *rapid.Generator[any] {
	all := []any{T(nil)}
	for _, text := range []string{`{}`, `{"a":["b"]}`, `"ü\u2028<>"`, `""`, `null`, `"\u0041\/"`,
		`{"a" : [1.0, "b c"]}`, `{"a":[1,"é\""],"b":null}`} {
		all = append(all, T(text))
	}
	return rapid.SampledFrom(all)
}
