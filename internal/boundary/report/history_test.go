package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// The time in validate is found by a search in the order of time. It is what looking at each decision for each switch
// finds, whatever overlaps.
func TestTheTimeInValidateIsThatOfEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &History{}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		modes := []boundary.Mode{boundary.Off, boundary.Validate, boundary.Confirm, boundary.Enforce}
		switched, judged := at, at
		for range rapid.IntRange(0, 12).Draw(t, "switches") {
			switched = switched.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "later")) * time.Hour)
			h.Modes = append(h.Modes, folder.Line{At: switched, Mode: rapid.SampledFrom(modes).Draw(t, "mode")})
		}
		for range rapid.IntRange(0, 30).Draw(t, "decisions") {
			judged = judged.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "later")) * time.Hour)
			h.Decisions = append(h.Decisions,
				Decision{At: judged, told: &told{Mode: rapid.SampledFrom(modes).Draw(t, "judged in")}})
		}
		var total time.Duration
		for i, m := range h.Modes {
			var times []time.Time
			for _, d := range h.Decisions {
				over := i+1 < len(h.Modes) && d.At.After(h.Modes[i+1].At)
				if watches(m.Mode) && watches(d.Mode) && !d.At.Before(m.At) && !over {
					times = append(times, d.At)
				}
			}
			if len(times) > 0 {
				total += times[len(times)-1].Sub(times[0])
			}
		}
		require.Equal(t, total, h.validateFor())
	})
}
