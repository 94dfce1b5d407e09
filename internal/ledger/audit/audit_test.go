package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/tlog"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// nodes is the store side of a log: every node ever sealed, by index.
type nodes map[int64]Hash

func (n nodes) ReadHashes(indexes []int64) ([]Hash, error) {
	out := make([]Hash, len(indexes))
	for i, index := range indexes {
		h, ok := n[index]
		if !ok {
			return nil, fmt.Errorf("no node %d", index)
		}
		out[i] = h
	}
	return out, nil
}

func grow(t *testing.T, size int) (Head, nodes, [][]byte) {
	t.Helper()
	var head Head
	stored, leaves := nodes{}, [][]byte{}
	for i := range size {
		leaf := fmt.Appendf(nil, "record %d", i)
		next, hashes, err := head.Seal(leaf, start.Add(time.Duration(i)*time.Second))
		require.NoError(t, err)
		for _, h := range hashes {
			require.NotContains(t, stored, int64(h.Index), "a node is written once")
			stored[int64(h.Index)] = h.Hash
		}
		head, leaves = next, append(leaves, leaf)
	}
	return head, stored, leaves
}

// treeHash is RFC 6962 section 2.1 as written, to hold the incremental form against.
func treeHash(leaves [][]byte) Hash {
	if len(leaves) == 1 {
		return tlog.RecordHash(leaves[0])
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	return tlog.NodeHash(treeHash(leaves[:k]), treeHash(leaves[k:]))
}

func TestSealGivesTheTreeOfRFC6962AtEverySize(t *testing.T) {
	for size := 1; size <= 130; size++ {
		head, stored, leaves := grow(t, size)
		require.Equal(t, uint64(size), head.Size)
		require.Equal(t, treeHash(leaves), head.Root, "size %d", size)
		require.Len(t, stored, int(tlog.StoredHashCount(int64(size))))

		rebuilt, err := HeadAt(head.Size, head.At, stored)
		require.NoError(t, err)
		require.Equal(t, head, rebuilt)
		require.True(t, head.Equal(rebuilt))
	}
}

// TestSealTakesAnyTime: the clock may have been set back, and the order is that of the numbers.
func TestSealTakesAnyTime(t *testing.T) {
	head, _, _ := grow(t, 3)
	for _, d := range []time.Duration{-24 * time.Hour, 0, 24 * time.Hour} {
		next, _, err := head.Seal([]byte("x"), head.At.Add(d))
		require.NoError(t, err)
		require.Equal(t, head.At.Add(d), next.At)
	}
}

func TestAHeadWithADamagedFrontierSealsNothing(t *testing.T) {
	head, _, _ := grow(t, 3)
	head.Frontier = head.Frontier[:1]
	_, _, err := head.Seal([]byte("x"), start.Add(time.Hour))
	require.ErrorContains(t, err, "2 subtrees, not 1")
}

func TestEqualHeadsAreEqualInEveryPart(t *testing.T) {
	head, _, _ := grow(t, 3)
	for name, change := range map[string]func(*Head){
		"size": func(h *Head) { h.Size++ }, "root": func(h *Head) { h.Root[0]++ },
		"time": func(h *Head) { h.At = h.At.Add(1) }, "frontier": func(h *Head) { h.Frontier = h.Frontier[1:] },
	} {
		other := head
		change(&other)
		require.False(t, head.Equal(other), name)
	}
}

func TestHeadAt(t *testing.T) {
	empty, err := HeadAt(0, start, nodes{})
	require.NoError(t, err)
	require.Equal(t, Head{At: start}, empty)
	_, err = HeadAt(5, start, nodes{})
	require.ErrorContains(t, err, "no node")
}

func TestARecordKeepsItsBytes(t *testing.T) {
	r := Record{
		Seq: 7, At: start, Kind: "requirement.changed", Actor: Actor{"ada", "pm"}, Subject: "REQ-1",
		RequestID: "r1", Data: json.RawMessage(`{"b":1,"a":2}`),
	}
	b, err := Encode(r)
	require.NoError(t, err)
	require.JSONEq(t, `{"seq":7,"at":"2026-01-02T03:04:05Z","kind":"requirement.changed","actor":{"name":"ada","role":"pm"},`+
		`"subject":"REQ-1","request_id":"r1","data":{"b":1,"a":2}}`, string(b))
	again, err := Decode(b)
	require.NoError(t, err)
	require.Equal(t, r, again)
}

func TestEncodeRefusesWhatCannotBeStored(t *testing.T) {
	large, err := json.Marshal(strings.Repeat("x", MaxRecord))
	require.NoError(t, err)
	_, err = Encode(Record{At: start, Data: large})
	require.ErrorContains(t, err, "the limit is 60000")
	for name, r := range map[string]Record{
		"no JSON": {At: start, Data: json.RawMessage(`{"a":`)}, "no UTF-8": {At: start, Kind: "\xff"},
		"too deep": {At: start, Data: json.RawMessage(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))},
		"no time":  {At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		_, err = Encode(r)
		require.ErrorContains(t, err, "encode audit record", name)
	}
}

// TestEncodeFillsARecord: the largest record is stored, and what comes of names that a client has written twice.
func TestEncodeFillsARecord(t *testing.T) {
	empty, err := Encode(Record{At: start, Data: json.RawMessage(`""`)})
	require.NoError(t, err)
	for _, data := range []string{`"` + strings.Repeat("x", MaxRecord-len(empty)) + `"`, `{"a":1,"a":2}`} {
		raw, err := Encode(Record{At: start, Data: json.RawMessage(data)})
		require.NoError(t, err)
		require.Contains(t, string(raw), data)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	for _, bad := range []string{``, `{`, `{"seq":1,"seq":2}`, `{"Seq":1}`, `{"seq":1} x`} {
		_, err := Decode([]byte(bad))
		require.Error(t, err, bad)
	}
}

// Verifies: ORC-374
func TestTimeDoesNotGoBackWhereClocksDifferByLittle(t *testing.T) {
	h := Head{At: start}
	for behind, want := range map[time.Duration]time.Time{
		-time.Second:    start.Add(time.Second),
		0:               start,
		time.Nanosecond: start,
		time.Minute - 1: start,
		time.Minute:     start.Add(-time.Minute),
		time.Hour:       start.Add(-time.Hour),
	} {
		require.Equal(t, want, h.Dated(start.Add(-behind)), "%v behind", behind)
	}
}
