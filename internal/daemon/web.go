package daemon

import (
	"cmp"
	"context"
	stdlog "log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/rs/zerolog"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/daemon/listen"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/system/tree"
)

// Limits of the HTTP server, against clients that are slow or greedy.
const (
	ReadTimeout  = 10 * time.Second // header and body together: one deadline to set, not two
	MaxHeader    = 16 << 10
	writeTimeout = 60 * time.Second
	idleTimeout  = 2 * time.Minute
	maxSecret    = 64 << 10 // bytes of the file with the token of /metrics
)

func (s *server) handler(metricsToken string) http.Handler {
	p := s.project
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerStore(registry, p.Figures)
	registry.MustRegister(webhookMetrics{p.Webhooks})
	return httpapi.New(httpapi.Config{
		Service: p.Service, Ledger: p.Ledger, Boundary: p.Boundary,
		Conductor: p.Conductor, Driver: p.Driver, Model: p.Model,
		Tokens: p.Tokens, Limit: s.options.Project.Limit(), Documents: p.Documents(context.Background()),
		Checks: s.checks, Kinds: replay.Kinds(), Replica: s.replica(),
		Log: s.log, Metrics: registry, MetricsToken: metricsToken,
		Hosts: s.options.hosts(), Draining: s.draining.under, Stopping: s.draining.begun, Version: s.options.Version,
	})
}

// replica returns what the API knows of this process among those that share its store; nil where it has it alone.
func (s *server) replica() *httpapi.Replica {
	duty := s.project.Duty()
	if duty == nil {
		return nil
	}
	name, at := s.listener.Address(), s.options.Project.Advertise
	if u, err := url.Parse(at); err == nil && u.Host != "" {
		name = u.Host
	}
	return &httpapi.Replica{Name: name, URL: cmp.Or(at, apiclient.LocalURL(s.listener.Address())),
		Log: s.project.Ledger, Duty: duty, StaleReads: s.options.StaleReads}
}

// checks returns what /readyz looks at beside the service itself.
func (s *server) checks() []httpapi.Check {
	tls := httpapi.Check{Name: "tls", Status: httpapi.CheckOK}
	if problem := s.listener.Warning(); problem != "" {
		tls.Status, tls.Detail = httpapi.CheckWarning, problem
	}
	return append(s.project.Checks(), tls)
}

// hosts returns the names that a request may have in Host.
func (o *Options) hosts() []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host, _, err := net.SplitHostPort(o.Addr); err == nil && !listen.IsSocket(o.Addr) {
		if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
			hosts = append(hosts, strings.ToLower(host))
		}
	}
	if u, err := url.Parse(o.Project.Advertise); err == nil && u.Hostname() != "" {
		hosts = append(hosts, strings.ToLower(u.Hostname())) // requests that other replicas pass on have it
	}
	for _, host := range o.AllowHosts {
		hosts = append(hosts, strings.ToLower(host))
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

func readMetricsToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := tree.ReadFile(context.Background(), path, maxSecret)
	if secret := strings.TrimSpace(string(b)); err == nil && secret != "" {
		return secret, nil
	}
	return "", fault.New(fault.Invalid, "metrics_token_file", "%s holds no token", path).
		WithFix("write one into it, or leave --metrics-token-file out").Because(err)
}

// registerStore shows how updates are grouped into commits.
func registerStore(registry *prometheus.Registry, figures func() storage.Stats) {
	counter := func(name, help string, read func(storage.Stats) uint64) {
		opts := prometheus.CounterOpts{Name: "orchestrator_store_" + name, Help: help}
		registry.MustRegister(prometheus.NewCounterFunc(opts, func() float64 { return float64(read(figures())) }))
	}
	counter("commits_total", "Transactions made durable, each with one or more updates.",
		func(s storage.Stats) uint64 { return s.Batches })
	counter("updates_total", "Updates committed.", func(s storage.Stats) uint64 { return s.Updates })
	counter("updates_failed_total", "Updates that committed nothing.",
		func(s storage.Stats) uint64 { return s.Failed })
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "orchestrator_store_wal",
		Help: "1 while changes go to the write-ahead log of the database file."},
		func() float64 {
			if figures().WAL {
				return 1
			}
			return 0
		}))
	counter("trips_total", "Round trips to the database.",
		func(s storage.Stats) uint64 { return s.Trips })
}

// stdLogger takes what the HTTP server says of broken connections.
func stdLogger(log zerolog.Logger) *stdlog.Logger {
	return stdlog.New(serverLog{log}, "", 0)
}

type serverLog struct{ log zerolog.Logger }

// Write makes serverLog an io.Writer.
func (l serverLog) Write(line []byte) (int, error) {
	l.log.Debug().Msg(strings.TrimSpace(string(line)))
	return len(line), nil
}
