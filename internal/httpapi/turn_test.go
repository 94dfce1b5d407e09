package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// large is a request that holds a large body, and the turn to work on it.
func large(t *testing.T, b *bodies) holding {
	t.Helper()
	h := holding{of: b, token: "ada"}
	require.NoError(t, h.reserve(1<<20))
	require.NoError(t, h.work(t.Context()))
	require.Len(t, b.slots, 1)
	return h
}

// TestAnAnswerGivesTheTurnBack: a client that does not read its answer keeps no turn from others.
func TestAnAnswerGivesTheTurnBack(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter){
		"header": func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"body":   func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBodies()
			w := &recorder{ResponseWriter: httptest.NewRecorder()}
			w.call.held = large(t, b)
			answer(w)
			require.Empty(t, b.slots)
			require.NotZero(t, b.total(), "the body may still be in memory")
			w.call.held.release()
			require.Zero(t, b.total())
		})
	}
}

// TestAPanicGivesEverythingBack: also one in the middle of an answer, which goes on up to the server.
func TestAPanicGivesEverythingBack(t *testing.T) {
	for name, written := range map[string]bool{"before the answer": false, "in the middle of it": true} {
		t.Run(name, func(t *testing.T) {
			b := newBodies()
			a := &API{Config: Config{Log: zerolog.Nop(), Metrics: prometheus.NewRegistry()}, bodies: b}
			a.metrics = newMetrics(a.Config, b)
			handler := a.observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				callOf(w).held = large(t, b)
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
			require.Zero(t, b.total())
			require.Empty(t, b.slots)
			require.Empty(t, b.byToken)
		})
	}
}

// TestReviewsTakeTurns: one is made at a time, and each actor has one, however many are asked for.
func TestReviewsTakeTurns(t *testing.T) {
	v := newReviews()
	ada, bob := actor{Name: "ada", Role: lifecycle.PM}, actor{Name: "bob", Role: lifecycle.PM}
	require.NoError(t, take(t.Context(), v.of(ada)))
	require.NoError(t, take(t.Context(), v.of(bob)), "an actor whose client does not read hinders no other")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, take(gone, v.of(ada)), context.Canceled)
	<-v.of(ada)
	require.NoError(t, take(t.Context(), v.of(ada)))
	require.Equal(t, 1, cap(v.making))
}
