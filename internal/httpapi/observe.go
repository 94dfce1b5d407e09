package httpapi

import (
	"crypto/rand"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/convention"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/system/tracing"
)

// Request ids that the service makes are a random part for the process and a number, so that making one costs nothing.
var (
	processID = strings.ToLower(rand.Text()[:10])
	requests  atomic.Uint64
)

func newRequestID() string { return processID + "-" + strconv.FormatUint(requests.Add(1), 36) }

// callFor begins the call of a request. A client may name it, to find it again: an id is no proof of anything, and two
// requests may have the same one.
func callFor(r *http.Request) wire.Call {
	c := wire.Call{ID: convention.RequestID(r.Header["X-Request-Id"], r.Header["Traceparent"]), Start: time.Now()}
	if c.ID == "" {
		c.ID = newRequestID()
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		c.Read = r
	}
	return c
}

// observe gives the request its id, turns a panic into a problem, counts and logs.
func (a *API) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if traceparent := r.Header["Traceparent"]; len(traceparent) == 1 {
			r = r.WithContext(tracing.With(r.Context(), tracing.Parse(traceparent[0])))
		}
		ww := &wire.Recorder{ResponseWriter: w, Call: callFor(r)}
		c := &ww.Call
		h := ww.Header()
		h["X-Request-Id"] = []string{c.ID}
		h["X-Content-Type-Options"] = nosniff
		defer c.Held.Release() // also when the panic of a half-written answer goes on
		defer func() {
			if p := recover(); p != nil {
				a.recovered(ww, r, p)
			}
			took := time.Since(c.Start)
			a.metrics.observe(r, ww.Status, took)
			a.logRequest(r, c, ww.Status, ww.Bytes, took)
		}()
		next.ServeHTTP(ww, r)
	})
}

var nosniff = []string{"nosniff"}

// recovered answers a defect with a problem, unless the answer is under way; then the connection is cut,
// so that half an answer is not taken for a whole one.
func (a *API) recovered(ww *wire.Recorder, r *http.Request, p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // the documented sentinel, compared as the server does
		panic(p)
	}
	a.Log.Error().Str("request_id", ww.Call.ID).Interface("panic", p).Bytes("stack", debug.Stack()).
		Msg("a request met a defect")
	if ww.Status != 0 {
		panic(http.ErrAbortHandler)
	}
	a.writeProblem(ww, r, fault.New(fault.Internal, "internal", "the service met a defect").
		WithFix("whether a change happened is unknown: read the requirement, or repeat the request with the same Idempotency-Key"))
}

// logRequest logs changes, refusals and failures; plain reads only at level debug.
func (a *API) logRequest(r *http.Request, c *wire.Call, status, bytes int, took time.Duration) {
	level := zerolog.InfoLevel
	switch {
	case status >= 500 && c.Cause != nil:
		level = zerolog.ErrorLevel // a probe that answers 503 is no error of its own
	case status < 400 && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		level = zerolog.DebugLevel
	}
	e := a.Log.WithLevel(level)
	if level < a.Log.GetLevel() || !e.Enabled() {
		return
	}
	e = e.Str("request_id", c.ID).Str("method", r.Method).Str("path", r.URL.Path).Int("status", status).
		Int("bytes", bytes).Float64("took_ms", float64(took.Microseconds())/1000)
	if c.Who.Name != "" {
		e = e.Str("actor", c.Who.Name).Str("role", string(c.Who.Role))
	}
	if c.Code != "" {
		e = e.Str("code", string(c.Code))
	}
	if c.Cause != nil {
		e = e.AnErr("cause", c.Cause)
	}
	e.Msg("request")
}

// checkHost answers only for known names, so that a page in a browser cannot reach the service through a
// name it controls (DNS rebinding).
func (a *API) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.Trim(host, "[]")
		if slices.Contains(a.Hosts, strings.ToLower(host)) {
			next.ServeHTTP(w, r)
			return
		}
		a.writeProblem(w, r, fault.New(fault.Misdirected, "host_not_allowed",
			"this service does not answer for the host %q", wire.Clip(host)).
			WithFix("use one of %s; if it is to have this name, start it with --allow-host %s",
				strings.Join(a.Hosts, ", "), hostName(host)))
	})
}

// hostName returns a host as an operator can give it to a flag; what is no name of a host stands for one.
func hostName(host string) string {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:"
	if host == "" || host[0] == '-' || len(host) > 253 || strings.Trim(host, allowed) != "" {
		return "NAME"
	}
	return host
}

// checkOrigin refuses changes that a browser sends on behalf of another site.
func (a *API) checkOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(a.handle(func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.Forbidden, "cross_origin", "a browser sent this on behalf of another site").
			WithFix("call the service from a program, or from a page of its own origin")
	}))
	return protection.Handler(next)
}
