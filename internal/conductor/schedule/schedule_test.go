package schedule

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

var (
	ada = audit.Actor{Name: "ada", Role: "coder"}
	bob = audit.Actor{Name: "bob", Role: "coder"}
	pam = audit.Actor{Name: "pam", Role: "pm"}
)

// keeper is one over a ledger in memory, whose clock stands at now.
func keeper(t *testing.T) *Keeper {
	t.Helper()
	l, err := ledger.Open(t.Context(), store.NewMemory(), func() time.Time { return now })
	require.NoError(t, err)
	return New(state.New(l), func() time.Time { return now })
}

// made makes a schedule as the tool does.
func made(t *testing.T, k *Keeper, by audit.Actor, token, run string, more map[string]any) (map[string]any, error) {
	t.Helper()
	payload := map[string]any{"kind": "team.sum", "obligations": []any{map[string]any{"type": "REPORT", "payload": map[string]any{"kind": "query.math", "expr": "1+1"}}}}
	for name, value := range more {
		payload[name] = value
	}
	result, effects, err := Tools(k)[toolName].Run(t.Context(), builtin.Call{Caller: by, Run: run, ID: "o1/1", Token: token, Inputs: payload,
		Obligation: planning.Obligation{Type: planning.Schedule, Payload: payload}})
	require.Empty(t, effects)
	return result, err
}

// Verifies: ORC-257
func TestASchedule(t *testing.T) {
	k := keeper(t)
	result, err := made(t, k, ada, "t1", "00aa", map[string]any{"every": "2h", "until": "2026-02-01T00:00:00Z", "budgets": map[string]any{"max_tool_runs": 3.0}})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"id": "00aa-o1", "first": "2026-01-02T05:04:05Z", "every": "2h", "until": "2026-02-01T00:00:00Z"}, result)
	again, err := made(t, k, ada, "t1", "00aa", map[string]any{"every": "2h", "until": "2026-02-01T00:00:00Z"})
	require.NoError(t, err)
	require.Equal(t, result, again, "a run that was cut off makes it once")
	s, err := k.Get(t.Context(), ada, "00aa-o1")
	require.NoError(t, err)
	require.Equal(t, planning.Budgets{MaxToolRuns: 3}, s.Budgets)
	require.Equal(t, "team.sum", s.Kind)
	require.Len(t, s.Obligations, 1)
	open, err := k.Open(t.Context())
	require.NoError(t, err)
	require.Equal(t, []state.Schedule{s}, open)
	<-k.Changed()

	for wrong, more := range map[string]map[string]any{"times": {"at": "2020-01-01T00:00:00Z"}, "budgets": {"every": "1h", "budgets": map[string]any{"max_tool_runs": "x"}}} {
		_, err = made(t, k, ada, "t1", "00bb", more)
		require.Error(t, err, wrong)
	}
	_, err = made(t, k, ada, "", "00bb", map[string]any{"every": "1h"})
	require.ErrorIs(t, err, fault.Forbidden, "it would never end")
	_, err = Tools(k)[toolName].Shown(t.Context(), builtin.Call{})
	require.ErrorIs(t, err, fault.NotFound)
}

// Verifies: ORC-259
func TestWhoMayEndASchedule(t *testing.T) {
	k := keeper(t)
	for i, by := range []audit.Actor{ada, bob} {
		_, err := made(t, k, by, by.Name, fmt.Sprintf("00%d", i), map[string]any{"every": "1h"})
		require.NoError(t, err)
	}
	listed := func(who audit.Actor, active bool) (ids []string) {
		for after := ""; ; {
			page, next, err := k.List(t.Context(), who, after, 1, active)
			require.NoError(t, err)
			for _, s := range page {
				ids = append(ids, s.ID)
			}
			if next == "" {
				return ids
			}
			after = next
		}
	}
	require.Equal(t, []string{"000-o1"}, listed(ada, false))
	require.Equal(t, []string{"000-o1", "001-o1"}, listed(pam, true))
	_, err := k.Get(t.Context(), bob, "000-o1")
	require.ErrorIs(t, err, fault.Forbidden)
	_, err = k.End(t.Context(), audit.Actor{Name: "ada", Role: "tester"}, "000-o1")
	require.ErrorIs(t, err, fault.Forbidden, "another role is another caller")
	_, err = k.End(t.Context(), ada, "nothing")
	require.ErrorIs(t, err, fault.NotFound)
	s, err := k.End(t.Context(), ada, "000-o1")
	require.NoError(t, err)
	require.Equal(t, &state.ScheduleEnd{At: now, Why: "it was ended", By: &ada}, s.Ended)
	_, err = k.End(t.Context(), pam, "000-o1")
	require.ErrorIs(t, err, fault.Gone)
	_, err = k.End(t.Context(), pam, "001-o1")
	require.NoError(t, err, "a pm ends anybody's")
	require.Empty(t, listed(pam, true))
	require.Equal(t, []string{"000-o1", "001-o1"}, listed(pam, false))
	open, err := k.Open(t.Context())
	require.NoError(t, err)
	require.Empty(t, open)
}

// Verifies: ORC-257
func TestSchedulesOfATokenAreBounded(t *testing.T) {
	k := keeper(t)
	for i := range MaxPerToken {
		_, err := made(t, k, ada, "t1", fmt.Sprintf("%04d", i), map[string]any{"every": "1h"})
		require.NoError(t, err)
	}
	_, err := made(t, k, ada, "t1", "more", map[string]any{"every": "1h"})
	require.ErrorIs(t, err, fault.Conflict)
	require.Equal(t, codeTooMany, fault.As(err).Code)
	_, err = made(t, k, ada, "t2", "more", map[string]any{"every": "1h"})
	require.NoError(t, err, "another token has room of its own")
	_, err = k.End(t.Context(), ada, "0003-o1")
	require.NoError(t, err)
	_, err = made(t, k, ada, "t1", "evenmore", map[string]any{"every": "1h"})
	require.NoError(t, err)
	_, err = k.Take(context.Background(), state.Schedule{ID: "0004-o1", Run: "0004", By: ada}, "")
	require.NoError(t, err, "nothing is due")
}
