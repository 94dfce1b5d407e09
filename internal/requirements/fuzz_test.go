package requirements

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// FuzzParseChange: any bytes are refused as malformed, or are a change that is read the same from the form
// that is kept in the log, that no role can make the rules panic with, and whose outcome can be stored.
func FuzzParseChange(f *testing.F) {
	for _, body := range []string{
		move(lifecycle.Planned), move(lifecycle.Done, approved), designed, implemented, "{" + passed + "}", `{"test":null}`,
		`{"deviations":[{"id":"D1","text":"t","resolution":{"outcome":"fixed","text":"x"}}]}`, `{"pm_notes":[{"text":"\u00e9"}]}`,
		`{"status":"planned","status":"done"}`, `{"STATUS":1}`, `[]`, `{"test":{"results":{"passed":1e2,"failed":0}}}`, "\xef\xbb\xbf{}",
		`{"accept_fingerprint":"x","approvals":[{"decision":"rejected"}]}`, `{"justification":{"reason":" ","evidence":[]}}`,
	} {
		f.Add([]byte(body))
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body []byte) {
		change, err := decision.Read(body, lifecycle.PM)
		if err != nil {
			require.ErrorIs(t, err, fault.Malformed)
			require.NotEmpty(t, fault.As(err).Fix)
			return
		}
		again, err := decision.Read(jsonobject.Compact(body), lifecycle.PM)
		require.NoError(t, err)
		require.Equal(t, change, again)
		req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: "REQ-1", Fingerprint: "sha256:0"}, time.Time{}, lifecycle.LatestRules)
		for _, role := range lifecycle.Roles() {
			change, err := decision.Read(body, role)
			require.NoError(t, err)
			next, err := lifecycle.Rework.Apply(req, lifecycle.Actor{Name: "x", Role: role}, change, at)
			if err != nil {
				require.NotNil(t, decision.Refusal(err))
				continue
			}
			raw, err := ledger.Encode(next)
			require.NoError(t, err)
			back, found, err := projection.TableRequirements.Decode("REQ-1", raw)
			require.NoError(t, err)
			require.True(t, found)
			stored, err := ledger.Encode(back)
			require.NoError(t, err)
			require.Equal(t, string(raw), string(stored), "what is stored is read back whole")
		}
	})
}
