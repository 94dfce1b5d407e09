package requirements

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/review"
)

func TestReviewOfAnExport(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	snap := r.current.Load()
	var export bytes.Buffer
	require.NoError(t, snap.Write(&export))
	p, err := ReviewExport(&export)
	require.NoError(t, err)
	require.Equal(t, review.NotReady, p.Verdict)
	require.Equal(t, review.Log{Size: snap.Head.Size, Root: snap.Head.Root.String()}, p.Log)
	require.Equal(t, []string{"log", "evidence", "documents", "import", "refusals"}, p.Unchecked)
	require.Equal(t, "approval", p.Requirements[0].Missing[0].Gate)
	require.Equal(t, "design_spec", p.Requirements[1].Missing[0].Gate)
	require.True(t, p.Whole())

	for _, broken := range []string{"", "{}", "[]", `{"schema_version":1`, strings.Repeat("x", 9)} {
		_, err := ReviewExport(strings.NewReader(broken))
		require.ErrorIs(t, requireCode(t, err, "export_invalid"), fault.Invalid)
	}
}
