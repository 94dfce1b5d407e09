package httpapi

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/httpapi/live"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
)

type metrics struct {
	requests        *prometheus.CounterVec
	seconds         *prometheus.HistogramVec
	problems        *prometheus.CounterVec
	unauthenticated prometheus.Counter
	handles         sync.Map // of series to *handle, since finding one by its labels costs more than counting
}

// series is what requests are counted by; handle is where.
type series struct {
	method, route string
	status        int
}

type handle struct {
	requests prometheus.Counter
	seconds  prometheus.Observer
}

func newMetrics(c Config, held *inflight.Bodies) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orchestrator_http_requests_total", Help: "Requests by method, route and status."}, []string{
			"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "orchestrator_http_request_seconds", Help: "Time to answer, by method and route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}}, []string{"method", "route"}),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orchestrator_problems_total", Help: "Refusals and failures by problem code."}, []string{"code"}),
		unauthenticated: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "orchestrator_unauthenticated_total",
			Help: "Requests without a valid token; they are counted, not audited."}),
	}
	c.Metrics.MustRegister(m.requests, m.seconds, m.problems, m.unauthenticated)
	c.Metrics.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "orchestrator_refusals_folded_total",
		Help: "Refusals beyond the first of their kind in a minute; they are recorded as one sum."},
		func() float64 { return float64(c.Service.State().Folded) }))
	c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "orchestrator_bodies_held_bytes", Help: "Memory that the bodies of requests under way take."}, held.Total))
	registerState(c)
	registerBoundary(c)
	registerReplica(c)
	return m
}

// registerLive shows how many follow the log, and wait for versions.
func registerLive(c Config, of *live.Handlers) {
	c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "orchestrator_streams_open", Help: "Streams of events and waits for a version that are open."},
		func() float64 { return float64(of.Figures().Open) }))
	for name, counter := range map[string]struct {
		help string
		read func() uint64
	}{
		"events_sent_total": {"Events sent to all streams.", func() uint64 { return of.Figures().Sent }},
		"streams_dropped_total": {"Streams whose client did not read in time.",
			func() uint64 { return of.Figures().Dropped }},
	} {
		c.Metrics.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "orchestrator_" + name,
			Help: counter.help}, func() float64 { return float64(counter.read()) }))
	}
}

// registerState shows the service's own numbers, read when they are asked for.
func registerState(c Config) {
	gauge := func(name, help string, read func() float64) {
		c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "orchestrator_" + name, Help: help}, read))
	}
	gauge("log_records", "Records in the audit log.", func() float64 { return float64(c.Service.State().LogSize) })
	gauge("export_log_records",
		"Records in the log when the export was written; behind log_records while a write is pending.",
		func() float64 { return float64(c.Service.State().Export.Size) })
	gauge("checkpoint_log_records", "Records in the log when the checkpoint beside the export was written.",
		func() float64 { return float64(c.Service.State().Export.Signed) })
	gauge("export_writes", "Exports written since the start.",
		func() float64 { return float64(c.Service.State().Export.Writes) })
	gauge("export_failures", "Exports that could not be written since the start.",
		func() float64 { return float64(c.Service.State().Export.Failures) })
	gauge("export_seconds", "How long the last export took.",
		func() float64 { return c.Service.State().Export.Took.Seconds() })
	gauge("claims", "Claims that count.", func() (n float64) {
		for _, on := range c.Service.Claims() {
			n += float64(len(on))
		}
		return n
	})
	for _, status := range lifecycle.Statuses() {
		c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "orchestrator_requirements", Help: "Requirements by status.", ConstLabels: prometheus.Labels{
				"status": string(status)},
		}, func() float64 { return float64(c.Service.State().ByStatus[status]) }))
	}
}

// registerReplica shows what this replica knows of the others, where there are any.
func registerReplica(c Config) {
	if c.Replica == nil {
		return
	}
	gauge := func(name, help string, read func() float64) {
		c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "orchestrator_replica_" + name,
			Help: help, ConstLabels: prometheus.Labels{"replica": c.Replica.Name}}, read))
	}
	gauge("on_duty", "1 for the replica on duty.", func() (on float64) {
		if c.Replica.Duty.OnDuty() {
			on = 1
		}
		return on
	})
	gauge("confirmed_seconds", "How long ago the log was last known to have no newer record than those published here.",
		func() float64 { return c.Replica.Age().Seconds() })
	gauge("passed_requests", "Requests that were passed on to the replica on duty since the start.",
		func() float64 { return float64(c.Replica.Passed()) })
}

// registerBoundary shows what the service knows of the boundary. Decisions are counted as they go into the log.
func registerBoundary(c Config) {
	counter := func(name, help string, labels prometheus.Labels, read func() int64) {
		c.Metrics.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "orchestrator_boundary_" + name, Help: help, ConstLabels: labels},
			func() float64 { return float64(read()) }))
	}
	counter("lines_recorded_total", "Lines of the boundary's journal that went into the log since the start.", nil,
		func() int64 { return c.Boundary.Recorded() })
	counter("hook_errors_total", "Runs of the boundary's hook that failed.", nil,
		func() int64 { return c.Boundary.Tally().Errors })
	counter("bypassed_total", "Decisions at the boundary that a bypass changed.", nil,
		func() int64 { return c.Boundary.Tally().Bypassed })
	for _, decision := range []boundary.Decision{boundary.Allow, boundary.Warn, boundary.Ask, boundary.Block} {
		counter("decisions_total", "Decisions at the boundary.", prometheus.Labels{"decision": string(decision)},
			func() int64 { return c.Boundary.Tally().Decisions[decision] })
	}
	c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "orchestrator_boundary_reviews_due", Help: "Reviews of the enforced boundary that are due."},
		func() float64 { return float64(c.Boundary.ReviewsDue()) }))
	for _, mode := range boundary.Modes() {
		c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "orchestrator_boundary_mode", Help: "1 for the mode that the boundary is in.",
			ConstLabels: prometheus.Labels{"mode": string(mode)},
		}, func() float64 {
			if c.Boundary.Mode() == mode {
				return 1
			}
			return 0
		}))
	}
}

func (m *metrics) observe(r *http.Request, status int, took time.Duration) {
	key := series{methodOf(r.Method), routeOf(r), status}
	found, ok := m.handles.Load(key)
	if !ok {
		found, _ = m.handles.LoadOrStore(key, &handle{
			m.requests.WithLabelValues(key.method, key.route,
				strconv.Itoa(status)), m.seconds.WithLabelValues(key.method, key.route),
		})
	}
	h := found.(*handle)
	h.requests.Inc()
	h.seconds.Observe(took.Seconds())
}

// methodOf keeps clients from making up label values.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut, http.MethodDelete:
		return method
	}
	return "other"
}

// routeOf returns the pattern that matched; known only after the handler ran.
func routeOf(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil && c.RoutePattern() != "" {
		return c.RoutePattern()
	}
	return "unmatched"
}
