package following

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

func TestNamesInARing(t *testing.T) {
	names := slices.Concat(store.Places("t\x00\xff", "k"), store.Places("t", "\x00\xff"),
		store.Places("u", "long"+string(make([]byte, 300))))
	got, err := namesIn(slotRow(7, names), 7)
	require.NoError(t, err)
	require.Equal(t, names, got)
	row := slotRow(7, names)
	for _, broken := range [][]byte{nil, row[:7], row[:9], row[:len(row)-1]} {
		_, err := namesIn(broken, 7)
		require.Error(t, err)
	}
	_, err = namesIn(row, 7+ringSize)
	require.ErrorContains(t, err, "missing")
	trail := Trail{Size: 1, Number: 2, Writer: 3, Since: 4, Frontier: []audit.Hash{{5}, {6}}}
	back, err := decodeTrail(trail.encode())
	require.NoError(t, err)
	require.Equal(t, trail, back)
	_, err = decodeTrail(trail.encode()[1:])
	require.Error(t, err)
}
