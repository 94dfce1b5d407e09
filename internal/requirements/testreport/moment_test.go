package testreport

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// written returns when what began at a time ended, if it took no time.
func written(t *testing.T, text string) string {
	t.Helper()
	m, err := readMoment(text)
	require.NoError(t, err, text)
	ran, err := m.ran(0).MarshalText()
	require.NoError(t, err)
	return string(ran)
}

// The ways in which tools write one moment.
func TestMomentsWithAZone(t *testing.T) {
	for _, text := range []string{
		"2026-03-02T10:11:12Z", "2026-03-02T10:11:12.5Z", "2026-03-02T10:11:12.000000+00:00", " 2026-03-02T10:11:12Z\n",
		"2026-03-02T12:11:12+02:00", "2026-03-02T12:11:12,5+0200", "2026-03-02T12:11:12.21+02", "2026-03-02T00:41:12-09:30",
		"2026-03-02 10:11:12Z", "2026-03-02 10:11:12 UTC", "2026-03-02 02:11:12 PST -0800", "2026-03-02 02:11:12 -0800",
		"2026-03-02T 10:11:12Z", "20260302T101112Z", "20260302T121112+0200",
		"2026-03-02T11:11:12+01:00[Europe/Berlin]", "2026-03-02T10:11:12Z[UTC]", "2026-03-02 11:11:12.25 +0100 CET", "Mon, 02 Mar 2026 10:11:12 +0000",
		"Mon, 02 Mar 2026 10:11:12 GMT", "2 Mar 2026 10:11:12 GMT", "Mon Mar 2 10:11:12 UTC 2026", "Mon Mar  2 10:11:12 UTC 2026",
		"Mon Mar 02 2026 12:11:12 GMT+0200 (Mitteleuropäische Zeit)",
		"1772446272", "1772446272.5", "1772446272000", "1772446272123", "1772446272000000", "1772446272000000000", "1.772446272e12",
	} {
		require.Equal(t, "2026-03-02T10:11:12Z", written(t, text), text)
	}
}

func TestMomentsWithoutAZone(t *testing.T) {
	const anywhere = "2026-03-01T20:11:12Z/2026-03-02T22:11:12Z"
	for text, want := range map[string]string{
		"2026-03-02T10:11:12": anywhere, "2026-03-02T10:11:12.123456": anywhere, "2026-03-02 10:11:12,123": anywhere,
		"2026-03-02T 10:11:12": anywhere, "20260302T101112": anywhere, "20260302101112": anywhere, "2026/03/02 10:11:12": anywhere,
		"02-Mar-2026 10:11:12": anywhere, "Mon Mar  2 10:11:12 2026": anywhere, "Mon Mar 02 2026 10:11:12": anywhere,
		"2026-03-02T10:11:12 CEST": anywhere, "2026-03-02T10:11:12[Europe/Berlin]": anywhere, "Mon Mar  2 10:11:12 IST 2026": anywhere, "2026-03-02T10:11:12 (there)": anywhere,
		"2026-03-02T10:11": "2026-03-01T20:11:00Z/2026-03-02T22:11:00Z",
		"2026-03-02":       "2026-03-01T10:00:00Z/2026-03-03T12:00:00Z",
	} {
		require.Equal(t, want, written(t, text), text)
	}
}

func TestMomentsThatAreNotSet(t *testing.T) {
	for _, text := range []string{"", " ", "0", "tbd", "TBD", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00"} {
		require.Empty(t, written(t, text), text)
	}
}

func TestMomentsThatAreNone(t *testing.T) {
	for _, text := range []string{
		"yesterday", "null", "-", "-1", "1", "+Inf", "NaN", "0x6", "1e300", "99999999999999999999", "03/02/2026 10:11:12",
		"2026-13-02T10:11:12Z", "2026-02-30T10:11:12Z", "2026-03-02T25:11:12Z", "2026-03-02T10:11:12+15:00",
		"2026-03-02T10:11:12-13", "2026-03-02T10:11:12+01:60", "2026-03-02Z", "2026-03-02+01:00", "2026-03-02T10:11:12Zulu", "2026-03-02T10:11:12 soon", "3/2/2026 10:11:12 AM", "2026-03-02T10:11:12-",
		"0001-01-02T00:00:00Z", "1970-01-01T00:00:00Z", "1979-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "2026-03-02T10:11:12ı",
		strings.Repeat("2026", 1000),
	} {
		_, err := readMoment(text)
		require.ErrorContains(t, err, "is not a time at which a test can have run", text)
		require.Less(t, len(err.Error()), 400)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0.021": 21 * time.Millisecond, " 1 ": time.Second, "1e1": 10 * time.Second, "1,234.5": 1234*time.Second + time.Second/2,
		"1,234": 1234 * time.Millisecond, "1,234,567.5": 1234567*time.Second + time.Second/2, "5.007000000000001": 5007 * time.Millisecond,
		"": 0, "x": 0, "-0.001": 0, "NaN": 0, "Inf": 0, "1e300": 0, "1e18": 0, "1s": 0, "0x1": 0, "1.2.3": 0,
	} {
		require.Equal(t, want, readDuration(text, time.Second), text)
	}
}

func FuzzMoment(f *testing.F) {
	for _, text := range []string{"2026-03-02T10:11:12.5+02:00", "Mon Mar  2 10:11:12 IST 2026", "1772446272000", "2026-03-02", "tbd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readMoment(text)
		again, errAgain := readMoment(" " + text + "\n")
		require.Equal(t, err == nil, errAgain == nil)
		require.Equal(t, m, again)
		ran := m.ran(readDuration(text, time.Second))
		require.False(t, ran.Latest.Before(ran.Earliest))
		encoded, err := ran.MarshalText()
		require.NoError(t, err)
		var decoded Ran
		require.NoError(t, decoded.UnmarshalText(encoded))
		require.Equal(t, ran, decoded)
	})
}
