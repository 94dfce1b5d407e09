package encode

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

func TestADefinitionIsWrittenAsTheLedgerEncodesIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Make[lifecycle.Definition]().Draw(t, "definition")
		var w jsonobject.Writer
		w.Begin()
		Definition(&w, &d)
		w.End()
		want, err := ledger.Encode(d)
		require.NoError(t, err)
		require.NoError(t, w.Err)
		require.Equal(t, string(want), string(w.B))
	})
}
