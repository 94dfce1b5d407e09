package project

import (
	"cmp"
	"context"
	"errors"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/token"
)

// serveUntilDone runs everything that lives as long as the service, and ends it in order: requests first,
// then what feeds on them, the last export at the end.
func (s *server) serveUntilDone(ctx context.Context, web *http.Server) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var running sync.WaitGroup
	var exportErr error
	running.Go(func() { exportErr = s.service.Run(background) })
	running.Go(func() { s.watchDocuments(background) })
	running.Go(func() { s.watchTokens(background) })
	running.Go(func() { s.sweep(background) })
	running.Go(func() { s.guard.Watch(background, boundaryEvery, s.boundaryFailed) })
	running.Go(func() { s.resume(background) })
	running.Go(func() { s.recheck(background) })
	running.Go(func() { s.watchClock(background) })
	running.Go(func() { s.watchStore(background) })
	running.Go(func() { s.catchUp(background) })

	var open atomic.Int64
	web.ConnState = counting(&open)
	served := make(chan error, 1)
	go func() { served <- web.Serve(s.listener) }()
	var err error
	select {
	case err = <-served: // the listener failed
	case <-s.ledger.Failed():
		stop()
		return s.endFailed(web, served, &open, &running)
	case <-ctx.Done():
		err = s.drain(web)
	}
	stop()
	s.conductor.Stop()
	running.Wait()
	if ledgerErr := s.ledger.Err(); ledgerErr != nil {
		return ledgerErr
	}
	return errors.Join(err, exportErr)
}

// watchStore ends the ledger with the store, which finds out by itself when its file is lost or damaged.
func (s *server) watchStore(ctx context.Context) {
	select {
	case <-s.store.Failed():
		s.ledger.Stop(s.store.Err())
	case <-ctx.Done():
	}
}

// endFailed gives the requests under way the time to be answered: they all fail, since the ledger has. It waits for
// nothing longer than that.
func (s *server) endFailed(web *http.Server, served <-chan error, open *atomic.Int64, running *sync.WaitGroup) error {
	s.draining.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), lastAnswers)
	defer cancel()
	s.answerAll(ctx, web, served, open)
	s.conductor.Stop()
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	return cmp.Or(s.store.Err(), s.ledger.Err())
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

// watchTokens takes over changed tokens. They are watched on their own, so that no half-written document holds them up.
func (s *server) watchTokens(ctx context.Context) {
	s.watch(ctx, []*tree.Path{s.tokenPath}, token.MaxFile, "restart for new tokens", func(string) {
		if err := s.reloadTokens(ctx); isFull(err) {
			s.putOff("tokens", err, s.reloadTokens)
		} else if err != nil {
			s.log.Error().Err(err).Msg("the tokens stay as they were")
		}
	})
}

func (s *server) reloadTokens(context.Context) error {
	err := s.tokens.Reload()
	if err == nil {
		s.log.Info().Msg("tokens reloaded")
		s.warnOfAlikeNames()
	}
	return err
}

// accountForTokens has the log say which tokens are in force, before they are.
func (s *server) accountForTokens(tokens []token.Token) error {
	inForce := make([]requirements.Credential, len(tokens))
	for i, t := range tokens {
		inForce[i] = credential(t)
	}
	return s.service.AccountForTokens(context.Background(), inForce)
}

func credential(t token.Token) requirements.Credential {
	return requirements.Credential{ID: t.Mark(), Name: t.Name, Role: t.Role, Expires: t.Expires}
}

// logFolding says that an actor repeats what is refused, as a client in a loop does.
func (s *server) logFolding(f requirements.Folding) {
	s.log.Warn().Str("actor", f.Actor.Name).Str("role", f.Actor.Role).Str("request", f.Request).
		Str("subject", f.Subject).Str("code", f.Code).
		Msg("the same is refused again and again: for the rest of the minute it is counted, and recorded in sum")
}

// resume goes on with the conductor's runs that were cut off when the service ended.
func (s *server) resume(ctx context.Context) {
	var all sync.WaitGroup
	for _, cut := range s.cutOff { // none waits for the tools of another
		all.Go(func() {
			trace, err := s.conductor.Resume(ctx, cut)
			for isFull(err) && s.awaitRoom(ctx) {
				trace, err = s.conductor.Resume(ctx, cut)
			}
			if err != nil {
				s.log.Error().Err(err).Str("run", cut.ID).Msg("a run of the conductor that was cut off cannot go on")
				return
			}
			s.log.Info().Str("run", cut.ID).Str("status", string(trace.Status)).
				Msg("a run of the conductor that was cut off went on to its end")
		})
	}
	all.Wait()
}

// boundaryFailed says that the boundary's journal could not be recorded.
func (s *server) boundaryFailed(err error) {
	s.log.Warn().Err(err).Msg("the boundary's journal could not be recorded; it is tried again")
}

// sweep forgets Idempotency-Keys that nobody may use any more.
func (s *server) sweep(ctx context.Context) {
	ticks := time.NewTicker(sweepEvery)
	defer ticks.Stop()
	for {
		for n := 1; n > 0 && ctx.Err() == nil; {
			var err error
			if n, err = s.service.ForgetKeys(ctx); err != nil {
				s.log.Warn().Err(err).Msg("old idempotency keys were not removed")
				break
			}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *server) close() error {
	var err error
	if s.listener != nil {
		if err = s.listener.Close(); errors.Is(err, net.ErrClosed) {
			err = nil // the HTTP server has closed it
		}
	}
	s.paths.Close()
	if s.tokenPath != nil {
		err = errors.Join(err, s.tokenPath.Close())
	}
	// a failed one may hold locks for ever; the end of the process frees its file
	if s.store != nil && s.store.Err() == nil {
		err = errors.Join(err, s.store.Close())
	}
	if s.repository != nil {
		err = errors.Join(err, s.repository.Close())
	}
	return err
}

// registerStore shows how updates are grouped into commits.
func registerStore(registry *prometheus.Registry, store *boltstore.Store) {
	counter := func(name, help string, read func(boltstore.Stats) uint64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "orchestrator_store_" + name, Help: help},
			func() float64 { return float64(read(store.Stats())) }))
	}
	counter("commits_total", "Transactions made durable; each is one fsync and holds one or more updates.",
		func(s boltstore.Stats) uint64 { return s.Batches })
	counter("updates_total", "Updates committed.", func(s boltstore.Stats) uint64 { return s.Updates })
	counter("updates_failed_total", "Updates that committed nothing.",
		func(s boltstore.Stats) uint64 { return s.Failed })
}

// stdLogger takes what the HTTP server says of broken connections.
func stdLogger(log zerolog.Logger) *stdlog.Logger {
	return stdlog.New(serverLog{log}, "", 0)
}

type serverLog struct{ log zerolog.Logger }

func (l serverLog) Write(line []byte) (int, error) {
	l.log.Debug().Msg(strings.TrimSpace(string(line)))
	return len(line), nil
}

func texts[T ~string](items []T) []string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = string(s)
	}
	return out
}
