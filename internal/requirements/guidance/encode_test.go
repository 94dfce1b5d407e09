package guidance

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAppendJSON holds the bytes of an outcome to those of the library, member by member.
func TestAppendJSON(t *testing.T) {
	drawn := rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[time.Time](): rapid.Custom(func(t *rapid.T) any {
			return time.UnixMicro(rapid.Int64Range(0, 1<<57).Draw(t, "time")).UTC()
		}),
		reflect.TypeFor[json.RawMessage](): rapid.Just[any](json.RawMessage(`{"a":"b"}`)),
	}}
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.MakeCustom[Outcome](drawn).Draw(t, "outcome")
		want, wrong := jsonv2.Marshal(o, jsonv2.Deterministic(true))
		got, err := o.AppendJSON([]byte(`{"before":1}`))
		require.Equal(t, wrong == nil, err == nil, "%v, %v", wrong, err)
		if err == nil {
			require.Equal(t, `{"before":1}`+string(want), string(got))
		}
	})
}

// TestAppendJSONLeavesOut what the library leaves out, and refuses what it refuses.
func TestAppendJSONLeavesOut(t *testing.T) {
	got, err := Outcome{Next: []Lead{{By: "pm", Example: &Body{}}}}.AppendJSON(nil)
	require.NoError(t, err)
	require.Equal(t, `{"waiting_for":[],"next":[{"by":"pm"}]}`, string(got))
	for _, wrong := range []Outcome{{Next: []Lead{{Needs: "\xff"}}}, {Warnings: []Objection{{Detail: "\xff"}}}} {
		_, err := wrong.AppendJSON(nil)
		require.Error(t, err)
	}
}
