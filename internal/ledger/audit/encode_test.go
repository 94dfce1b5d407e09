package audit

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawn makes a time of any year that has four digits, and data as the ledger encodes it.
var drawn = rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
	reflect.TypeFor[time.Time](): rapid.Custom(func(t *rapid.T) any {
		seconds, ns := rapid.Int64Range(0, 250e9), rapid.Int64Range(0, 999_999_999)
		return time.Unix(seconds.Draw(t, "seconds"), ns.Draw(t, "ns")).UTC()
	}),
	reflect.TypeFor[json.RawMessage](): rapid.SampledFrom([]any{
		json.RawMessage(nil), json.RawMessage(`{}`), json.RawMessage(`{"a":[1,"é\""],"b":null}`),
		json.RawMessage(`"text"`),
	}),
}}

// TestEncode holds the bytes of records to those of the library, member by member.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.MakeCustom[Record](drawn).Draw(t, "record")
		want, wrong := jsonv2.Marshal(r, jsonv2.Deterministic(true))
		got, err := Encode(r)
		require.Equal(t, wrong == nil, err == nil, "%v, %v", wrong, err)
		require.Equal(t, string(want), string(got))
	})
}
