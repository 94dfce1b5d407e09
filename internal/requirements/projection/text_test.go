package projection

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestWhatASearchReads: it is what the whole requirement has, whatever texts and names are in it.
func TestWhatASearchReads(t *testing.T) {
	odd := rapid.SampledFrom([]string{"", `"`, `","text":"x`, `\",\"text\":\"x`, `\`, "\u2028<>&\x7f\x00\n", "Ä", "amy"})
	drawn := jsonobjecttest.Drawn[lifecycle.Requirement](nil)
	rapid.Check(t, func(t *rapid.T) {
		req := drawn.Draw(t, "requirement")
		req.ID, req.Title, req.Text = odd.Draw(t, "id"), odd.Draw(t, "title"), odd.Draw(t, "text")
		req.Stamps.DesignSpec.By, req.Stamps.Test.By = odd.Draw(t, "architect"), odd.Draw(t, "tester")
		raw, err := ledger.Encode(req)
		require.NoError(t, err)
		e := &Entry{Raw: raw}
		require.Equal(t, req.Text, e.Text())
		for _, name := range []string{odd.Draw(t, "name"), req.Stamps.DesignSpec.By, req.Stamps.Implementation.By, "\xff"} {
			require.Equal(t, req.Stamps.By(name), e.WroteLast(name), name)
		}
	})
}
