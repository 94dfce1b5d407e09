package days

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimesToCome(t *testing.T) {
	for said, want := range map[string]any{"10 minutes": "10m", "hour": "1h", "90 Minutes": "90m", "2 days": "48h", "week": "168h", "0 hours": nil} {
		got, why := ReadPeriod(said)
		require.Equal(t, want, got)
		require.Equal(t, want == nil, why != "", said)
	}
	for said, want := range map[string]any{"2026-12-01t09:00z": "2026-12-01T09:00:00Z", "2026-12-01T09:00:30+02:00": "2026-12-01T07:00:30Z", "2026-13-01T09:00Z": nil} {
		got, why := ReadMoment(said)
		require.Equal(t, want, got)
		require.Equal(t, want == nil, why != "", said)
	}
	_, why := ReadClock("29:00")
	require.Contains(t, why, "09:00")
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.FixedZone("", 3600)) // 08:00 in UTC
	require.Equal(t, "2026-11-24T09:00:00Z", Next("9:00", now))
	require.Equal(t, "2026-11-25T08:00:00Z", Next("08:00", now), "it is that time now")
	require.True(t, Schedules("tell me every hour what is next"))
	require.True(t, Schedules("at 2026-12-01T09:00Z what is next"))
	require.False(t, Schedules("what is next"))
}
