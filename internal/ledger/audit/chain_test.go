package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNextDemandsTheRecordThatFollows(t *testing.T) {
	encoded := func(seq uint64, at time.Time) []byte {
		raw, err := Encode(Record{Seq: seq, At: at, Kind: "k", Data: []byte(`{}`)})
		require.NoError(t, err)
		return raw
	}
	first := encoded(0, start)
	record, head, nodes, err := Head{}.Next(first)
	require.NoError(t, err)
	require.EqualValues(t, 0, record.Seq)
	require.EqualValues(t, 1, head.Size)
	require.Len(t, nodes, 1)
	sealed, _, err := Head{}.Seal(first, start)
	require.NoError(t, err)
	require.True(t, head.Equal(sealed))

	for want, raw := range map[string][]byte{
		"cannot be read":             []byte("nonsense"),
		"stands where record 1":      encoded(2, start),
		"record 0 stands where reco": first,
	} {
		_, after, _, err := head.Next(raw)
		require.ErrorContains(t, err, want)
		require.Less(t, after.Size, uint64(2), "nothing was appended")
	}
}

func TestThreads(t *testing.T) {
	threads := Threads{}
	for _, r := range []Record{{Seq: 0}, {Seq: 1, Subject: "A"}, {Seq: 2, Subject: "B"}, {Seq: 3, Subject: "A", Prev: 1}, {Seq: 4}} {
		require.NoError(t, threads.Follow(r))
	}
	require.Equal(t, Threads{"A": {3, 2}, "B": {2, 1}}, threads)
	require.ErrorContains(t, threads.Follow(Record{Seq: 5, Subject: "A", Prev: 1}), `names record 1 as the one before it about "A", which is record 3`)
	require.Error(t, threads.Follow(Record{Seq: 5, Prev: 1}))
}
