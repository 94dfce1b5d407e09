package hook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
)

// Whatever an operator wants sent again, each record of it is due once before any other, and in order.
//
// Verifies: ORC-324
func TestAgainIsInOrderAndOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Progress{Next: 50}
		wanted := map[uint64]bool{}
		for range rapid.IntRange(1, 6).Draw(t, "replays") {
			from := rapid.Uint64Range(0, 49).Draw(t, "from")
			to := rapid.Uint64Range(from, 49).Draw(t, "to")
			if rapid.Bool().Draw(t, "since") {
				to = 49
				require.NoError(t, p.Replay(from))
			} else {
				p.Dead = append(p.Dead, Dead{Span: Span{from, to}, Count: 1})
				_, err := p.ReplayDead()
				require.NoError(t, err)
			}
			for n := from; n <= to; n++ {
				wanted[n] = true
			}
		}
		var last uint64
		for seen := 0; len(wanted) > 0; seen++ {
			from, until := p.Due()
			require.True(t, seen == 0 || from > last, "%d after %d", from, last)
			require.True(t, wanted[from], "%d", from)
			last = rapid.Uint64Range(from, until-1).Draw(t, "passed")
			p.Pass(from, last)
			for n := from; n <= last; n++ {
				delete(wanted, n)
			}
		}
		from, _ := p.Due()
		require.EqualValues(t, 50, from)
		require.Empty(t, p.Again)
	})
}

// What an operator adds while a span is sent again is not lost by what is passed.
func TestPassingTakesAwayNoMore(t *testing.T) {
	p := Progress{Next: 30, Again: []Span{{10, 20}}}
	p.Pass(10, 12)
	require.NoError(t, p.Replay(3))
	require.Equal(t, []Span{{3, 29}}, p.Again)
	p.Pass(13, 14) // which was under way
	require.Equal(t, []Span{{3, 12}, {15, 29}}, p.Again)
	p.Pass(3, 12)
	require.Equal(t, []Span{{15, 29}}, p.Again)
	p.Pass(15, 29)
	require.Empty(t, p.Again)
	require.EqualValues(t, 30, p.Next)
	p.Pass(30, 34)
	require.EqualValues(t, 35, p.Next)
}

func TestNothingToReplay(t *testing.T) {
	p := Progress{Next: 5}
	err := p.Replay(5)
	require.True(t, fault.Is(err, CodeNothing))
	require.NoError(t, p.Replay(4))
	_, err = p.ReplayDead()
	require.True(t, fault.Is(err, CodeNothing))
}

// Verifies: ORC-323
func TestHopeless(t *testing.T) {
	p := Progress{}
	require.False(t, p.Hopeless(noon.Add(-48*time.Hour), noon), "nothing has failed")
	p.Failed("no", noon)
	for _, c := range []struct {
		recorded, failing time.Duration
		is                bool
	}{{24 * time.Hour, 24 * time.Hour, true}, {24*time.Hour - 1, 24 * time.Hour, false}, {48 * time.Hour, 24*time.Hour - 1, false}} {
		now := noon.Add(c.failing)
		require.Equal(t, c.is, p.Hopeless(now.Add(-c.recorded), now), "%+v", c)
	}
	p.Failed("again", noon.Add(time.Hour))
	require.Equal(t, Failing{noon, 2, "again"}, *p.Failing)
	p.Pass(0, 3)
	p.Arrived(1, noon.Add(2*time.Hour))
	require.Nil(t, p.Failing)
	require.EqualValues(t, 4, p.Next)
	require.EqualValues(t, 1, p.Sent)
}

// Dead letters between which nothing arrived are one span; what arrived stands between two.
func TestSpansOfDeadLetters(t *testing.T) {
	p := Progress{}
	p.Failed("no", noon)
	p.GiveUp(3, "no", noon)
	p.GiveUp(7, "gone", noon.Add(time.Second))
	require.Equal(t, []Dead{{Span{3, 7}, 2, "gone", noon.Add(time.Second)}}, p.Dead)
	p.Arrived(1, noon.Add(2*time.Second))
	p.Failed("no", noon.Add(3*time.Second))
	p.GiveUp(9, "no", noon.Add(4*time.Second))
	require.Len(t, p.Dead, 2)
	p.GiveUp(2, "no", noon.Add(5*time.Second)) // of those sent again
	require.Len(t, p.Dead, 3)
	require.EqualValues(t, 4, p.Letters())
	require.EqualValues(t, 10, p.Next)

	for n := uint64(10); n < 500; n += 2 {
		p.Arrived(1, noon)
		p.Failed("no", noon.Add(time.Duration(n)*time.Second))
		p.GiveUp(n+1, "no", noon.Add(time.Duration(n)*time.Second))
	}
	require.Len(t, p.Dead, mostDead)
	require.EqualValues(t, 4+245, p.Letters(), "none is lost")
	require.EqualValues(t, 2, p.Dead[0].From)
	n, err := p.ReplayDead()
	require.NoError(t, err)
	require.EqualValues(t, 249, n)
	from, _ := p.Due()
	require.EqualValues(t, 2, from)
}

func TestWithin(t *testing.T) {
	p := Progress{Next: 5, Again: []Span{{1, 2}}}
	require.True(t, p.Within(5))
	require.NotEmpty(t, p.Again)
	require.False(t, p.Within(4))
	require.Equal(t, Progress{Next: 4}, p)
}
