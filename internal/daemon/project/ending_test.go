package project

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// TestTheLastExportIsOfTheWholeLog: a loop may write a record while it ends, as the boundary's journal and a check of
// evidence do.
func TestTheLastExportIsOfTheWholeLog(t *testing.T) {
	o, _ := inWorkingTree(t)
	plan, err := Prepare(o)
	require.NoError(t, err)
	project, err := plan.Open(t.Context(), Process{Log: zerolog.Nop(), Draining: func() bool { return false }})
	require.NoError(t, err)
	defer func() { require.NoError(t, project.Close()) }()
	late := func(ctx context.Context) error {
		<-ctx.Done()
		time.Sleep(100 * time.Millisecond) // longer than an export of one requirement takes
		return project.Service.AccountForTokens(context.WithoutCancel(ctx), nil)
	}
	project.loops = append(project.loops, loop{"late", late})
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- project.Run(ctx, func(context.Context) {}) }()
	require.Eventually(t, func() bool { return project.Service.State().Export.Writes > 0 }, 10*time.Second,
		10*time.Millisecond)
	before := project.Service.State().LogSize
	stop()
	require.NoError(t, <-ran)
	state := project.Service.State()
	require.Greater(t, state.LogSize, before)
	require.Equal(t, state.LogSize, state.Export.Size)
}
