package record

import (
	"testing"

	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestProposalsAreEncodedAsAllValuesAre holds the bytes of a proposal to those of the library.
func TestProposalsAreEncodedAsAllValuesAre(t *testing.T) {
	jsonobjecttest.Like(t, nil, func(p *Proposed) ([]byte, error) { return p.Encode() })
}
