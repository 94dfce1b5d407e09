package linear

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Both ways to check the length of a log agree on short histories, of which about half are impossible.
//
// Verifies: ORC-386
func TestGrowsDecidesAsCheckDoes(t *testing.T) {
	verdicts := map[Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		r := &Recorder[Growth, Size]{}
		for i := range rapid.IntRange(1, 7).Draw(t, "requests") {
			sent := rapid.IntRange(0, 12).Draw(t, "sent")
			told := sent + rapid.IntRange(0, 6).Draw(t, "took")
			c := r.Begin(i, Growth{rapid.Bool().Draw(t, "appends")})
			if rapid.IntRange(0, 5).Draw(t, "answered") > 0 {
				c.End(Size(max(0, (sent+told)/2+rapid.IntRange(-2, 2).Draw(t, "off"))))
			}
			c.sent, c.told = time.Duration(sent), time.Duration(told)
		}
		want, _ := Check(Log, r, patience)
		got, why := Grows(r)
		require.Equal(t, want, got, why)
		verdicts[got]++
	})
	require.Greater(t, verdicts[Linearizable], 5)
	require.Greater(t, verdicts[Impossible], 5)
}
