package replica

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/credentials"
	"orchestrator/internal/requirements/premise"
	"orchestrator/internal/requirements/projection"
)

// Verifies: ORC-388
func TestAPremiseIsOfTheTokensAndOfTheEvidence(t *testing.T) {
	put := func(tx store.Tx, tokens, evidence string) {
		require.NoError(t, tx.Put(credentials.Table, credentials.Key, []byte(tokens)))
		require.NoError(t, tx.Put(projection.TableProject.Name, projection.KeyProject,
			[]byte(`{"workflow":"v1","evidence":"`+evidence+`"}`)))
	}
	require.NoError(t, store.NewMemory().Update(t.Context(), func(tx store.Tx) error {
		for _, c := range []struct {
			tokens, evidence string
			looks, holds     bool
		}{
			{"known", projection.EvidenceVerified, true, true},
			{"known", projection.EvidenceRecorded, false, true},
			{"newer", projection.EvidenceVerified, true, false},
			{"known", projection.EvidenceVerified, false, false},
			{"known", projection.EvidenceRecorded, true, false},
		} {
			put(tx, c.tokens, c.evidence)
			w := &wire.Recorder{ResponseWriter: httptest.NewRecorder(), Call: wire.Call{Assumed: true, By: []byte("known")}}
			r := httptest.NewRequest(http.MethodPatch, "/requirements/REQ-001", nil)
			err := premise.Check(PremiseOf(w, r, c.looks), tx)
			require.Equal(t, c.holds, err == nil, "%v: %v", c, err)
			w.Call.Assumed = false
			require.NoError(t, premise.Check(PremiseOf(w, r, c.looks), tx))
		}
		return nil
	}))
}
