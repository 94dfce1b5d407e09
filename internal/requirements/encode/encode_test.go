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

// drawn makes times that are there or not, some of which have no form in RFC 3339, and JSON with and without white space.
var drawn = rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
	reflect.TypeFor[time.Time](): rapid.Custom(func(t *rapid.T) any {
		at := time.UnixMicro(rapid.Int64Range(0, 1<<58).Draw(t, "time")).UTC()
		return rapid.SampledFrom([]time.Time{{}, at, at, at.In(time.FixedZone("", 3600))}).Draw(t, "at")
	}),
	reflect.TypeFor[json.RawMessage](): rapid.Custom(func(t *rapid.T) any {
		return json.RawMessage(rapid.SampledFrom([][]byte{nil, []byte(`{}`), []byte(`{"a":["b"]}`), []byte(`"ü\u2028<>"`),
			[]byte(`""`), []byte(`null`), []byte(`"\u0041\/"`), []byte(`{"a" : [1.0, "b c"]}`)}).Draw(t, "JSON"))
	}),
}}

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
