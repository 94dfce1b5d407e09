package share

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShare(t *testing.T) {
	for s, want := range map[Share]struct {
		rate          float64
		above, atMost bool
		percent       string
	}{
		{0, 0}:  {0, false, false, "not measured"},
		{3, -1}: {0, false, false, "not measured"},
		{0, 4}:  {0, false, true, "0.0 %"},
		{1, 4}:  {0.25, false, true, "25.0 %"},
		{2, 6}:  {1.0 / 3, true, false, "33.3 %"},
	} {
		require.InDelta(t, want.rate, s.Rate(), 1e-9, "%v", s)
		require.Equal(t, []bool{want.above, want.atMost}, []bool{s.Above(0.25), s.AtMost(0.25)}, "%v", s)
		require.Equal(t, want.percent, s.Percent(), "%v", s)
	}
}
