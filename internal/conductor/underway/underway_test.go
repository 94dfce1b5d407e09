package underway

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-298
func TestWaitReturnsWhenNobodyGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs Runs
		require.NoError(t, runs.Wait(t.Context(), "r"), "nobody goes on with it")
		first, second := runs.Begin("r"), runs.Begin("r")
		waited := make(chan error, 1)
		go func() { waited <- runs.Wait(t.Context(), "r") }()
		for _, end := range []func(){first, second} {
			synctest.Wait()
			require.Empty(t, waited)
			end()
		}
		require.NoError(t, <-waited)
		require.Empty(t, runs.all)

		defer runs.Begin("r")()
		require.NoError(t, runs.Wait(t.Context(), "another"))
		left, leave := context.WithCancelCause(t.Context())
		leave(errors.New("who waits is gone"))
		require.EqualError(t, runs.Wait(left, "r"), "who waits is gone")
	})
}
