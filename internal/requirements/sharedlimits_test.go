package requirements

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// couple starts two services on one store, which count refusals together.
func couple(t *testing.T) (a, b *rig) {
	t.Helper()
	hub := storetest.NewHub()
	var both []*rig
	for n := range 2 {
		r := start(t, hub.Open(), withoutExport, func(o *Options) { o.Replica = fmt.Sprint("replica", n) })
		t.Cleanup(func() { r.stop(); require.NoError(t, r.ledger.Close()) })
		both = append(both, r)
	}
	return both[0], both[1]
}

// caughtUp waits until a service knows what the other has done.
func (r *rig) caughtUp() *rig {
	r.t.Helper()
	require.NoError(r.t, r.ledger.CatchUp(r.t.Context()))
	return r
}

// Verifies: ORC-373
func TestRefusalsOfReplicasAreFoldedTogether(t *testing.T) {
	a, b := couple(t)
	a.mustImport(twoRequirements)
	b.caughtUp()
	size := a.State().LogSize
	for n := range 50 {
		[]*rig{a, b}[n%2].refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	}
	require.Equal(t, size+record.RecordedEach, a.caughtUp().State().LogSize)
	require.Equal(t, size+record.RecordedEach, b.caughtUp().State().LogSize)
	require.EqualValues(t, 15, a.State().Folded)
	require.EqualValues(t, 15, b.State().Folded)
	a.minuteOver()
	b.minuteOver()
	a.minuteOver()
	sums := a.caughtUp().summaries()
	require.Len(t, sums, 2)
	require.EqualValues(t, 30, sums[0].Count+sums[1].Count)
	require.Equal(t, sums[0].Recorded, sums[1].Recorded)
	require.NotEqual(t, sums[0].Replica, sums[1].Replica)
	a.verified()
	b.verified()
	require.Equal(t, 50, a.review().Findings.Refused[0].Refused)
}

// TestReplicasCountWhatIsRefusedAtTheSameTime: and account for it when they end.
//
// Verifies: ORC-373
func TestReplicasCountWhatIsRefusedAtTheSameTime(t *testing.T) {
	a, b := couple(t)
	a.mustImport(twoRequirements)
	b.caughtUp()
	var clients sync.WaitGroup
	for n := range 8 {
		clients.Go(func() {
			r := []*rig{a, b}[n%2]
			for range 25 {
				_, _ = r.Patch(context.Background(), cody, Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned))})
				_ = r.Refuse(context.Background(), cody, Refused{Request: "A"}, fault.New(fault.Malformed, "json_syntax", "x"))
			}
		})
	}
	clients.Wait()
	a.stop()
	b.stop()
	a.caughtUp()
	require.Len(t, a.records(0, record.KindRefused), record.RecordedEach)
	require.Len(t, a.records(0, record.KindRequestRefused), record.RecordedEach)
	var counted uint64
	for _, s := range a.summaries() {
		counted += s.Count
	}
	require.EqualValues(t, 2*(200-record.RecordedEach), counted)
	a.verified()
}

// TestReplicasRefuseAsTheyLike: whatever they are asked, verify accepts what they account for, and nothing is lost.
//
// Verifies: ORC-373
func TestReplicasRefuseAsTheyLike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := couple(t)
		a.mustImport(twoRequirements)
		b.caughtUp()
		b.clock.wind(time.Duration(rapid.IntRange(-20, 20).Draw(rt, "skew")) * time.Second)
		refused := 0
		for range rapid.IntRange(5, 20).Draw(rt, "steps") {
			r := rapid.SampledFrom([]*rig{a, b}).Draw(rt, "replica")
			if rapid.IntRange(0, 3).Draw(rt, "step") == 0 {
				passed := time.Duration(rapid.IntRange(0, 70).Draw(rt, "seconds")) * time.Second
				a.clock.wind(passed)
				b.clock.wind(passed)
				require.NoError(rt, r.refusals.Account(t.Context(), r.ledger, r.shared.clock()))
				continue
			}
			id := rapid.SampledFrom([]string{"REQ-001", "REQ-002"}).Draw(rt, "id")
			for range rapid.IntRange(1, 15).Draw(rt, "times") {
				r.refused(cody, id, move(lifecycle.Planned), "field_forbidden")
				refused++
			}
		}
		for _, r := range []*rig{a, b} {
			r.stop()
			require.NoError(rt, r.caughtUp().ledger.CatchUp(t.Context()))
		}
		a.caughtUp()
		found := len(a.records(0, record.KindRefused))
		for _, s := range a.summaries() {
			found += int(s.Count)
		}
		require.Equal(rt, refused, found)
		a.verified()
	})
}

// Verifies: ORC-374
func TestAKeyIsOneForAllReplicas(t *testing.T) {
	a, b := couple(t)
	a.mustImport(twoRequirements)
	b.caughtUp()
	p := Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned)), IdempotencyKey: "k"}
	first, err := a.Patch(t.Context(), paula, p)
	require.NoError(t, err)
	again, err := b.Patch(t.Context(), paula, p) // whether it has been told of it or not
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Requirement, again.Requirement)
	require.Equal(t, first.Receipt.Index, again.Receipt.Index)
	p.Body = []byte(move(lifecycle.Deferred))
	_, err = b.Patch(t.Context(), paula, p)
	requireCode(t, err, "idempotency_key_reused")

	refusal := Proposal{ID: "REQ-002", Body: []byte(move(lifecycle.Done)), IdempotencyKey: "r"}
	_, err = b.Patch(t.Context(), paula, refusal)
	requireCode(t, err, "illegal_transition")
	size := b.State().LogSize
	_, err = a.Patch(t.Context(), paula, refusal)
	requireCode(t, err, "illegal_transition")
	require.Equal(t, size, a.caughtUp().State().LogSize, "a refusal is remembered, too")
	a.verified()
}

// Verifies: ORC-374
func TestAClaimCountsOnAllReplicas(t *testing.T) {
	a, b := couple(t)
	a.mustImport(twoRequirements)
	b.caughtUp()
	c, _, err := a.claim(cody, "c1", "REQ-001", time.Hour)
	require.NoError(t, err)
	_, _, err = b.claim(carla, "c2", "REQ-001", time.Hour)
	requireCode(t, err, "claimed")
	requireCode(t, b.patchAs(carla, "c2", "REQ-001", implemented), "claimed")
	require.Equal(t, []claiming.Claim{c}, b.caughtUp().ClaimsOn("REQ-001"))
	_, renewed, err := b.claim(cody, "c1", "REQ-001", 2*time.Hour)
	require.NoError(t, err)
	require.True(t, renewed)
	found, err := b.release(cody, "c1", "REQ-001", "implementation")
	require.NoError(t, err)
	require.True(t, found)
	_, _, err = a.claim(carla, "c2", "REQ-001", time.Hour)
	require.NoError(t, err)
	a.verified()
}

// Verifies: ORC-374
func TestABudgetIsOneForAllReplicas(t *testing.T) {
	const limit = 16 << 10
	a, b := couple(t)
	a.mustImport(twoRequirements)
	b.caughtUp()
	for _, r := range []*rig{a, b} {
		r.ledger.LimitSpending(limit)
	}
	note := fmt.Sprintf(`{"design_spec":{"summary":%q}}`, "a design of some length, as people write them down in one go")
	var refusal error
	n := 0
	for ; refusal == nil; n++ {
		require.Less(t, n, 100)
		_, refusal = []*rig{a, b}[n%2].patch(archy, "REQ-001", note)
	}
	require.ErrorIs(t, refusal, fault.RateLimited)
	require.Greater(t, n, 4)
	for _, r := range []*rig{a, b} {
		_, err := r.patch(archy, "REQ-001", note)
		requireCode(t, err, "log_budget_spent")
		_, spent := r.caughtUp().budget(archy)
		require.GreaterOrEqual(t, spent, uint64(limit))
		require.Less(t, spent, uint64(limit)+4<<10, "both spent the same")
	}
	_, one := a.budget(archy)
	_, two := b.budget(archy)
	require.Equal(t, one, two)
}
