package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// lastAnswers is how long requests under way may take when the database has failed, or when their connections are closed.
const lastAnswers = 5 * time.Second

// draining tells those who serve requests that the process is about to end.
type draining struct {
	once  sync.Once
	begun chan struct{}
}

func newDraining() *draining { return &draining{begun: make(chan struct{})} }

func (d *draining) begin() { d.once.Do(func() { close(d.begun) }) }

// under reports whether it has begun.
func (d *draining) under() bool {
	select {
	case <-d.begun:
		return true
	default:
		return false
	}
}

// serveUntilDone runs everything that lives as long as the service, and ends it in order: requests first,
// then what feeds on them, the last export at the end.
func (s *server) serveUntilDone(ctx context.Context, web *http.Server) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var open, handled atomic.Int64
	web.ConnState, web.Handler = counting(&open), counted(web.Handler, &handled)
	ran := make(chan error, 1)
	go func() { ran <- s.project.Run(background, s.untilNone(&handled)) }()
	served := make(chan error, 1)
	go func() { served <- web.Serve(s.listener) }()
	var err error
	select {
	case err = <-served: // the listener failed
		err = errors.Join(err, s.drain(web))
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
	s.draining.begin()
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
	s.draining.begin()
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
	none(ctx, open)
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

// counted counts the requests that are handled. One whose connection is closed is handled still.
func counted(h http.Handler, handled *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handled.Add(1)
		defer handled.Add(-1)
		h.ServeHTTP(w, r)
	})
}

// untilNone returns what lasts until its context has ended and no request is handled: each may write a record.
func (s *server) untilNone(handled *atomic.Int64) func(context.Context) {
	return func(ctx context.Context) {
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
		defer cancel()
		if !none(ctx, handled) {
			s.log.Warn().Int64("requests", handled.Load()).Msg("some requests go on although they were cut off; what " +
				"they write is in the export of the next start")
		}
	}
}

// none waits until a count is 0, at most until ctx ends, and reports whether it is.
func none(ctx context.Context, count *atomic.Int64) bool {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for count.Load() > 0 && ctx.Err() == nil {
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
	return count.Load() == 0
}
