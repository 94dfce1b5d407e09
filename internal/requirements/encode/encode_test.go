package encode

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// drawn makes times that are there or not, some of which have no form in RFC 3339, and JSON with and without white
// space.
var drawn = rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
	reflect.TypeFor[time.Time](): rapid.Custom(func(t *rapid.T) any {
		at := time.UnixMicro(rapid.Int64Range(0, 1<<58).Draw(t, "time")).UTC()
		return rapid.SampledFrom([]time.Time{{}, at, at, at.In(time.FixedZone("", 3600))}).Draw(t, "at")
	}),
	reflect.TypeFor[json.RawMessage](): rapid.Custom(func(t *rapid.T) any {
		forms := []string{`{}`, `{"a":["b"]}`, `"ü\u2028<>"`, `""`, `null`, `"\u0041\/"`, `{"a" : [1.0, "b c"]}`}
		return rapid.OneOf(rapid.Just(json.RawMessage(nil)), rapid.Map(rapid.SampledFrom(forms),
			func(text string) json.RawMessage { return json.RawMessage(text) })).Draw(t, "JSON")
	}),
}}

// TestEncodingsAreApart: no encoding is in the memory of another one.
func TestEncodingsAreApart(t *testing.T) {
	first, err := Requirement(&lifecycle.Requirement{Status: lifecycle.Done})
	require.NoError(t, err)
	before := string(first)
	_, err = Requirement(&lifecycle.Requirement{Status: lifecycle.Planned, Suspect: true})
	require.NoError(t, err)
	require.Equal(t, before, string(first))
}

// TestAnEmptyRequirement has no member that may be left out.
func TestAnEmptyRequirement(t *testing.T) {
	want, err := ledger.Encode(lifecycle.Requirement{})
	require.NoError(t, err)
	got, err := Requirement(&lifecycle.Requirement{})
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// TestRequirement holds the bytes of a requirement to those of the ledger, member by member.
func TestRequirement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.MakeCustom[lifecycle.Requirement](drawn).Draw(t, "requirement")
		want, wrong := ledger.Encode(&r)
		got, err := Requirement(&r)
		require.Equal(t, wrong == nil, err == nil, "%v, %v", wrong, err)
		if err == nil {
			require.Equal(t, string(want), string(got))
		}
	})
}
