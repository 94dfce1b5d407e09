package timetable

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

var (
	ada   = conductor.Caller{Name: "ada", Role: "coder"}
	begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// bed is a service in memory: a ledger, a conductor with one tool of a test, and the runner of its schedules.
type bed struct {
	*conductor.Conductor
	t      *testing.T
	runner *Runner
	ledger *ledger.Ledger
}

// world is what outlives a service.
type world struct {
	store *failing
	since atomic.Int64 // how long ago it began, by the clock
	gone  string       // why the token is not in force
	runs  atomic.Int64
	holds func() // what the tool waits for
}

// failing is a store that fails from some write on, as at a crash: that write is not made.
type failing struct {
	*store.Memory
	mu   sync.Mutex
	left int
}

var errCrash = errors.New("crash")

func (f *failing) Update(ctx context.Context, change func(store.Tx) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left == 0 {
		return errCrash
	}
	f.left--
	return f.Memory.Update(ctx, change)
}

// at moves the clock.
func (w *world) at(since time.Duration) { w.since.Store(int64(since)) }

const never = 1 << 30 // writes until a crash

func newWorld() *world {
	return &world{store: &failing{Memory: store.NewMemory(), left: never}, holds: func() {}}
}

// start starts a service.
func (w *world) start(t *testing.T) bed {
	t.Helper()
	clock := func() time.Time { return begun.Add(time.Duration(w.since.Load())) }
	l, err := ledger.Open(t.Context(), w.store, clock)
	require.NoError(t, err)
	counts := tools.Tool{Contract: planning.Contract{
		Name: "t.count", Version: "1", Description: "A tool of a test.", Satisfies: []string{"ACHIEVE(k.x)"}, Produces: map[string]any{"type": "object"},
		Reliability: planning.High, Cost: planning.CostTiny, LatencyMS: 1, TimeoutMS: 60_000, Verify: planning.CheckOff, Idempotent: true,
		Implementation: planning.Implementation{Means: planning.Builtin, Name: "t.count"},
	}, Run: func(context.Context, tools.In) (map[string]any, error) {
		w.runs.Add(1)
		w.holds()
		return map[string]any{"n": 1.0}, nil
	}}
	box := append(tools.Box(), counts)
	contracts := evaluating.Contracts()
	for _, b := range box {
		contracts = append(contracts, b.Contract)
	}
	registry, err := contract.Load(t.TempDir(), contracts)
	require.NoError(t, err)
	c := conductor.New(l, conductor.Options{Tools: registry, Box: box, Root: t.TempDir(), Clock: clock, Deterministic: true})
	runner := &Runner{Conductor: c, Schedules: c.Schedules, Clock: clock, ended: make(chan struct{}, maxRunning),
		Gone:  func(string, conductor.Caller, time.Time) string { return w.gone },
		After: func(time.Duration) <-chan time.Time { return nil },
		Log:   func(string, string, error) {}}
	return bed{c, t, runner, l}
}

// schedule makes a schedule of an obligation, and returns its id.
func (b bed) schedule(payload map[string]any) string {
	b.t.Helper()
	payload["obligations"] = []any{map[string]any{"type": "ACHIEVE", "payload": map[string]any{"kind": "k.x", "value": 1.0}}}
	trace, err := b.Ask(b.t.Context(), ada, conductor.Asked{Token: "t1",
		Request: planning.Request{Obligations: []planning.Obligation{{Type: planning.Schedule, Payload: payload}}}})
	require.NoError(b.t, err)
	require.Equal(b.t, planning.OutResolved, trace.Status, "%+v", trace.Obligations[0])
	require.Contains(b.t, trace.Answers[0].Text, "Scheduled for 2026-")
	return trace.ID + "-o1"
}

// look begins what is due, and waits for it.
func (b bed) look() {
	b.t.Helper()
	_, err := b.runner.look(b.t.Context())
	require.NoError(b.t, err)
	b.runner.running.Wait()
}

func (b bed) get(id string) state.Schedule {
	b.t.Helper()
	s, err := b.Schedules.Get(b.t.Context(), ada, id)
	require.NoError(b.t, err)
	return s
}

// Verifies: ORC-258
func TestEachTimeIsConductedOnce(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	id := b.schedule(map[string]any{"every": "1h", "until": "2026-01-02T06:30:00Z"})
	b.look()
	require.Zero(t, w.runs.Load(), "nothing is due yet")
	w.at(time.Hour)
	b.look()
	b.look()
	require.EqualValues(t, 1, w.runs.Load())
	s := b.get(id)
	require.Equal(t, planning.OutResolved, s.Last.Status)
	require.Equal(t, begun.Add(2*time.Hour), s.Next)
	require.Zero(t, s.Missed)
	run, err := b.Summary(t.Context(), s.Last.Run)
	require.NoError(t, err)
	require.Equal(t, ada, run.Caller)
	w.at(2 * time.Hour)
	b.look()
	w.at(3 * time.Hour)
	b.look()
	s = b.get(id)
	require.Equal(t, 3, s.Runs)
	require.Equal(t, "nothing is due any more", s.Ended.Why)
	w.at(30 * time.Hour)
	b.look()
	require.EqualValues(t, 3, w.runs.Load())
}

// Verifies: ORC-258
func TestMissedTimesAreConductedOnceAndSaid(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	hourly := b.schedule(map[string]any{"every": "1h"})
	once := b.schedule(map[string]any{"at": "2026-01-02T04:00:00Z"})
	b.Stop()
	w.at(3*time.Hour + 30*time.Minute)
	b = w.start(t)
	b.look()
	require.EqualValues(t, 2, w.runs.Load())
	require.Equal(t, 3, b.get(hourly).Missed)
	require.Equal(t, begun.Add(4*time.Hour), b.get(hourly).Next)
	require.Equal(t, 1, b.get(once).Missed)
	require.NotNil(t, b.get(once).Ended)
	require.NoError(t, state.New(b.ledger).View(t.Context(), func(v state.View) error {
		said, found, err := v.Event(b.get(hourly).Last.Run, "scheduled")
		require.True(t, found)
		require.Equal(t, "the schedule "+hourly+", due at 2026-01-02T06:04:05Z; missed: 3", said.What)
		return err
	}))
}

// Verifies: ORC-259
func TestAScheduleEndsWithItsToken(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	id := b.schedule(map[string]any{"every": "1h"})
	w.at(time.Hour)
	w.gone = "its token was revoked"
	b.look()
	require.Zero(t, w.runs.Load())
	require.Equal(t, "its token was revoked", b.get(id).Ended.Why)
	w.at(2 * time.Hour)
	w.gone = ""
	b.look()
	require.Zero(t, w.runs.Load(), "it does not come back")
}

// Verifies: ORC-258
func TestARunThatIsStillUnderWay(t *testing.T) {
	w := newWorld()
	goOn := make(chan struct{})
	w.holds = func() { <-goOn }
	b := w.start(t)
	id := b.schedule(map[string]any{"every": "1h"})
	others := []string{}
	for range maxRunning {
		others = append(others, b.schedule(map[string]any{"at": "2026-01-02T05:04:05Z"}))
	}
	look := func() {
		_, err := b.runner.look(t.Context())
		require.NoError(t, err)
	}
	w.at(time.Hour)
	look()
	w.at(2 * time.Hour)
	look()
	require.Equal(t, 1, b.get(id).Skipped, "it is due again while it is under way")
	under := 0
	for _, other := range others {
		if b.get(other).Running != nil {
			under++
		}
	}
	require.Equal(t, maxRunning-1, under, "so many at once, and no more")
	close(goOn)
	b.runner.running.Wait()
	b.look()
	require.EqualValues(t, 1+maxRunning, w.runs.Load(), "the last one had to wait for room")
	require.Equal(t, 1, b.get(id).Runs)
}

// Verifies: ORC-258
//
// At whichever write the service dies: what is due is conducted, and once.
func TestACrashAtEveryWriteOfAScheduledRun(t *testing.T) {
	for writes := 0; ; writes++ {
		w := newWorld()
		b := w.start(t)
		id := b.schedule(map[string]any{"every": "1h"})
		w.at(time.Hour)
		w.store.left = writes
		ctx, crash := context.WithCancel(t.Context())
		b.runner.After = func(time.Duration) <-chan time.Time { crash(); return nil }
		_, err := b.runner.look(ctx)
		b.runner.running.Wait()
		survived := err == nil && ctx.Err() == nil
		crash()
		w.store.left = never
		b.Stop()

		b = w.start(t)
		left, err := b.Unfinished(t.Context())
		require.NoError(t, err)
		for _, cut := range left {
			_, err := b.Resume(t.Context(), cut)
			require.NoError(t, err)
		}
		b.look()
		s := b.get(id)
		require.Equal(t, 1, s.Runs, "after %d writes", writes)
		require.Nil(t, s.Running)
		require.Equal(t, begun.Add(2*time.Hour), s.Next)
		require.LessOrEqual(t, w.runs.Load(), int64(2), "only the run that was cut off, whose tool may run again")
		count := 0
		page, _, err := b.List(t.Context(), 0, 100, nil)
		require.NoError(t, err)
		for _, r := range page {
			if r.ID != s.Run {
				count++
			}
		}
		require.Equal(t, 1, count, "one run for one time, after %d writes", writes)
		b.look()
		require.Equal(t, 1, b.get(id).Runs)
		if survived {
			require.Greater(t, writes, 3)
			return
		}
	}
}

// Verifies: ORC-258
//
// What a caller sends under the key of a time takes nothing from the schedule: the caller cannot write that key.
func TestNoRequestTakesTheTimeOfASchedule(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	id := b.schedule(map[string]any{"every": "1h"})
	key := "schedule:" + id + ":2026-01-02T04:04:05Z"
	stolen, err := b.Ask(t.Context(), ada, conductor.Asked{Request: planning.Request{IdempotencyKey: key,
		Obligations: []planning.Obligation{{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": "1"}}}}})
	require.NoError(t, err)
	w.at(time.Hour)
	b.look()
	require.EqualValues(t, 1, w.runs.Load())
	last := b.get(id).Last
	require.Equal(t, planning.OutResolved, last.Status)
	require.Empty(t, last.Error)
	require.NotEqual(t, stolen.ID, last.Run)
	again, err := b.Ask(t.Context(), ada, conductor.Asked{Request: planning.Request{IdempotencyKey: key,
		Obligations: []planning.Obligation{{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": "1"}}}}})
	require.NoError(t, err)
	require.Equal(t, stolen.ID, again.ID, "each has its own")
}

// Verifies: ORC-258
func TestATimeThatCouldNotBeRunFailed(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	id := b.schedule(map[string]any{"every": "1h"})
	w.at(time.Hour)
	taken, err := b.Schedules.Take(t.Context(), b.get(id), "")
	require.NoError(t, err)
	require.NoError(t, b.Schedules.Done(t.Context(), *taken, "", "", "it is no request any more"))
	require.Equal(t, planning.OutFailed, b.get(id).Last.Status)
	require.Equal(t, "it is no request any more", b.get(id).Last.Error)
}

// An idempotency key is one of a name in a role: in another role it gives no trace of what the first could do.
func TestAKeyIsOfOneRole(t *testing.T) {
	b := newWorld().start(t)
	asked := conductor.Asked{Request: planning.Request{IdempotencyKey: "k1",
		Obligations: []planning.Obligation{{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": "1"}}}}}
	_, err := b.Ask(t.Context(), ada, asked)
	require.NoError(t, err)
	trace, err := b.Ask(t.Context(), conductor.Caller{Name: "ada", Role: "pm"}, asked)
	require.ErrorIs(t, err, fault.Conflict)
	require.Empty(t, trace.ID)
}

// Verifies: ORC-257
func TestAViewerSchedulesNothing(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	before := b.ledger.Head().Size
	trace, err := b.Ask(t.Context(), conductor.Caller{Name: "vic", Role: "viewer"}, conductor.Asked{Token: "t1",
		Request: planning.Request{Obligations: []planning.Obligation{{Type: planning.Schedule, Payload: map[string]any{"every": "1h",
			"obligations": []any{map[string]any{"type": "REPORT", "payload": map[string]any{"kind": "query.math", "expr": "1+1"}}}}}}}})
	require.NoError(t, err)
	require.Equal(t, planning.OutFailed, trace.Status)
	open, err := b.Schedules.Open(t.Context())
	require.NoError(t, err)
	require.Empty(t, open)
	require.Equal(t, before, b.ledger.Head().Size, "nothing is left behind")
}

// Verifies: ORC-257
//
// Only what the service keeps counts: a tool that says it has scheduled something is not believed.
func TestAToolThatOnlySaysThatItSchedules(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	liar := "team.cron"
	said := planning.Contract{
		Name: liar, Version: "1", Description: "Says that it schedules.", Satisfies: []string{"SCHEDULE(team.nightly)"}, Produces: map[string]any{"type": "object"},
		Reliability: planning.High, Cost: planning.CostTiny, LatencyMS: 1, TimeoutMS: 20_000, Verify: planning.CheckOff, Idempotent: true, Roles: []string{"coder"},
		Implementation: planning.Implementation{Means: planning.Exec, Argv: []string{"sh", "-c", `echo '{"id":"s1"}'`}},
	}
	registry, err := contract.Load(t.TempDir(), append(evaluating.Contracts(), said))
	require.NoError(t, err)
	c := conductor.New(b.ledger, conductor.Options{Tools: registry, Root: t.TempDir(), Clock: b.runner.Clock, Deterministic: true})
	trace, err := c.Ask(t.Context(), ada, conductor.Asked{Token: "t1", Request: planning.Request{Obligations: []planning.Obligation{{Type: planning.Schedule,
		Payload: map[string]any{"kind": "team.nightly", "every": "1h", "obligations": []any{map[string]any{"type": "VERIFY", "payload": map[string]any{"kind": "answers"}}}}}}}})
	require.NoError(t, err)
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Equal(t, []string{liar, "schedule.add"}, []string{trace.Obligations[0].Runs[0].Tool, trace.Obligations[0].Runs[1].Tool})
	require.Equal(t, state.RunRefused, trace.Obligations[0].Runs[0].Status)
	open, err := b.Schedules.Open(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
}

// Verifies: ORC-258
func TestTheRunnerStopsWithTheService(t *testing.T) {
	w := newWorld()
	b := w.start(t)
	b.schedule(map[string]any{"every": "1h"})
	w.at(time.Hour)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	under := make(chan struct{})
	w.holds = func() { close(under); <-ctx.Done() }
	go func() { b.runner.Run(ctx); close(done) }()
	<-under
	stop()
	b.Stop()
	<-done
}
