package guidance

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestAppendJSON holds the bytes of an outcome to those of the library. Its examples have been encoded before.
func TestAppendJSON(t *testing.T) {
	types := jsonobjecttest.Types{reflect.TypeFor[json.RawMessage](): rapid.Just[any](json.RawMessage(`{"a":"b"}`))}
	jsonobjecttest.Like(t, types, func(o *Outcome) ([]byte, error) {
		got, err := o.AppendJSON([]byte(`{"before":1}`))
		got, is := bytes.CutPrefix(got, []byte(`{"before":1}`))
		if !is {
			err = errors.Join(err, errors.New("what was there before is gone"))
		}
		return got, err
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
