package daemon

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/daemon/listen"
	"orchestrator/internal/daemon/project"
)

// A request that does not finish in time loses its connection, and may write a record all the same: the last export has
// it, and the database is not closed beneath it.
func TestTheLastExportWaitsForTheRequestsThatWereCutOff(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n"), 0o600))
	plan, err := project.Prepare(project.Options{Data: "data", Requirements: []string{"R.md"}, Export: "export.json",
		Workflow: "v1", RateBurst: 1, RateLimit: 1})
	require.NoError(t, err)
	s := &server{options: Options{Drain: time.Millisecond}, log: zerolog.Nop(), draining: newDraining()}
	s.project, err = plan.Open(t.Context(), project.Process{Log: zerolog.Nop(), Draining: s.draining.under})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.project.Close()) }()
	s.listener, err = listen.Open(listen.Options{Addr: "127.0.0.1:0"})
	require.NoError(t, err)
	begun, written := make(chan struct{}), make(chan error, 1)
	web := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			time.Sleep(100 * time.Millisecond) // longer than an export of one requirement takes
			written <- s.project.Service.AccountForTokens(context.WithoutCancel(r.Context()), nil)
		})}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.serveUntilDone(ctx, web) }()
	asked := make(chan error, 1)
	go func() {
		answer, err := http.Get("http://" + s.listener.Address())
		if err == nil {
			_ = answer.Body.Close()
		}
		asked <- err
	}()
	<-begun
	before := s.project.Service.State().LogSize
	stop()
	require.NoError(t, <-served)
	require.Error(t, <-asked)
	require.NoError(t, <-written)
	state := s.project.Service.State()
	require.Greater(t, state.LogSize, before)
	require.Equal(t, state.LogSize, state.Export.Size)
}
