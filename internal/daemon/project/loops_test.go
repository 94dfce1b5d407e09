package project

import (
	"context"
	"errors"
	"runtime/pprof"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoopsRunUntilTheirContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	failed := errors.New("the last export was not written")
	running := make(chan string, 2)
	untilDone := func(ctx context.Context) {
		name, _ := pprof.Label(ctx, "loop")
		running <- name
		<-ctx.Done()
	}
	all := loops{
		{"export", func(ctx context.Context) error { untilDone(ctx); return failed }},
		{"clock", endless(untilDone)},
	}
	ended := make(chan error, 1)
	go func() { ended <- all.run(ctx) }()
	require.ElementsMatch(t, []string{"export", "clock"}, []string{<-running, <-running})
	require.Empty(t, ended)
	stop()
	require.ErrorIs(t, <-ended, failed)
}
