package following

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/moved"
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

// A trail has no check sum of its own: the root of the stored head bears it out, and it the head.
func TestATrailThatIsNotThatOfTheHead(t *testing.T) {
	head := audit.Head{}
	for _, record := range []string{"one", "two", "three"} {
		next, _, err := head.Seal([]byte(record), time.Unix(1, 0).UTC())
		require.NoError(t, err)
		head = next
	}
	raw, err := moved.Head{Head: head}.Encode()
	require.NoError(t, err)
	trail := Trail{Size: head.Size, Number: 3, Frontier: head.Frontier}
	got, err := trail.Head(nil, raw)
	require.NoError(t, err)
	require.True(t, head.Equal(got))
	for i := range trail.Frontier {
		other := trail
		other.Frontier = slices.Clone(head.Frontier)
		other.Frontier[i][0] ^= 1
		_, err := other.Head(nil, raw)
		require.True(t, fault.Is(err, store.CodeDamaged), "%v", err)
	}
	short := trail
	short.Size--
	_, err = short.Head(nil, raw)
	require.True(t, fault.Is(err, store.CodeDamaged), "%v", err)
}
