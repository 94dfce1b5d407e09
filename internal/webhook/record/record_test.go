package record_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/record"
)

func named(names ...string) (r hook.Roster) {
	for _, name := range names {
		r = append(r, hook.Hook{ID: fmt.Sprintf("%012x", len(name)), Name: name,
			URL: "https://hooks.example.com/T0/B0/very-secret", Created: time.Now()})
	}
	return r
}

func openLog(t *testing.T, s store.Store) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	return l
}

// verify replays the log of a store as an outsider does.
func verify(t *testing.T, s store.Store) error {
	t.Helper()
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	_, err = replay.Verify(t.Context(), l, nil, nil)
	return err
}

func kinds(t *testing.T, l *ledger.Ledger) (all []string) {
	t.Helper()
	page, err := l.Records(t.Context(), 1, 1000)
	require.NoError(t, err)
	for _, raw := range page.Records {
		r, err := audit.Decode(raw)
		require.NoError(t, err)
		all = append(all, r.Kind+" "+r.Subject)
		require.NotContains(t, string(raw), "very-secret")
	}
	return all
}

// Verifies: ORC-320
func TestWebhooksAreOnRecord(t *testing.T) {
	s := store.NewMemory()
	l := openLog(t, s)
	account := func(r hook.Roster) map[string]uint64 {
		t.Helper()
		since, err := record.Account(t.Context(), l, r)
		require.NoError(t, err)
		require.NoError(t, verify(t, s))
		return since
	}
	require.Empty(t, account(nil))
	require.Empty(t, kinds(t, l), "no webhooks are no record")
	require.Equal(t, map[string]uint64{"a": 1, "bb": 2}, account(named("a", "bb")))
	require.Equal(t, map[string]uint64{"a": 1, "bb": 2}, account(named("a", "bb")), "the same are no record")
	changed := named("a", "bb")
	changed[0].Allow = []string{"10.0.0.1:443"}
	require.Equal(t, map[string]uint64{"a": 4, "bb": 2}, account(changed))
	require.Empty(t, account(nil))
	require.Equal(t, map[string]uint64{"a": 7}, account(named("a")))
	require.Equal(t, []string{"webhook.added webhook/a", "webhook.added webhook/bb", "webhook.removed webhook/a",
		"webhook.added webhook/a", "webhook.removed webhook/bb", "webhook.removed webhook/a", "webhook.added webhook/a"},
		kinds(t, l))
}

// Verifies: ORC-320
func TestVerifyFollowsTheWebhooks(t *testing.T) {
	added := record.Added{ID: "000000000003", Name: "ops", Host: "https://example.com"}
	system := ledger.System()
	event := func(kind, subject string, by audit.Actor, data any) ledger.Event {
		return ledger.Event{Kind: kind, Subject: subject, Actor: by, Data: data}
	}
	for name, c := range map[string]struct {
		events []ledger.Event
		want   string
	}{
		"of a person": {[]ledger.Event{event(record.KindAdded, "webhook/ops", audit.Actor{Name: "ann", Role: "pm"}, added)},
			"by itself"},
		"about something else": {[]ledger.Event{event(record.KindAdded, "REQ-1", system, added)}, "is about"},
		"twice": {[]ledger.Event{event(record.KindAdded, "webhook/ops", system, added),
			event(record.KindAdded, "webhook/ops", system, added)}, "which is there"},
		"of one that is not there": {[]ledger.Event{event(record.KindRemoved, "webhook/ops", system,
			record.Removed{ID: added.ID, Name: "ops"})}, "which is not there"},
		"of another of the name": {[]ledger.Event{event(record.KindAdded, "webhook/ops", system, added),
			event(record.KindRemoved, "webhook/ops", system, record.Removed{ID: "000000000004", Name: "ops"})},
			"which is not there"},
		"without its table": {[]ledger.Event{event(record.KindAdded, "webhook/ops", system, added)}, "table webhooks"},
	} {
		s := store.NewMemory()
		l := openLog(t, s)
		require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) (err error) {
			for _, e := range c.events {
				err = errors.Join(err, tx.Append(e))
			}
			return err
		}), name)
		require.ErrorContains(t, verify(t, s), c.want, name)
	}
}

// More than there may be cannot have been added.
func TestVerifyCountsTheWebhooks(t *testing.T) {
	s := store.NewMemory()
	l := openLog(t, s)
	var names []string
	for i := range hook.Most + 1 {
		names = append(names, fmt.Sprint("h", i))
	}
	_, err := record.Account(t.Context(), l, named(names[:hook.Most]...))
	require.NoError(t, err)
	require.NoError(t, verify(t, s))
	_, err = record.Account(t.Context(), l, named(names...))
	require.NoError(t, err, "the roster refuses it before")
	require.ErrorContains(t, verify(t, s), "beyond 20")
}
