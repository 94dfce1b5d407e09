package order

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
)

func commit(size uint64) *Commit {
	return &Commit{Head: audit.Head{Size: size}, Records: make([]audit.Record, 1), Number: size}
}

func TestNothingWaitsForEver(t *testing.T) {
	var accounted []uint64
	p := New(func(c Commit) { accounted = append(accounted, c.Head.Size) })
	var publishing sync.WaitGroup
	for size := range uint64(100) {
		publishing.Go(func() {
			if err := p.Publish(commit(size + 1)); err != nil {
				t.Error(err)
			}
		})
	}
	publishing.Wait()
	require.Empty(t, p.waiting)
	require.Len(t, accounted, 100)
	require.IsIncreasing(t, accounted)
	require.Equal(t, uint64(100), p.Place().Number)
	require.Equal(t, p.at.Head, p.Head())
}

func TestAMergedCommitTakesThePlaceOfItsParts(t *testing.T) {
	p := New(func(Commit) {})
	var told []Commit
	require.NoError(t, p.Follow(Follower{Told: func(batch []Commit) { told = append(told, batch...) }},
		func() (Place, error) { return Place{audit.Head{Size: 1}, 1}, nil }))
	at, _, claimed := p.Claim(func(at Place) bool { return at.Number == 1 })
	require.True(t, claimed)
	require.Equal(t, uint64(1), at.Head.Size)
	_, _, again := p.Claim(func(Place) bool { return true })
	require.False(t, again, "one at a time")

	object := new(int)
	mine := commit(3) // behind one of another process
	mine.Writes = []Write{{"t", "a", []byte("1"), object}, {"t", "b", []byte("old"), object}}
	after := commit(4)
	outcomes := make(chan error, 2)
	for _, c := range []*Commit{mine, after} {
		require.True(t, p.wait(c.Head.Size-1, c))
		go func() { outcomes <- p.Await(c.Head.Size) }()
	}
	merged := commit(3)
	merged.Records = make([]audit.Record, 2)
	merged.Writes = []Write{{"t", "a", []byte("1"), nil}, {"t", "b", []byte("new"), nil}}
	p.TakeOver(merged)
	require.NoError(t, <-outcomes)
	require.NoError(t, <-outcomes)
	require.Empty(t, p.waiting)
	require.Len(t, told, 2, "the merged one, and the one after it")
	require.Equal(t, []Write{{"t", "a", []byte("1"), object}, {"t", "b", []byte("new"), nil}}, told[0].Writes)
	require.NoError(t, p.Publish(mine), "it was told already")
	require.Len(t, told, 2)
	require.Empty(t, p.waiting, "or it would be kept for ever")

	_, _, claimed = p.Claim(func(at Place) bool { return at.Number == 4 })
	require.True(t, claimed)
	p.TakeOver(commit(5))
	require.Equal(t, Place{audit.Head{Size: 5}, 5}, p.Place())
}

func TestWhoWaitsIsToldWhatHinders(t *testing.T) {
	p := New(func(Commit) {})
	errLost, errDisk := errors.New("lost"), errors.New("disk")
	outcome := make(chan error, 2)
	go func() { outcome <- p.Await(1) }()
	go func() { outcome <- p.Reach(t.Context(), 1) }()
	<-p.Wanted()
	p.Lose(errLost)
	require.ErrorIs(t, <-outcome, errLost)
	require.ErrorIs(t, <-outcome, errLost)
	p.Lose(nil)
	require.NoError(t, p.Publish(commit(1)))
	require.NoError(t, p.Reach(t.Context(), 1))
	grown := p.Grown(1)
	p.Stop(errDisk)
	p.Stop(errLost)
	<-grown
	<-p.Failed()
	require.ErrorIs(t, p.Err(), errDisk, "the first cause")
	require.ErrorIs(t, p.Await(2), errDisk)
	_, _, claimed := p.Claim(func(Place) bool { return true })
	require.False(t, claimed)
}

func TestAFollowerThatCannotLoadChangesNothing(t *testing.T) {
	p := New(func(Commit) {})
	told := 0
	follower := Follower{Told: func(batch []Commit) { told += len(batch) }}
	require.NoError(t, p.Follow(follower, func() (Place, error) { return Place{audit.Head{Size: 2}, 2}, nil }))
	errLoad := errors.New("it cannot be read")
	require.ErrorIs(t, p.Follow(Follower{}, func() (Place, error) { return Place{}, errLoad }), errLoad)
	require.Equal(t, Place{audit.Head{Size: 2}, 2}, p.Place())
	require.NoError(t, p.Publish(commit(3)), "nobody else is kept from publishing")
	require.Equal(t, 1, told)
}
