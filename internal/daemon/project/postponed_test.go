package project

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi"
)

func TestWhatAFullDiskPutOffIsDoneWhenThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		full.Store(true)
		p := &postponed{log: zerolog.Nop(), full: func() error {
			if full.Load() {
				return syscall.ENOSPC
			}
			return nil
		}}
		var done atomic.Int64
		work := func(context.Context) error {
			if full.Load() {
				return syscall.ENOSPC
			}
			done.Add(1)
			return nil
		}
		require.NoError(t, p.tryNow(t.Context(), "addr", work))
		require.NoError(t, p.tryNow(t.Context(), "addr", work), "it takes the place of the first")
		require.Equal(t, httpapi.CheckWarning, p.check().Status)
		other := errors.New("another error")
		require.ErrorIs(t, p.tryNow(t.Context(), "documents", func(context.Context) error { return other }), other)

		ctx, stop := context.WithCancel(t.Context())
		go p.catchUp(ctx)
		time.Sleep(10 * catchUpEvery)
		require.Zero(t, done.Load())
		full.Store(false)
		time.Sleep(10 * catchUpEvery)
		require.EqualValues(t, 1, done.Load(), "once")
		require.Equal(t, httpapi.CheckOK, p.check().Status)
		stop()
	})
}
