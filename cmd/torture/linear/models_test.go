package linear

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const patience = 10 * time.Second

// step is one request of a written history: from when to when, what, and what came back.
type step[In, Out any] struct {
	sent, told time.Duration
	in         In
	out        *Out
}

func written[In, Out any](steps []step[In, Out]) *Recorder[In, Out] {
	r := &Recorder[In, Out]{}
	for i, s := range steps {
		c := r.Begin(i, s.in)
		if s.out != nil {
			c.End(*s.out)
		}
		c.sent, c.told = s.sent, s.told
	}
	return r
}

func add(note string) Asked { return Asked{Requirement: "A", Note: note} }

var read = Asked{Requirement: "A"}

// Verifies: ORC-386
func TestHistoriesOfARequirement(t *testing.T) {
	first := &Told{Revision: 2}
	for name, c := range map[string]struct {
		want  Verdict
		steps []step[Asked, Told]
	}{
		"a read after a change sees it": {Linearizable, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 3, read, &Told{Revision: 2, Note: "x"}},
		}},
		"a read after a change does not": {Impossible, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 3, read, &Told{Revision: 1}},
		}},
		"a read beside a change need not": {Linearizable, []step[Asked, Told]{
			{0, 5, add("x"), first}, {2, 3, read, &Told{Revision: 1}},
		}},
		"a later read goes back": {Impossible, []step[Asked, Told]{
			{0, 9, add("x"), first}, {2, 3, read, &Told{Revision: 2, Note: "x"}}, {4, 5, read, &Told{Revision: 1}},
		}},
		"one revision is given twice": {Impossible, []step[Asked, Told]{
			{0, 1, add("x"), first}, {0, 1, add("y"), first},
		}},
		"a change without an answer is seen late": {Linearizable, []step[Asked, Told]{
			{0, 0, add("x"), nil}, {2, 3, read, &Told{Revision: 1}}, {4, 5, read, &Told{Revision: 2, Note: "x"}},
		}},
		"a change without an answer is never seen": {Linearizable, []step[Asked, Told]{
			{0, 0, add("x"), nil}, {2, 3, read, &Told{Revision: 1}},
		}},
		"a change without an answer is seen and gone": {Impossible, []step[Asked, Told]{
			{0, 0, add("x"), nil}, {2, 3, read, &Told{Revision: 2, Note: "x"}}, {4, 5, read, &Told{Revision: 1}},
		}},
		"a stale base is refused": {Linearizable, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 3, Asked{"A", "y", 1}, &Told{Refused: true}},
		}},
		"a fresh base is refused": {Impossible, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 3, Asked{"A", "y", 2}, &Told{Refused: true}},
		}},
		"a stale base is taken": {Impossible, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 3, Asked{"A", "y", 1}, &Told{Revision: 3}},
		}},
		"a stale base without an answer changes nothing": {Linearizable, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 0, Asked{"A", "y", 1}, nil}, {4, 5, read, &Told{Revision: 2, Note: "x"}},
		}},
		"requirements are independent": {Linearizable, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 3, Asked{Requirement: "B"}, &Told{Revision: 1}},
		}},
		"another note is shown": {Impossible, []step[Asked, Told]{
			{0, 1, add("x"), first}, {2, 3, read, &Told{Revision: 2, Note: "y"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := Check(Requirements(1), written(c.steps), patience)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want == Impossible, why != "", why)
		})
	}
}

func size(n Size) *Size { return &n }

func TestHistoriesOfALog(t *testing.T) {
	appends, reads := Growth{true}, Growth{}
	for name, c := range map[string]struct {
		want  Verdict
		steps []step[Growth, Size]
	}{
		"a read after an append sees it":   {Linearizable, []step[Growth, Size]{{0, 1, appends, size(7)}, {2, 3, reads, size(7)}}},
		"a read after an append does not":  {Impossible, []step[Growth, Size]{{0, 1, appends, size(7)}, {2, 3, reads, size(6)}}},
		"others have appended":             {Linearizable, []step[Growth, Size]{{0, 1, appends, size(7)}, {2, 3, appends, size(70)}}},
		"one number is given twice":        {Impossible, []step[Growth, Size]{{0, 1, appends, size(7)}, {0, 1, appends, size(7)}}},
		"an append without an answer":      {Linearizable, []step[Growth, Size]{{0, 1, appends, nil}, {2, 3, reads, size(7)}}},
		"a read without an answer is none": {Linearizable, []step[Growth, Size]{{0, 1, reads, nil}, {2, 3, reads, size(7)}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := Check(Log, written(c.steps), patience)
			require.Equal(t, c.want, got)
		})
	}
}

func TestHistoriesOfAStore(t *testing.T) {
	both := [Cells]bool{true, true}
	addBoth, readBoth := Transaction{both, both}, Transaction{Reads: both}
	for name, c := range map[string]struct {
		want  Verdict
		steps []step[Transaction, Counters]
	}{
		"all of an update is seen": {Linearizable, []step[Transaction, Counters]{
			{0, 1, addBoth, &Counters{}}, {2, 3, readBoth, &Counters{1, 1}},
		}},
		"half of an update is seen": {Impossible, []step[Transaction, Counters]{
			{0, 9, addBoth, &Counters{}}, {2, 3, readBoth, &Counters{1, 0}},
		}},
		"two updates read the same": {Impossible, []step[Transaction, Counters]{
			{0, 9, addBoth, &Counters{}}, {0, 9, addBoth, &Counters{}},
		}},
		"what was not read is not compared": {Linearizable, []step[Transaction, Counters]{
			{0, 1, addBoth, &Counters{}}, {2, 3, Transaction{Reads: [Cells]bool{true}}, &Counters{1, 0}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := Check(Store, written(c.steps), patience)
			require.Equal(t, c.want, got)
		})
	}
}

// A request that took no effect is no part of a history.
func TestWhatFailedIsLeftOut(t *testing.T) {
	r := &Recorder[Asked, Told]{}
	r.Begin(1, add("x")).Void()
	r.Begin(1, add("y")).End(Told{Revision: 2})
	r.Begin(1, read).End(Told{Revision: 2, Note: "y"})
	verdict, why := Check(Requirements(1), r, patience)
	require.Equal(t, Linearizable, verdict, why)
}

// What is shown ends with the request that makes a history impossible, and leaves out other requirements.
func TestTheReasonIsShort(t *testing.T) {
	r := &Recorder[Asked, Told]{}
	for i := range 40 {
		r.Begin(1, Asked{Requirement: "B", Note: "b"}).End(Told{Revision: uint64(i + 2)})
		r.Begin(1, add("a")).End(Told{Revision: uint64(i + 2)})
	}
	r.Begin(2, read).End(Told{Revision: 7, Note: "a"})
	r.Begin(3, add("after")).End(Told{Revision: 42})
	sent, answered := r.Len()
	require.Equal(t, []int{82, 82}, []int{sent, answered})
	verdict, why := Check(Requirements(1), r, patience)
	require.Equal(t, Impossible, verdict)
	require.NotContains(t, why, "B")
	require.NotContains(t, why, "after")
	require.Contains(t, why, "{Revision:7 Note:a Refused:false}")
}

// A long history is checked in pieces, and what is wrong across two of them is found.
func TestALongHistoryIsCheckedInPieces(t *testing.T) {
	long := func(last Told) (Verdict, string) {
		r := &Recorder[Asked, Told]{}
		for i := range 50 * leastPiece {
			r.Begin(i%8, add("a")).End(Told{Revision: uint64(i + 2)})
		}
		r.Begin(1, read).End(last)
		return Check(Requirements(1), r, patience)
	}
	verdict, why := long(Told{Revision: 50*leastPiece + 1, Note: "a"})
	require.Equal(t, Linearizable, verdict, why)
	verdict, _ = long(Told{Revision: 50 * leastPiece, Note: "a"})
	require.Equal(t, Impossible, verdict)
	verdict, _ = long(Told{Revision: leastPiece, Note: "a"})
	require.Equal(t, Impossible, verdict)
}
