package conductor

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// Every run of a tool leaves an event and a source, and an assertion where it has a result.
//
// Verifies: ORC-282
func TestWhatARunLeaves(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", outOfOrder("no")), named("t.b", "REPORT(k.x)"))
	trace := b.conduct(ob(planning.Report, "k.x"))
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		for i, want := range []bool{false, true} {
			id := trace.ID + "/" + trace.Obligations[0].Runs[i].ID
			source, found, err := v.Source(id)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, []string{"t.a", "t.b"}[i], source.Name)
			event, found, err := v.Event(trace.ID, trace.Obligations[0].Runs[i].ID)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, map[bool]string{true: "tool.succeeded", false: "tool.failed"}[want], event.Kind)
		}
		held, err := v.Held("run:"+trace.ID, "o1")
		require.NoError(t, err)
		require.Len(t, held, 1)
		require.Equal(t, trace.ID+"/o1/2", held[0].Source)
		return nil
	}))
}

// How a run ended is in the rows, and not in its trace alone.
func TestWhatTheEndOfARunLeaves(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", lying(planning.CheckBlocking, differs)), named("t.b", "REPORT(k.y)", lying(planning.CheckBlocking, nil)),
		named("t.c", "REPORT(k.z)"))
	trace := b.conduct(ob(planning.Report, "k.x"), ob(planning.Report, "k.y", "value", "t.b"), ob(planning.Report, "query.astronauts"), ob(planning.Report, "k.z"), ob(planning.Report, "status.name"))
	require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
		for id, want := range map[string]state.Evidence{
			"o1": {ID: "o1", Run: trace.ID, By: "again", With: []string{"t.a"}, Why: "it is 5"}, "o2": {ID: "o2", Run: trace.ID, By: "facts", Verified: true, With: []string{trace.ID + "/o2"}},
		} {
			evidence, found, err := v.Evidence(trace.ID, id)
			require.NoError(t, err)
			require.True(t, found, id)
			require.Equal(t, want, evidence)
		}
		_, found, err := v.Evidence(trace.ID, "o4")
		require.NoError(t, err)
		require.False(t, found, "its contract asks for none")

		stored := map[string]state.Obligation{}
		all, err := v.Obligations(trace.ID)
		require.NoError(t, err)
		for _, o := range all {
			stored[o.ID] = o
		}
		require.Len(t, stored, 8)
		for id, want := range map[string]planning.Type{"o1.1": planning.Justify, "o3.1": planning.DiscoverOp, "o5.1": planning.Clarify} {
			require.Equal(t, want, stored[id].Of.Type, id)
		}
		require.Equal(t, planning.Resolved, stored["o1.1"].Status, "a JUSTIFY is resolved by what it says")
		require.Equal(t, planning.Escalated, stored["o3.1"].Status)
		require.Equal(t, map[string]any{"capability": "REPORT(query.astronauts)"}, stored["o3.1"].Of.Payload)

		event, found, err := v.Event(trace.ID, "end")
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, []string{"answered", "clarify"}, []string{event.Kind, event.What})
		return nil
	}))
}

// ticking gives a bench a clock that goes on by what tools take.
func (b bench) ticking() (take func(time.Duration)) {
	now := b.Clock()
	b.Conductor.Clock = func() time.Time { return now }
	return func(d time.Duration) { now = now.Add(d) }
}

func taking(d time.Duration, take *func(time.Duration)) func(*fake) {
	return func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { (*take)(d); return map[string]any{}, nil }
	}
}

func TestTheTimeOfARun(t *testing.T) {
	var take func(time.Duration)
	second := named("t.b", "REPORT(k.y)")
	b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", taking(time.Second, &take)), second)
	take = b.ticking()
	for ms, want := range map[int]planning.Outcome{1000: planning.OutTruncated, 1001: planning.OutResolved} {
		*second.runs = 0
		trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x"), ob(planning.Report, "k.y")}, Budgets: planning.Budgets{TimeMS: ms}})
		require.NoError(t, err)
		require.Equal(t, want, trace.Status, ms)
		require.Equal(t, planning.OutResolved, trace.Obligations[0].Outcome)
		if want == planning.OutTruncated {
			require.Zero(t, *second.runs)
			require.Equal(t, []Candidate{{Tool: "t.b", Taken: false, Reason: "time_ms is exhausted"}}, trace.Obligations[1].Candidates)
		}
	}
}

func TestHowLongARunTook(t *testing.T) {
	for deterministic, want := range map[bool]float64{false: 2.5, true: 0} {
		var take func(time.Duration)
		b := conductorOf(t, store.NewMemory(), named("t.a", "REPORT(k.x)", taking(2500*time.Microsecond, &take)))
		take = b.ticking()
		b.Deterministic = deterministic
		trace := b.conduct(ob(planning.Report, "k.x"))
		require.Equal(t, want, trace.Obligations[0].Runs[0].DurationMS)
		require.NoError(t, b.state.View(t.Context(), func(v state.View) error {
			run, _, err := v.ToolRun(trace.ID, "o1/1")
			require.Equal(t, want, run.DurationMS)
			return err
		}))
	}
}

// A defect of a tool is that tool's failure: the next one runs, and so does everything else.
//
// Verifies: ORC-279
func TestAToolThatPanics(t *testing.T) {
	broken := named("t.a", "REPORT(k.x)", func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { panic("out of its range") }
	})
	trace := conductorOf(t, store.NewMemory(), broken, named("t.b", "REPORT(k.x)"), named("t.c", "REPORT(k.y)")).conduct(ob(planning.Report, "k.x"), ob(planning.Report, "k.y"))
	require.Equal(t, planning.OutResolved, trace.Status)
	require.Len(t, trace.Answers, 2)
	failed := trace.Obligations[0].Runs[0]
	require.Equal(t, "tool_defect", string(failed.Error.Code))
	require.Contains(t, failed.Error.Detail, "out of its range")
	require.Equal(t, "t.b", trace.Answers[0].Result["value"])
}

// Of seventeen runs of outside tools at once the last waits until another one has ended.
func TestManyOutsideToolsAtOnce(t *testing.T) {
	const most = 16
	var inside, peak atomic.Int64
	arrived, release := make(chan struct{}, most+1), make(chan struct{})
	i := serving(t, func(w http.ResponseWriter, r *http.Request) {
		now := inside.Add(1)
		defer inside.Add(-1)
		for before := peak.Load(); now > before && !peak.CompareAndSwap(before, now); before = peak.Load() {
		}
		arrived <- struct{}{}
		<-release
		answering(200, `{"value":"right"}`)(w, r)
	})
	free := sync.OnceFunc(func() { close(release) })
	t.Cleanup(free)
	b := conductorOf(t, store.NewMemory(), outsideTool("t.a", i))
	ended := make(chan planning.Outcome, most+1)
	for range most + 1 {
		go func() {
			trace, _ := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x")}})
			ended <- trace.Status
		}()
	}
	another := func(within time.Duration) bool {
		select {
		case <-arrived:
			return true
		case <-time.After(within):
			return false
		}
	}
	for range most {
		require.True(t, another(time.Minute))
	}
	require.False(t, another(300*time.Millisecond), "the seventeenth waits")
	release <- struct{}{}
	require.True(t, another(time.Minute), "and runs when another one has ended")
	free()
	for range most + 1 {
		require.Equal(t, planning.OutResolved, <-ended)
	}
	require.EqualValues(t, most, peak.Load())
}

func TestOnlyAResolvedRunHasNoError(t *testing.T) {
	require.NoError(t, Trace{Status: planning.OutResolved}.Unresolved())
	unresolved := Trace{ID: "r-1", Status: planning.OutClarify}.Unresolved()
	require.ErrorIs(t, unresolved, fault.Conflict)
	require.ErrorContains(t, unresolved, "the run r-1 ended as clarify")
}
