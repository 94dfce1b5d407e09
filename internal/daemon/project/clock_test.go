package project

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The times of the log are encoded with the same number of bytes, and are those that the clock says.
func TestTheTimesOfTheLogAreOfOneLength(t *testing.T) {
	for range 10_000 {
		before := time.Now()
		at := now()
		text, err := at.UTC().Truncate(time.Microsecond).MarshalText()
		require.NoError(t, err)
		require.Len(t, text, len("2006-01-02T15:04:05.999999Z"), "%s", text)
		require.False(t, at.Before(before))
		require.False(t, at.After(time.Now().Add(time.Microsecond)))
	}
}
