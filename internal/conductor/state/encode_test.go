package state

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/jsonobject"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

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
	jsonobjecttest.Like(t, nil, func(value *T) ([]byte, error) { return encoded(*value) })
}

func TestARowThatCannotBeEncodedIsNamed(t *testing.T) {
	for _, wrong := range []any{Event{What: "\xff"}, Entity{ID: "\xff"}} {
		_, err := encoded(wrong)
		require.ErrorContains(t, err, "encode state.")
	}
}

// TestTheNameOfARunIsMadeOfItsRequest in the form that earlier versions made it of.
func TestTheNameOfARunIsMadeOfItsRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := jsonobjecttest.Drawn[Request](nil).Draw(t, "request")
		if rapid.Bool().Draw(t, "without budgets") {
			of.Request.Budgets = planning.Budgets{}
		}
		want, err := ledger.Encode([]any{of.Number, of.Caller, of.Request, "registry"})
		require.NoError(t, err)
		got, err := jsonobject.Bytes(func(w *jsonobject.Writer) { of.writeNamed(w, "registry") })
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
	wrong := Request{Request: planning.Request{IdempotencyKey: "\xff"}}
	require.Error(t, wrong.Name(""))
	named := Request{Number: 7, Caller: ada, Request: planning.Request{Obligations: []planning.Obligation{
		{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": "1+1"}}}}}
	require.NoError(t, named.Name("registry"))
	require.Equal(t, "00000007e2ecc8e4", named.ID)
}
