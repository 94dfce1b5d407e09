package replay

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// randomChange is a requirement with one more of something; sometimes its history is another, which no rule does.
func randomChange(rt *rapid.T, req lifecycle.Requirement) lifecycle.Requirement {
	text := rapid.SampledFrom([]string{"", "a", `"history":[`, "]}", "ü\u2028<>", strings.Repeat("long ", 50)}).
		Draw(rt, "text")
	req.Revision++
	entry := lifecycle.HistoryEntry{From: lifecycle.Planned, To: lifecycle.Blocked,
		Justification: lifecycle.Justification{Reason: text}}
	switch rapid.IntRange(0, 9).Draw(rt, "change") {
	case 0, 1, 2:
		req.PMNotes = append(slices.Clip(req.PMNotes), lifecycle.Note{Text: text})
	case 3, 4:
		req.DesignSpec = []byte(`{"summary":` + fmt.Sprintf("%q", text) + `,"history":[]}`)
	case 5, 6, 7:
		req.History = append(slices.Clip(req.History), entry)
	case 8:
		req.History = append(slices.Clip(req.History), entry, entry)
	default:
		req.History = []lifecycle.HistoryEntry{entry}
	}
	return req
}

// TestStates holds a set that keeps almost nothing decoded against a map.
func TestStates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStates(rapid.SampledFrom([]int{1, 1500, 1 << 20}).Draw(rt, "most hot"),
			rapid.SampledFrom([]int{1, 1500, 1 << 20}).Draw(rt, "most resting"))
		want := map[string][]byte{}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			id := fmt.Sprint("R", rapid.IntRange(1, 5).Draw(rt, "id"))
			req, size, err := s.find(id)
			require.NoError(rt, err)
			require.Len(rt, want[id], size)
			require.True(rt, size == 0 || s.byID[id].hot != nil, "what was used last is decoded")
			if size == 0 {
				req, _ = lifecycle.Define(nil, lifecycle.Definition{ID: id}, time.Unix(0, 0), lifecycle.LatestRules)
			}
			if size > 0 && rapid.IntRange(0, 3).Draw(rt, "only look") == 0 {
				again, err := ledger.Encode(req)
				require.NoError(rt, err)
				require.Equal(rt, want[id], again)
				continue
			}
			next := randomChange(rt, req)
			encoded, err := ledger.Encode(next)
			require.NoError(rt, err)
			raw, err := s.putChanged(next)
			require.NoError(rt, err)
			require.Equal(rt, string(encoded), string(raw))
			require.Equal(rt, ledger.Digest(encoded), s.digest(id))
			want[id] = bytes.Clone(encoded)
		}
		hot, resting, packed := 0, 0, 0
		for id, raw := range want {
			require.Equal(rt, raw, s.raw(id))
			require.Equal(rt, ledger.Digest(raw), fmt.Sprintf("%x", s.byID[id].sum))
			if one := s.byID[id]; one.hot != nil {
				hot += one.size
			}
			if one := s.byID[id]; one.resting != nil {
				require.Nil(rt, one.packed)
				resting += one.size
			}
			packed += len(s.byID[id].packed)
		}
		require.Equal(rt, hot, s.hot.size)
		require.Equal(rt, resting, s.resting.size)
		require.Equal(rt, packed, s.packed)
		require.True(rt, hot <= s.hot.most || s.hot.Len() == 1, "memory is bounded")
		require.True(rt, resting <= s.resting.most-min(packed, s.resting.most*2/3) || s.resting.Len() == 1)
		require.ElementsMatch(rt, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(s.byID)))
	})
}

// What was encoded of a history is taken over, and not encoded again.
func TestStatesAppend(t *testing.T) {
	req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: "R"}, time.Unix(0, 0), lifecycle.LatestRules)
	s := newStates(1<<20, 1<<20)
	_, err := s.put(req)
	require.NoError(t, err)
	var before []jsontext.Value
	for n := range 3 {
		req.History = append(req.History, lifecycle.HistoryEntry{To: lifecycle.Planned})
		want, err := ledger.Encode(req)
		require.NoError(t, err)
		raw, err := s.putChanged(req)
		require.NoError(t, err)
		require.Equal(t, string(want), string(raw))
		history := s.byID["R"].hot.history
		require.Len(t, history, n+1)
		for i, entry := range before {
			require.Same(t, &entry[0], &history[i][0])
		}
		before = history
	}
}
