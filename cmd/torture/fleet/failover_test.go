package fleet

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
