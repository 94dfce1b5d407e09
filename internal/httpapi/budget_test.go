package httpapi_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/lifecycle"
)

func withBudget(bytes uint64) func(*options) { return func(o *options) { o.LogBudget = bytes } }

// provokeSpentBudget spends a budget of a byte.
func provokeSpentBudget(h *harness) {
	h.expect(403, "field_forbidden", "viewer", "PATCH", one, `{"pm_notes":[]}`)
	h.expect(429, "log_budget_spent", "viewer", "PATCH", one, `{"pm_notes":[]}`)
}

// budgetOf is what GET /workflow says to who asks.
func (h *harness) budgetOf(who string) (limit, spent float64) {
	h.t.Helper()
	b := h.expect(200, "", who, "GET", "/workflow", "").json(h.t)["log_budget"].(map[string]any)
	return b["limit"].(float64), b["spent"].(float64)
}

// TestASpentBudgetIsItsActorsAlone: whatever a token sends then is refused with nothing written, its reads go on, others are not
// hindered, all tokens of the actor share the budget, and the next day it is whole again.
//
// Verifies: ORC-106
func TestASpentBudgetIsItsActorsAlone(t *testing.T) {
	const limit = 64 << 10
	h := newHarness(t, withBudget(limit))
	note := func(n int) string {
		return fmt.Sprintf(`{"pm_notes":[{"text":"%d %s"}]}`, n, strings.Repeat("x", 3000))
	}
	changes := 0
	for ; ; changes++ {
		require.Less(t, changes, 100)
		if r := h.do("pm", "PATCH", one, note(changes)); r.Status != 200 {
			require.Equal(t, 429, r.Status)
			break
		}
	}
	require.Greater(t, changes, 5)
	_, spent := h.budgetOf("pm")
	require.GreaterOrEqual(t, spent, float64(limit))
	require.Less(t, spent, 1.5*limit, "the update that reaches the limit is the last")

	size := h.Service.State().LogSize
	r := h.expect(429, "log_budget_spent", "pm", "PATCH", one, note(0))
	require.Equal(t, fmt.Sprint(int((24*time.Hour - 3*time.Hour - 4*time.Minute - 5*time.Second).Seconds())), r.Header.Get("Retry-After"))
	require.Empty(t, r.Header.Get("Audit-Receipt"))
	for _, refused := range []struct{ method, path, body string }{
		{"PATCH", one, `{"nonsense`}, {"PATCH", "/requirements/NONE", `{}`}, {"POST", "/obligations", `{"obligations":[]}`}, {"POST", "/requests", `{"utterance":"hm"}`},
		{"POST", "/obligations", `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"1+1"}}]}`},
		{"POST", "/requests", `{"utterance":"what is 1+1"}`}, {"PUT", "/boundary/mode", `{"mode":"?"}`}, {"PUT", "/workflow", `{"workflow":"rework","reason":"x"}`}, {"POST", "/drive", `{"roles":["x"]}`},
	} {
		h.expect(429, "log_budget_spent", "pm", refused.method, refused.path, refused.body)
	}
	require.Equal(t, size, h.Service.State().LogSize)
	h.addToken("pm", lifecycle.PM) // another token of the same actor
	h.expect(429, "log_budget_spent", "pm", "PATCH", one, note(0))
	h.expect(200, "", "pm", "GET", one, "")

	h.patch("coder", `{"implementation":{"summary":"s"}}`)
	h.expect(403, "field_forbidden", "viewer", "PATCH", one, `{"pm_notes":[]}`)
	_, spent = h.budgetOf("viewer")
	require.Positive(t, spent)

	h.Clock.Advance(24 * time.Hour)
	_, spent = h.budgetOf("pm")
	require.Zero(t, spent)
	h.expect(200, "", "pm", "PATCH", one, note(0))
}

// TestTheBudgetSurvivesARestart: what was spent is in the database, and a restart gives nothing back.
//
// Verifies: ORC-106
func TestTheBudgetSurvivesARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	file, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	h := newHarness(t, withBudget(1<<20), func(o *options) { o.Store = file })
	h.patch("pm", `{"pm_notes":[{"text":"x"}]}`)
	_, before := h.budgetOf("pm")
	require.Positive(t, before)
	h.stop()
	require.NoError(t, file.Close())

	file, err = boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	again := newHarness(t, withBudget(1<<20), func(o *options) { o.Store = file })
	_, after := again.budgetOf("pm")
	require.Equal(t, before, after)
	again.stop()
	l, err := ledger.OpenReadOnly(t.Context(), file)
	require.NoError(t, err)
	_, err = replay.Verify(t.Context(), l, nil, nil)
	require.NoError(t, err, "the log does not account for budgets, and verify does not ask it to")
}

// TestTheBudgetCountsWhatTheDatabaseGrowsBy: rows that idempotency keys leave and data beside the log too.
func TestTheBudgetCountsWhatTheDatabaseGrowsBy(t *testing.T) {
	memory := store.NewMemory()
	h := newHarness(t, withBudget(1<<30), func(o *options) { o.Store = memory })
	for n := range 20 {
		before, grown := storedBytes(t, memory), 0.0
		_, spent := h.budgetOf("pm")
		h.patch("pm", fmt.Sprintf(`{"pm_notes":[{"text":"%d %s"}]}`, n, strings.Repeat("x", 15_000)), "Idempotency-Key", fmt.Sprint(n))
		_, grown = h.budgetOf("pm")
		require.InDelta(t, storedBytes(t, memory)-before, grown-spent, 1500, "change %d", n)
	}
}

func storedBytes(t *testing.T, s store.Store) (total float64) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		for _, table := range []string{"audit", "hashes", "subjects", "blobs", "requirements", "idempotency", "project", "ir"} {
			err := r.Scan(table, "", "", func(key string, value []byte) error {
				total += float64(len(key) + len(value))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return total
}

// TestALargeObligationIsKeptOnce: a body of 0.8 MB grew the database by eleven times as much. Verify decides it all again.
//
// Verifies: ORC-106
func TestALargeObligationIsKeptOnce(t *testing.T) {
	memory := store.NewMemory()
	h := newHarness(t, withBudget(1<<30), func(o *options) { o.Store = memory })
	body := `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"1` + strings.Repeat(" ", 10) + `+2"}},
		{"type":"JUSTIFY","payload":{"kind":"large","about":"x","more":"` + strings.Repeat("y", 800_000) + `"}}]}`
	before := storedBytes(t, memory)
	answered := h.do("coder", "POST", "/obligations", body)
	grown := storedBytes(t, memory) - before
	require.LessOrEqual(t, grown, 1.3*float64(len(body)))
	_, spent := h.budgetOf("coder")
	require.InDelta(t, grown, spent, 2000)
	run := answered.json(t)["run"]
	if run == nil {
		run = answered.json(t)["id"]
	}
	trace := h.expect(200, "", "viewer", "GET", "/traces/"+run.(string), "")
	require.Greater(t, len(trace.Body), 800_000)
	h.stop()
	_, err := replay.Verify(t.Context(), h.Ledger, nil, nil)
	require.NoError(t, err)
}
