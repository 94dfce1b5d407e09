package conductor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/underway"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/rules/planning"
)

// stop ends the runs without waiting for them.
func (c *Conductor) stop() { c.now.Load().End() }

func (c *Conductor) stopping() *underway.Period { return c.now.Load() }

// What runs in the time of a lease is written under it, whoever asks for it, and ends with it.
//
// Verifies: ORC-364
func TestRunsAreOfTheirPeriod(t *testing.T) {
	hub := storetest.NewHub()
	s := hub.Open()
	lease, err := s.Acquire(t.Context(), "duty", "here", time.Nanosecond)
	require.NoError(t, err)
	f := named("t.a", "ACHIEVE(k.x)")
	c := conductorOn(t, s, nil, f)
	request := planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x")}}

	c.Stop()
	_, err = c.Conduct(t.Context(), ada, request)
	require.True(t, fault.Is(err, "conductor_stopping"), "%v", err)
	c.Begin(store.Under(t.Context(), lease))
	_, err = c.Conduct(t.Context(), ada, request)
	require.NoError(t, err)

	_, err = hub.Open().Acquire(t.Context(), "duty", "elsewhere", time.Minute)
	require.NoError(t, err)
	_, err = c.Conduct(t.Context(), ada, request)
	require.ErrorIs(t, err, store.ErrFenced)
	c.Begin(t.Context())
	_, err = c.Conduct(t.Context(), ada, request)
	require.NoError(t, err, "the control: without the lease it is written")
}

// A run of the next period follows those that another process has numbered meanwhile.
//
// Verifies: ORC-364
func TestRunsOfAnotherPeriodAreNumberedOn(t *testing.T) {
	hub := storetest.NewHub()
	f := named("t.a", "ACHIEVE(k.x)")
	one, other := conductorOn(t, hub.Open(), nil, f), conductorOn(t, hub.Open(), nil, f)
	request := planning.Request{Obligations: []planning.Obligation{ob(planning.Achieve, "k.x")}}
	seen := map[string]bool{}
	for range 2 {
		for _, c := range []bench{one, other} {
			c.Begin(t.Context())
			for range 2 {
				trace, err := c.Conduct(t.Context(), ada, request)
				require.NoError(t, err)
				require.False(t, seen[trace.ID], trace.ID)
				seen[trace.ID] = true
			}
			c.Stop()
		}
	}
	require.Len(t, seen, 8)
}
