package record

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestProposalsAreEncodedAsAllValuesAre holds the bytes of a proposal to those of the library.
func TestProposalsAreEncodedAsAllValuesAre(t *testing.T) {
	types := jsonobjecttest.Types{reflect.TypeFor[*fault.Error](): rapid.SampledFrom([]any{(*fault.Error)(nil),
		fault.New(fault.Conflict, "gate_unmet", "no").WithFix("do it")})}
	jsonobjecttest.Like(t, types, func(p *Proposed) ([]byte, error) { return p.Encode() })
}
