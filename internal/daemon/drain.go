package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// lastAnswers is how long requests under way may take when the database has failed.
const lastAnswers = 5 * time.Second

// serveUntilDone runs everything that lives as long as the service, and ends it in order: requests first,
// then what feeds on them, the last export at the end.
func (s *server) serveUntilDone(ctx context.Context, web *http.Server) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ran := make(chan error, 1)
	go func() { ran <- s.project.Run(background) }()

	var open atomic.Int64
	web.ConnState = counting(&open)
	served := make(chan error, 1)
	go func() { served <- web.Serve(s.listener) }()
	var err error
	select {
	case err = <-served: // the listener failed
	case <-s.project.Failed():
		stop()
		return s.endFailed(web, served, &open, ran)
	case <-ctx.Done():
		err = s.drain(web)
	}
	stop()
	runErr := <-ran
	if failed := s.project.Err(); failed != nil {
		return failed
	}
	return errors.Join(err, runErr)
}

// endFailed gives the requests under way the time to be answered: they all fail, since the ledger has. It waits for
// nothing longer than that.
func (s *server) endFailed(web *http.Server, served <-chan error, open *atomic.Int64, ran <-chan error) error {
	s.draining.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), lastAnswers)
	defer cancel()
	s.answerAll(ctx, web, served, open)
	select {
	case <-ran: //nolint:errcheck // what it wrote last cannot be kept
	case <-ctx.Done():
	}
	return s.project.Err()
}

// drain lets requests under way finish.
func (s *server) drain(web *http.Server) error {
	s.draining.Store(true)
	s.log.Info().Stringer("at_most", s.options.Drain).Msg("stopping: requests under way may finish")
	ctx, cancel := context.WithTimeout(context.Background(), s.options.Drain)
	defer cancel()
	if err := web.Shutdown(ctx); err != nil {
		s.log.Warn().Msg("some requests did not finish in time; their connections are closed")
		return web.Close()
	}
	return nil
}

// answerAll answers what was sent on every connection that was accepted, and accepts none any more. Shutdown alone
// would close those unanswered whose request it finds unread.
func (s *server) answerAll(ctx context.Context, web *http.Server, served <-chan error, open *atomic.Int64) {
	_ = s.listener.Close()
	select {
	case <-served: //nolint:errcheck // that the listener is closed; every accepted connection is counted now
	case <-ctx.Done():
	}
	web.SetKeepAlivesEnabled(false)
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for open.Load() > 0 && ctx.Err() == nil {
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
	_ = web.Close()
}

// counting counts the connections that are open.
func counting(open *atomic.Int64) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
}
