package audit

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestEncode holds the bytes of records to those of the library. Their data has been encoded before.
func TestEncode(t *testing.T) {
	types := jsonobjecttest.Types{reflect.TypeFor[json.RawMessage](): rapid.SampledFrom([]any{
		json.RawMessage(nil), json.RawMessage(`{}`), json.RawMessage(`{"a":[1,"é\""],"b":null}`),
		json.RawMessage(`"text"`),
	})}
	jsonobjecttest.Like(t, types, func(r *Record) ([]byte, error) { return Encode(*r) })
}
