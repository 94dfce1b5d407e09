package clockjump

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestLook(t *testing.T) {
	var w Watch
	require.Zero(t, w.Look(noon, time.Second), "the first look has nothing to compare with")
	require.Empty(t, w.Problem(time.Second))
	require.Zero(t, w.Look(noon.Add(time.Minute), time.Minute+time.Second))
	require.Zero(t, w.Look(noon.Add(2*time.Minute+Least-1), 2*time.Minute+time.Second), "a correction")
	require.Empty(t, w.Problem(time.Hour))

	uptime := 3 * time.Minute
	require.InDelta(t, 48*time.Hour, w.Look(noon.Add(48*time.Hour+uptime), uptime), float64(2*time.Second))
	require.Contains(t, w.Problem(uptime), "jumped forward by 48h0m")
	require.Contains(t, w.Problem(uptime), "2026-01-03T12:03:00Z")
	require.Zero(t, w.Look(noon.Add(48*time.Hour+2*uptime), 2*uptime), "it is reported once")

	require.InDelta(t, -48*time.Hour, w.Look(noon.Add(3*uptime), 3*uptime), float64(2*time.Second))
	require.Contains(t, w.Problem(3*uptime), "jumped back by 48h0m")
	require.NotEmpty(t, w.Problem(3*uptime+remembered))
	require.Empty(t, w.Problem(3*uptime+remembered+1))
}

func TestManySmallStepsAreAJump(t *testing.T) {
	var w Watch
	var jump time.Duration
	wall, uptime, looks := noon, time.Duration(0), 0
	for w.Look(wall, uptime); jump == 0 && looks < 100; looks++ {
		wall, uptime = wall.Add(11*time.Minute), uptime+time.Minute
		jump = w.Look(wall, uptime)
	}
	require.Equal(t, Least, jump)
	require.Equal(t, 6, looks)
}

// TestTheMonotonicReadingHidesNothing: a time that time.Now returned is compared by its wall clock.
func TestTheMonotonicReadingHidesNothing(t *testing.T) {
	var w Watch
	now := time.Now()
	w.Look(now, 0)
	require.Zero(t, w.Look(now.Add(time.Hour), time.Hour))
	require.Equal(t, -2*time.Hour, w.Look(now.Add(time.Hour), 3*time.Hour))
}

func TestAhead(t *testing.T) {
	require.Empty(t, Ahead(noon, noon))
	require.Empty(t, Ahead(noon.Add(Least), noon))
	require.Contains(t, Ahead(noon.Add(Least+time.Second), noon), "1h0m1s ahead of the clock")
}
