package schedule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Verifies: ORC-257
func TestTimesThatCanBeKept(t *testing.T) {
	for name, c := range map[string]struct {
		payload map[string]any
		want    Timing
		wrong   string // the member that is wrong
	}{
		"once":                {map[string]any{"at": "2026-01-02T04:00:00+00:00"}, Timing{First: time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)}, ""},
		"again and again":     {map[string]any{"every": "1h30m"}, Timing{First: now.Add(90 * time.Minute), Every: 90 * time.Minute}, ""},
		"from a time on":      {map[string]any{"at": "2026-01-03T00:00:00Z", "every": "24h", "until": "2026-01-09T00:00:00Z"}, Timing{time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC), 24 * time.Hour, time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC)}, ""},
		"never":               {map[string]any{}, Timing{}, "at"},
		"a time that is over": {map[string]any{"at": "2026-01-02T03:04:05Z"}, Timing{}, "at"},
		"no time":             {map[string]any{"at": "tomorrow"}, Timing{}, "at"},
		"in a hundred years":  {map[string]any{"at": "2126-01-02T03:04:05Z"}, Timing{}, "at"},
		"too often":           {map[string]any{"every": "59s"}, Timing{}, "every"},
		"too rarely":          {map[string]any{"every": "9999h"}, Timing{}, "every"},
		"no duration":         {map[string]any{"every": "daily"}, Timing{}, "every"},
		"a number":            {map[string]any{"every": 5.0}, Timing{}, "every"},
		"an end of one time":  {map[string]any{"at": "2026-01-03T00:00:00Z", "until": "2026-01-04T00:00:00Z"}, Timing{}, "until"},
		"an end before all":   {map[string]any{"every": "2h", "until": "2026-01-02T04:00:00Z"}, Timing{}, "until"},
		"an end that is none": {map[string]any{"every": "2h", "until": 7.0}, Timing{}, "until"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(c.payload, now)
			if c.wrong == "" {
				require.NoError(t, err)
				require.Equal(t, c.want, got)
				return
			}
			f := fault.As(err)
			require.ErrorIs(t, err, fault.Invalid)
			require.Equal(t, CodeTime, f.Code)
			require.NotEmpty(t, f.Fix)
			require.Equal(t, "/"+c.wrong, f.Fields[0].Pointer)
		})
	}
	require.Equal(t, []string{"1h30m", "2h", "1m", "1m30s"}, []string{Words(90 * time.Minute), Words(2 * time.Hour), Words(time.Minute), Words(90 * time.Second)})
}

// Verifies: ORC-258
func TestWhatIsDue(t *testing.T) {
	hourly := Timing{First: now, Every: time.Hour}
	until := Timing{First: now, Every: time.Hour, Until: now.Add(2 * time.Hour)}
	for name, c := range map[string]struct {
		timing Timing
		after  time.Duration // how long after the next time it is
		want   Due
		is     bool
	}{
		"nothing yet":                 {hourly, -time.Second, Due{}, false},
		"at its time":                 {hourly, 0, Due{now, 1, 0, now.Add(time.Hour)}, true},
		"a little late":               {hourly, 59 * time.Second, Due{now, 1, 0, now.Add(time.Hour)}, true},
		"missed":                      {hourly, time.Minute, Due{now, 1, 1, now.Add(time.Hour)}, true},
		"several missed":              {hourly, 3*time.Hour + 30*time.Minute, Due{now.Add(3 * time.Hour), 4, 4, now.Add(4 * time.Hour)}, true},
		"several missed, one in time": {hourly, 3 * time.Hour, Due{now.Add(3 * time.Hour), 4, 3, now.Add(4 * time.Hour)}, true},
		"once":                        {Timing{First: now}, 0, Due{At: now, Times: 1}, true},
		"once, and missed":            {Timing{First: now}, 48 * time.Hour, Due{At: now, Times: 1, Missed: 1}, true},
		"the last time":               {until, 2 * time.Hour, Due{now.Add(2 * time.Hour), 3, 2, time.Time{}}, true},
		"after the end":               {until, 20 * time.Hour, Due{now.Add(2 * time.Hour), 3, 3, time.Time{}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, is := c.timing.Due(now, now.Add(c.after))
			require.Equal(t, c.is, is)
			require.Equal(t, c.want, got)
		})
	}
	_, is := hourly.Due(time.Time{}, now)
	require.False(t, is, "nothing is due any more")
}
