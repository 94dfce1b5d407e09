package folding

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
)

// replicas are the counters of several processes that serve one log. Their clocks differ.
type replicas struct {
	ledger   *ledger.Ledger
	now      time.Time // of the log
	all      []*Refusals
	skews    []time.Duration
	answered map[string]int // by actor and code
}

const kindRefused = "refused"

// errAgain ends a run of a transaction that is run again.
var errAgain = errors.New("again")

func newReplicas(t require.TestingT, skews ...time.Duration) *replicas {
	r := &replicas{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), skews: skews, answered: map[string]int{}}
	var err error
	r.ledger, err = ledger.Open(context.Background(), store.NewMemory(), func() time.Time { return r.now })
	require.NoError(t, err)
	for n := range skews {
		r.all = append(r.all, New(nil, fmt.Sprint("replica", n)))
	}
	return r
}

// on runs something by the clock of a replica.
func (r *replicas) on(n int, do func()) {
	r.now = r.now.Add(r.skews[n])
	do()
	r.now = r.now.Add(-r.skews[n])
}

// refuse has a replica refuse a request. A transaction may run more than once, and fail.
func (r *replicas) refuse(t require.TestingT, n int, actor, code string, again bool, failure error) (folded bool) {
	event := ledger.Event{Kind: kindRefused, Actor: audit.Actor{Name: actor, Role: "coder"}, Data: code}
	kind, place := record.RefusalKind{Request: "PATCH", Code: fault.Code(code)}, &Ticket{}
	run := func(failure error) error {
		return r.ledger.Update(context.Background(), func(tx *ledger.Tx) (err error) {
			if folded, err = r.all[n].Fold(tx, place, kind, event); err == nil && !folded {
				err = tx.Append(event)
			}
			return errors.Join(err, failure)
		})
	}
	var err error
	r.on(n, func() {
		if again {
			require.ErrorIs(t, run(errAgain), errAgain)
		}
		err = run(failure)
	})
	r.all[n].Settle(place, err)
	require.ErrorIs(t, err, failure)
	if err == nil {
		r.answered[actor+" "+code]++
	}
	return folded
}

// account has a replica account for what is over.
func (r *replicas) account(t require.TestingT, n int) {
	var err error
	r.on(n, func() { err = r.all[n].Account(context.Background(), r.ledger, r.now) })
	require.NoError(t, err)
}

// records reads what the log has of refusals: records by actor and code, and the sums.
func (r *replicas) records(t require.TestingT) (single map[string][]audit.Record, sums []record.RefusalsFolded) {
	single = map[string][]audit.Record{}
	require.NoError(t, r.ledger.View(context.Background(), func(from store.Reader) error {
		for seq := range r.ledger.Head().Size {
			_, rec, err := ledger.RecordAt(from, seq)
			require.NoError(t, err)
			switch rec.Kind {
			case kindRefused:
				code, err := ledger.DataOf[string](from, rec)
				require.NoError(t, err)
				single[rec.Actor.Name+" "+code] = append(single[rec.Actor.Name+" "+code], rec)
			case record.KindFolded:
				sum, err := ledger.DataOf[record.RefusalsFolded](from, rec)
				require.NoError(t, err)
				sums = append(sums, sum)
			}
		}
		return nil
	}))
	return single, sums
}

// check holds the log against what was answered: each refusal is a record or in one sum.
func (r *replicas) check(t require.TestingT) {
	single, sums := r.records(t)
	found, seen := map[string]int{}, map[string]bool{}
	for of, all := range single {
		found[of] = len(all)
	}
	for _, sum := range sums {
		of := sum.Actor.Name + " " + string(sum.Code)
		found[of] += int(sum.Count)
		key := fmt.Sprint(sum.Recorded[0], sum.Replica)
		require.False(t, seen[key], "one sum of a window for each replica")
		seen[key] = true
		require.Len(t, sum.Recorded, record.RecordedEach)
		require.True(t, slices.IsSorted(sum.Recorded))
		require.False(t, sum.To.Before(sum.From) || sum.To.Sub(sum.From) >= record.FoldWindow)
		for i, seq := range sum.Recorded {
			at := slices.IndexFunc(single[of], func(one audit.Record) bool { return one.Seq == seq })
			require.GreaterOrEqual(t, at, 0, "its records are such refusals")
			passed := single[of][at].At.Sub(sum.From)
			require.Less(t, passed.Abs(), record.FoldWindow)
			require.False(t, i == 0 && passed != 0)
		}
	}
	require.Equal(t, r.answered, found)
}

// Verifies: ORC-373
func TestReplicasFoldTogether(t *testing.T) {
	r := newReplicas(t, 0, 0)
	for n := range 50 {
		require.Equal(t, n >= record.RecordedEach, r.refuse(t, n%2, "cody", "gate_unmet", false, nil))
	}
	single, sums := r.records(t)
	require.Len(t, single["cody gate_unmet"], record.RecordedEach, "of both together")
	require.Empty(t, sums)
	r.account(t, 0)
	r.now = r.now.Add(record.FoldWindow)
	for n := range 2 {
		r.account(t, n)
		r.account(t, n)
	}
	_, sums = r.records(t)
	require.Len(t, sums, 1, "the second has not looked at its window before")
	r.now = r.now.Add(record.FoldWindow)
	for n := range 2 {
		r.account(t, n)
	}
	_, sums = r.records(t)
	require.Len(t, sums, 2)
	require.EqualValues(t, 15, sums[0].Count)
	require.EqualValues(t, 15, sums[1].Count)
	require.NotEqual(t, sums[0].Replica, sums[1].Replica)
	r.check(t)
	require.False(t, r.refuse(t, 1, "cody", "gate_unmet", false, nil), "a new minute begins with records")
}

// TestOneReplicaFoldsForAnother: the counter alone is shared, not what is counted.
func TestOneReplicaFoldsForAnother(t *testing.T) {
	r := newReplicas(t, 0, 0)
	for range record.RecordedEach {
		require.False(t, r.refuse(t, 0, "cody", "gate_unmet", false, nil))
	}
	require.True(t, r.refuse(t, 1, "cody", "gate_unmet", false, nil))
	require.False(t, r.refuse(t, 1, "archy", "gate_unmet", false, nil), "another actor")
	require.False(t, r.refuse(t, 1, "cody", "field_forbidden", false, nil), "another kind")
	require.EqualValues(t, 0, r.all[0].Total())
	require.EqualValues(t, 1, r.all[1].Total())
	r.all[1].close()
	require.False(t, r.refuse(t, 1, "cody", "gate_unmet", false, nil), "nobody would account for it")
	r.account(t, 1)
	require.True(t, r.refuse(t, 0, "cody", "gate_unmet", false, nil))
	r.all[0].close()
	r.account(t, 0)
	r.check(t)
}

// TestALateTransactionIsRecorded: it was dated within a window that is accounted for since.
func TestALateTransactionIsRecorded(t *testing.T) {
	r := newReplicas(t, 0)
	for range record.RecordedEach + 1 {
		r.refuse(t, 0, "cody", "gate_unmet", false, nil)
	}
	r.account(t, 0)
	r.now = r.now.Add(record.FoldWindow)
	r.account(t, 0)
	r.now = r.now.Add(-time.Second)
	require.False(t, r.refuse(t, 0, "cody", "gate_unmet", false, nil))
	r.all[0].close()
	r.account(t, 0)
	r.check(t)
}

// TestAWindowEndsByTheClockThatBeganIt: that of another replica may be behind.
func TestAWindowEndsByTheClockThatBeganIt(t *testing.T) {
	r := newReplicas(t, 0, -20*time.Second)
	for range record.RecordedEach {
		r.refuse(t, 0, "cody", "gate_unmet", false, nil)
	}
	require.True(t, r.refuse(t, 1, "cody", "gate_unmet", false, nil))
	r.account(t, 1)
	r.now = r.now.Add(record.FoldWindow)
	r.account(t, 1)
	require.True(t, r.refuse(t, 1, "cody", "gate_unmet", false, nil), "it is not over for this one")
	r.now = r.now.Add(record.FoldWindow)
	r.account(t, 1)
	r.check(t)
}

// TestKindsShareASlot: what an actor can make the store keep is bounded.
func TestKindsShareASlot(t *testing.T) {
	actor := audit.Actor{Name: "cody", Role: "coder"}
	slots := map[string]bool{}
	for n := range 10 * MaxWindows {
		slots[slotOf(actor, record.RefusalKind{Request: fmt.Sprint("PATCH ", n), Code: "x"})] = true
	}
	require.LessOrEqual(t, len(slots), MaxWindows)
	require.Greater(t, len(slots), MaxWindows*9/10)
	require.NotContains(t, slots, slotOf(actor, record.RefusalKind{}))
	require.NotEqual(t, slotOf(actor, record.RefusalKind{Request: "ab", Code: "c"}),
		slotOf(actor, record.RefusalKind{Request: "a", Code: "bc"}))

	first, second := "code0", ""
	of := func(code string) string {
		return slotOf(actor, record.RefusalKind{Request: "PATCH", Code: fault.Code(code)})
	}
	for n := 1; second == ""; n++ {
		if code := fmt.Sprint("code", n); of(code) == of(first) {
			second = code
		}
	}
	r := newReplicas(t, 0)
	for range record.RecordedEach + 3 {
		r.refuse(t, 0, "cody", first, false, nil)
		r.refuse(t, 0, "cody", second, false, nil)
	}
	require.EqualValues(t, 6, r.all[0].Total())
	r.all[0].close()
	r.account(t, 0)
	_, sums := r.records(t)
	require.Len(t, sums, 2)
	codes := map[fault.Code]uint64{sums[0].Code: sums[0].Count, sums[1].Code: sums[1].Count}
	require.Equal(t, map[fault.Code]uint64{fault.Code(first): 3, "": 3}, codes, "it has no code where kinds share it")
}

// TestReplicasFoldAsOneWould: at random, with clocks that differ, transactions that run twice or fail, and replicas that
// account late.
//
// Verifies: ORC-373
func TestReplicasFoldAsOneWould(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		skew := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(-20, 20).Draw(rt, name)) * time.Second
		}
		r := newReplicas(rt, 0, skew("skew of 1"), skew("skew of 2"))
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			n := rapid.IntRange(0, 2).Draw(rt, "replica")
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				r.now = r.now.Add(time.Duration(rapid.IntRange(0, 90).Draw(rt, "seconds")) * time.Second)
			case 1:
				r.account(rt, n)
			default:
				actor := rapid.SampledFrom([]string{"cody", "archy"}).Draw(rt, "actor")
				code := rapid.SampledFrom([]string{"gate_unmet", "field_forbidden"}).Draw(rt, "code")
				again := rapid.Bool().Draw(rt, "again")
				var failure error
				if rapid.IntRange(0, 9).Draw(rt, "fails") == 0 {
					failure = context.DeadlineExceeded
				}
				for range rapid.IntRange(1, 25).Draw(rt, "times") {
					r.now = r.now.Add(time.Millisecond)
					r.refuse(rt, n, actor, code, again, failure)
				}
			}
		}
		for n, one := range r.all {
			one.close()
			r.account(rt, n)
			require.Empty(rt, slices.Collect(maps.Keys(one.Open())))
		}
		r.check(rt)
	})
}
