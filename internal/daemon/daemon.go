// Package daemon is the process that serves a project: it listens, answers HTTP, keeps figures, and ends in order when
// it is told to stop or the database fails. What it serves is opened by package project.
package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/daemon/listen"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/system/tree"
)

// Options say what is served, and where.
type Options struct {
	Project          project.Options
	Addr             string   // to listen on: host:port, of which port 0 takes a free one, or unix:PATH
	TLSCert, TLSKey  string   // files with the certificate and its key; "" for none
	AllowHosts       []string // further names that a request may have in Host
	MetricsTokenFile string   // with a token that /metrics needs; "" leaves it open
	Drain            time.Duration
	StaleReads       time.Duration // how old the state may be that reads are answered from, where others write, too
	Version          Version
	Follow           project.Follow // shows how far the import at the start is; nil has the log say so
}

// Version says which program answers.
type Version = httpapi.Version

// Started describes a service that answers.
type Started struct {
	Data  datadir.Dir
	Addr  string
	First bool // this start made tokens
	Demo  bool // each role has one, in one folder

	project.FirstSteps
}

// server is one process that serves a project.
type server struct {
	options  Options
	log      zerolog.Logger
	project  *project.Project
	listener *listen.Listener
	draining *draining
	heap     heap
}

// Serve serves a project until ctx ends or the database fails. It calls ready when it answers.
func Serve(ctx context.Context, o Options, log zerolog.Logger, ready func(Started)) error {
	err := serve(ctx, o, log, ready)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // told to stop while it started
	}
	return err
}

func serve(ctx context.Context, o Options, log zerolog.Logger, ready func(Started)) (err error) {
	if o.MetricsTokenFile = tree.Resolve(o.MetricsTokenFile); o.MetricsTokenFile != "" {
		o.Project.Secrets = append(o.Project.Secrets, o.MetricsTokenFile)
	}
	if o.TLSKey != "" {
		o.Project.Secrets = append(o.Project.Secrets, tree.Resolve(o.TLSKey))
	}
	plan, err := project.Prepare(o.Project)
	if err != nil {
		return err
	}
	metricsToken, err := readMetricsToken(o.MetricsTokenFile)
	if err != nil {
		return err
	}
	listener, err := listen.Open(listen.Options{Addr: o.Addr, Cert: o.TLSCert, Key: o.TLSKey})
	if err != nil {
		return nameOwn(ctx, datadir.Dir(o.Project.Data), err)
	}
	defer func() { err = errors.Join(err, closeListener(listener)) }()
	s := &server{options: o, log: log, listener: listener, draining: newDraining(), heap: newHeap()}
	s.project, err = plan.Open(ctx, project.Process{
		Log: log, URL: apiclient.LocalURL(listener.Address()), Agent: "orchestrator/" + o.Version.Version,
		Draining: s.draining.under,
		Follow:   o.Follow, Alone: s.heap.alone, Sparingly: s.heap.sparingly,
	})
	if err != nil {
		return database.InUse(ctx, err, datadir.Dir(o.Project.Data), "use that one; to start another, stop it first")
	}
	defer func() { err = errors.Join(err, s.project.Close()) }()
	return s.run(ctx, metricsToken, ready)
}

// nameOwn says of an address that cannot be listened on that the service of this folder runs, if it does.
func nameOwn(ctx context.Context, data datadir.Dir, err error) error {
	addr, unread := apiclient.LocalAddress(ctx, data)
	if unread != nil || !apiclient.Runs(data) {
		return err
	}
	return fault.New(fault.Unavailable, "address", "the service of this project runs already at %s",
		apiclient.LocalURL(addr)).WithFix("use that one; to start another, stop it first")
}

// closeListener closes a listener that the HTTP server may have closed.
func closeListener(l net.Listener) error {
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// run serves until ctx ends or the database fails.
func (s *server) run(ctx context.Context, metricsToken string, ready func(Started)) error {
	if err := s.project.PublishAddress(ctx, s.listener.Address()); err != nil {
		return err
	}
	s.announce(ready)
	defer runtime.KeepAlive(s.heap.settle())
	atRest, stop := context.WithCancel(ctx)
	defer stop()
	go s.heap.rest(atRest)
	return s.serveUntilDone(ctx, &http.Server{
		Handler: s.handler(metricsToken), ReadTimeout: ReadTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: MaxHeader, ErrorLog: stdLogger(s.log),
		DisableGeneralOptionsHandler: true, // OPTIONS * is answered as everything else is
	})
}

// announce logs where the service answers, and tells whoever started it.
func (s *server) announce(ready func(Started)) {
	addr, o := s.listener.Address(), s.options.Project
	if exposed(addr) {
		s.log.Warn().Str("addr", addr).Msg("other machines can reach this address, and without TLS whoever is on " +
			"the way reads tokens: give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that has " +
			"TLS; docs/remote.md shows both")
	}
	s.log.Info().Str("addr", addr).Str("data", string(s.project.Data)).
		Str("workflow", s.project.Service.Workflow().Name).Msg("serving")
	if s.project.Model != nil {
		s.log.Info().Stringer("model", s.project.Model).
			Msg("a language model is asked for what the conductor's grammar does not understand")
	}
	ready(Started{Data: s.project.Data, Addr: addr, First: len(s.project.MadeTokens) > 0, Demo: o.DemoTokens,
		FirstSteps: s.project.FirstSteps()})
}

// exposed reports whether an address is reached from other machines, and without TLS.
func exposed(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || listen.IsSocket(addr) || strings.Contains(addr, "://") {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback()
}
