package conductor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-247
//
// What was recorded of an answer is gone on with after a crash, and what was run is not run again.
func TestARunThatWasCutOffAfterAnAnswer(t *testing.T) {
	s := store.NewMemory()
	first, cut := named("t.a", "ACHIEVE(k.x)"), named("t.b", "ACHIEVE(k.y)", withInput("city"), func(f *fake) { f.contract.Idempotent = true })
	last := named("t.c", "ACHIEVE(k.z)", withInput("city"))
	alive := cut.run
	var b bench
	cut.run = func(tools.In) (map[string]any, error) { b.stop(); return nil, b.stopping().Err() }
	b = conductorOf(t, s, first, cut, last)
	run := b.conduct(ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y"), ob(planning.Achieve, "k.z"))
	_, err := b.Answer(t.Context(), ada, run.ID, Reply{Obligation: "o2", Value: "Oslo"})
	require.ErrorIs(t, err, fault.Unavailable)
	b.Stop()

	cut.run = alive
	b = conductorOf(t, s, first, cut, last)
	_, err = b.Answer(t.Context(), ada, run.ID, Reply{Obligation: "o3", Value: "Rome"})
	require.True(t, fault.Is(err, questions.CodeUnderWay), "%v", err)
	left, err := b.Unfinished(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	trace, err := b.Resume(t.Context(), left[0])
	require.NoError(t, err)
	require.Equal(t, planning.OutClarify, trace.Status, "the other question waits")
	require.Equal(t, "Oslo", trace.Obligations[1].Runs[0].Inputs["city"])
	require.Equal(t, []int{1, 2, 0}, []int{*first.runs, *cut.runs, *last.runs})
	require.Equal(t, planning.OutResolved, b.reply(run.ID, Reply{Obligation: "o3", Value: "Rome"}).Status)
	require.Equal(t, []int{1, 2, 1}, []int{*first.runs, *cut.runs, *last.runs})
}

// failing is a store that fails from some write on, as at a crash: that write is not made.
type failing struct {
	*store.Memory
	left int
}

var errCrash = errors.New("crash")

func (f *failing) Update(ctx context.Context, change func(store.Tx) error) error {
	if f.left == 0 {
		return errCrash
	}
	f.left--
	return f.Memory.Update(ctx, change)
}

// Verifies: ORC-247
//
// At whichever write the service dies: nothing is lost, and no tool runs twice but the one that was cut off.
func TestACrashAtEveryWriteOfAnAnsweredRun(t *testing.T) {
	ended := ""
	for writes := 0; ; writes++ {
		s := &failing{store.NewMemory(), 1 << 30}
		first, second := named("t.a", "ACHIEVE(k.x)"), named("t.b", "ACHIEVE(k.y)", withInput("city"))
		for _, f := range []*fake{&first, &second} {
			f.contract.Idempotent = true
		}
		b := conductorOn(t, s, s.Memory, first, second)
		run := b.conduct(ob(planning.Achieve, "k.x"), ob(planning.Achieve, "k.y"), ob(planning.Report, "status.name"))
		b.reply(run.ID, Reply{Obligation: "o3", Value: "Jeff"})
		s.left = writes
		_, err := b.Answer(t.Context(), ada, run.ID, Reply{Obligation: "o2", Value: "Oslo"})
		s.left = 1 << 30
		b.Stop()
		b = conductorOn(t, s, s.Memory, first, second)
		left, openErr := b.Unfinished(t.Context())
		require.NoError(t, openErr)
		for _, cut := range left {
			_, openErr := b.Resume(t.Context(), cut)
			require.NoError(t, openErr)
		}
		if len(left) == 0 && err != nil { // the answer itself was not recorded
			require.Zero(t, *second.runs)
			b.reply(run.ID, Reply{Obligation: "o2", Value: "Oslo"})
		}
		trace, traceErr := b.Trace(t.Context(), run.ID)
		require.NoError(t, traceErr)
		require.Equal(t, 1, *first.runs)
		require.LessOrEqual(t, *second.runs, 2)
		if ended == "" {
			ended = string(trace)
		}
		require.Equal(t, ended, string(trace), "after %d writes", writes)
		if err == nil {
			require.Greater(t, writes, 3)
			return
		}
	}
}
