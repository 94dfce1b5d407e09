package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/token"
)

// bare is an API without a service behind it.
func bare(log *bytes.Buffer) *API {
	c := Config{Log: zerolog.New(log), Metrics: prometheus.NewRegistry(), Hosts: []string{"example.com"}}
	return &API{Config: c, metrics: newMetrics(c, inflight.New()), bodies: inflight.New(), limits: newLimits(token.Limit{})}
}

func answer(a *API, fn handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	a.observe(a.handle(fn)).ServeHTTP(w, httptest.NewRequest(http.MethodPatch, "/requirements/REQ-1", nil))
	return w
}

// Verifies: ORC-028
func TestAPanicIsAProblem(t *testing.T) {
	var log bytes.Buffer
	w := answer(bare(&log), func(http.ResponseWriter, *http.Request) error { panic("secret") })
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	require.Contains(t, w.Body.String(), `"code":"internal"`)
	require.NotContains(t, w.Body.String(), "secret")
	require.Contains(t, log.String(), "secret")
	require.Contains(t, log.String(), w.Header().Get("X-Request-Id"))
}

func TestAPanicInTheMiddleOfAnAnswerCutsTheConnection(t *testing.T) {
	a := bare(&bytes.Buffer{})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		answer(a, func(w http.ResponseWriter, _ *http.Request) error {
			w.WriteHeader(http.StatusOK)
			panic("late")
		})
	})
}

func TestFailuresKeepTheirDetailsInTheLog(t *testing.T) {
	for name, err := range map[string]error{
		"not a fault": errors.New("open /secret: denied"),
		"internal":    fault.New(fault.Internal, "store_damaged", "/secret is damaged"),
		"unavailable": fault.New(fault.Unavailable, "store_io", "/secret cannot be read"),
	} {
		var log bytes.Buffer
		w := answer(bare(&log), func(http.ResponseWriter, *http.Request) error { return err })
		require.GreaterOrEqual(t, w.Code, 500, name)
		require.NotContains(t, w.Body.String(), "secret", name)
		require.Contains(t, w.Body.String(), `"fix"`, name)
		require.Contains(t, log.String(), "secret", name)
	}
}

func TestAClientThatHangsUpIsNoDefect(t *testing.T) {
	var log bytes.Buffer
	a := bare(&log)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	a.observe(a.handle(func(_ http.ResponseWriter, r *http.Request) error { return r.Context().Err() })).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPatch, "/requirements/REQ-1", nil))
	require.Contains(t, log.String(), `"level":"info"`)
	require.Contains(t, log.String(), `"code":"client_gone"`)

	log.Reset()
	answer(a, func(http.ResponseWriter, *http.Request) error { return context.Canceled })
	require.Contains(t, log.String(), `"level":"error"`, "the client was there")
}

func TestAProblemCannotBreakTheAnswer(t *testing.T) {
	w := answer(bare(&bytes.Buffer{}), func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.Invalid, "odd", "not UTF-8: \xff")
	})
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), `"code":"internal"`)
}
