package record

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
)

// TestFirstAnswersAreEncodedAsAllValuesAre whatever they hold.
func TestFirstAnswersAreEncodedAsAllValuesAre(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	for _, a := range []FirstAnswer{
		{},
		{At: at, Seq: 7, BodySHA256: "ab", Refusal: fault.New(fault.Conflict, "gate_unmet", "no")},
		{At: at, Seq: 7, BodySHA256: "ab", Requirement: json.RawMessage(`{"id":"A","text":"\"requirement\":0"}`), Revision: 3},
		{BodySHA256: `","requirement":0,"`, Requirement: json.RawMessage(`{"id":"A"}`), Workflow: "v1", Looks: true, Unchanged: true},
		{Requirement: json.RawMessage(`{"requirement":0}`), Workflow: `"requirement":0`},
	} {
		want, err := ledger.Encode(a)
		require.NoError(t, err)
		got, err := a.Encode()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}
