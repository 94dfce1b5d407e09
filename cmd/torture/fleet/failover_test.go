package fleet

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/child"
)

// How many times the long form strikes, and how long it may take.
const (
	longKills   = 100
	longStrikes = 40
	longest     = 40 * time.Minute
)

// newFleet starts replicas on a database of their own.
func newFleet(t *testing.T, o StandbyOptions, replicas int) *Fleet {
	t.Helper()
	d, p := newDatabase(t, o), newProject(t)
	f, err := New(t.Context(), p, d, replicas, 25, t.Logf)
	require.NoError(t, err)
	return f
}

// run runs strikes, and judges.
func (f *Fleet) runAndJudge(t *testing.T, strikes ...Strike) Judgement {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	require.NoError(t, f.Run(ctx, 8, strikes...))
	j, err := f.Judge(5 * time.Minute)
	require.NoError(t, err)
	require.NotZero(t, j.Acknowledged)
	t.Logf("%+v", j)
	return j
}

// Nothing that was acknowledged is lost when the primary is killed and its synchronous standby promoted, and work goes
// on soon after it.
//
// Verifies: ORC-384, ORC-386
func TestPromotionsLoseNothing(t *testing.T) {
	kills := longKills
	if testing.Short() {
		kills = 2
	}
	f := newFleet(t, StandbyOptions{Synchronous: true}, 2)
	f.runAndJudge(t, slices.Repeat([]Strike{Promotion}, kills)...)
	require.Len(t, f.Silences, kills)
	slices.Sort(f.Silences)
	t.Logf("%d promotions, silence after them %v in the middle and %v at most", kills, f.Silences[kills/2],
		f.Silences[kills-1])
	require.NoError(t, f.Project.Close())
	require.NoError(t, f.Project.Replicas()[0].Command(t.Context(), "verify"))
}

// Three replicas answer as one service while they are killed, stopped and cut off, and the primary is replaced.
//
// Verifies: ORC-385, ORC-386
func TestAFleetUnderStrikesIsLinearizable(t *testing.T) {
	f := newFleet(t, StandbyOptions{Synchronous: true}, 3)
	strikes := []Strike{Partition, Kill, Pause, Promotion}
	if !testing.Short() {
		strikes = slices.Repeat(strikes, longStrikes/len(strikes))
	}
	f.runAndJudge(t, strikes...)
}

// The control: a standby that is behind has not all that was acknowledged. The replicas find that out by themselves and
// stop, no start goes on from there by itself, and one that is given leave to says so in the log.
//
// Verifies: ORC-384
func TestALateStandbyLosesAndIsFound(t *testing.T) {
	f := newFleet(t, StandbyOptions{Behind: 300 * time.Millisecond}, 2)
	f.Load.Begin(8, 1)
	require.NoError(t, f.goesOn(t.Context()))
	time.Sleep(time.Second)
	require.NoError(t, f.goesOn(t.Context()))
	_, err := f.Database.FailOver(t.Context())
	require.NoError(t, err)
	for _, r := range f.Project.Replicas() {
		select {
		case <-r.Ended():
			require.Positive(t, r.ExitCode(), r.LastLog())
			require.Contains(t, r.LastLog(), "rolled_back")
		case <-time.After(patience):
			require.Fail(t, "a replica goes on from a database that has lost commits", r.LastLog())
		}
	}
	require.NoError(t, f.Load.End())
	for _, r := range f.Project.Replicas() {
		require.ErrorIs(t, r.Start(t.Context()), child.ErrEnded)
		require.Contains(t, r.LastLog(), "--accept-rollback")
	}
	for _, r := range f.Project.Replicas() {
		require.NoError(t, r.Start(t.Context(), "--accept-rollback", "the standby was behind"))
	}
	j, err := f.Load.Judge(f.Project.Replicas()[0])
	require.NoError(t, err)
	require.Positive(t, j.Lost)
	t.Logf("%d of %d acknowledged changes are lost", j.Lost, j.Acknowledged)
}
