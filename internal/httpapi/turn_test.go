package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/httpapi/wire"
)

// large is a request that holds a large body, and the turn to work on it.
func large(t *testing.T, b *inflight.Bodies) inflight.Holding {
	t.Helper()
	h := b.Of("ada")
	require.NoError(t, h.Reserve(1<<20))
	require.NoError(t, h.Work(t.Context()))
	require.Equal(t, 1, b.Working())
	return h
}

// TestAnAnswerGivesTheTurnBack: a client that does not read its answer keeps no turn from others.
func TestAnAnswerGivesTheTurnBack(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter){
		"header": func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"body":   func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			b := inflight.New()
			w := &wire.Recorder{ResponseWriter: httptest.NewRecorder()}
			w.Call.Held = large(t, b)
			answer(w)
			require.Zero(t, b.Working())
			require.NotZero(t, b.Total(), "the body may still be in memory")
			w.Call.Held.Release()
			require.Zero(t, b.Total())
		})
	}
}

// TestAPanicGivesEverythingBack: also one in the middle of an answer, which goes on up to the server.
func TestAPanicGivesEverythingBack(t *testing.T) {
	for name, written := range map[string]bool{"before the answer": false, "in the middle of it": true} {
		t.Run(name, func(t *testing.T) {
			b := inflight.New()
			a := &API{Config: Config{Log: zerolog.Nop(), Metrics: prometheus.NewRegistry()}, bodies: b}
			a.metrics = newMetrics(a.Config, b)
			handler := a.observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				wire.CallOf(w).Held = large(t, b)
				if written {
					_, _ = w.Write([]byte("half"))
				}
				panic("a defect")
			}))
			serve := func() { handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)) }
			if written {
				require.PanicsWithValue(t, http.ErrAbortHandler, serve)
			} else {
				serve()
			}
			require.Zero(t, b.Total())
			require.Zero(t, b.Working())
		})
	}
}
