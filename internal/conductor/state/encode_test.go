package state

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/system/jsonobject"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// faults are none, or one: what an error holds is not for a generator to make.
var faults = jsonobjecttest.Types{reflect.TypeFor[*fault.Error](): rapid.SampledFrom([]any{(*fault.Error)(nil),
	fault.New(fault.Conflict, "gate_unmet", "it lacks something").WithFix("supply it")})}

// TestRowsAreEncodedAsAllValuesAre holds the bytes of each kind of row that writes itself to those of the library.
func TestRowsAreEncodedAsAllValuesAre(t *testing.T) {
	t.Run("request", encodesLike[Request])
	t.Run("obligation", encodesLike[Obligation])
	t.Run("tool run", encodesLike[ToolRun])
	t.Run("evidence", encodesLike[Evidence])
	t.Run("assertion", encodesLike[Assertion])
	t.Run("source", encodesLike[Source])
	t.Run("event", encodesLike[Event])
}

func encodesLike[T row](t *testing.T) {
	jsonobjecttest.Like(t, faults, func(value *T) ([]byte, error) { return encoded(*value) })
}

// TestTheNameOfARunIsMadeOfItsRequest in the form that earlier versions made it of.
func TestTheNameOfARunIsMadeOfItsRequest(t *testing.T) {
	type named struct {
		Request  Request
		Registry string
	}
	jsonobjecttest.Like(t, nil, func(n *named) ([]byte, error) {
		of := &n.Request
		want, wrong := ledger.Encode([]any{of.Number, of.Caller, of.Request, n.Registry})
		got, err := jsonobject.Bytes(func(w *jsonobject.Writer) { of.writeNamed(w, n.Registry) })
		require.Equal(t, wrong == nil, err == nil, "%v, %v", wrong, err)
		require.Equal(t, string(want), string(got))
		return ledger.Encode(n)
	})
}
