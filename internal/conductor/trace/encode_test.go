package trace

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestTracesAreEncodedAsAllValuesAre holds the bytes of a trace to those of the library.
func TestTracesAreEncodedAsAllValuesAre(t *testing.T) {
	types := jsonobjecttest.Types{
		reflect.TypeFor[*fault.Error](): rapid.SampledFrom([]any{(*fault.Error)(nil),
			fault.New(fault.Conflict, "gate_unmet", "it lacks something").WithFix("supply it")}),
		reflect.TypeFor[[]Obligation](): rapid.Just[any]([]Obligation(nil)), // of one without steps
	}
	few := rapid.SliceOfN(jsonobjecttest.Drawn[Obligation](types), 0, 2)
	types[reflect.TypeFor[[]Obligation]()] = rapid.Custom(func(t *rapid.T) any {
		all := few.Draw(t, "obligations")
		for i := range all {
			all[i].Steps = few.Draw(t, "steps")
		}
		return all
	})
	jsonobjecttest.Like(t, types, (*Trace).encode)
}
