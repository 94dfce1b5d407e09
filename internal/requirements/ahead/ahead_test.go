package ahead

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What comes of the pieces comes in their order, however long each takes, and as if one were done after the other.
func TestResultsComeInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 20).Draw(rt, "pieces")
		sparingly := rapid.Bool().Draw(rt, "sparingly")
		most := rapid.IntRange(0, 25).Draw(rt, "most")
		synctest.Test(t, func(t *testing.T) {
			var under, highest atomic.Int32
			got := []int{}
			for r := range Of(pieces, sparingly, func(takes int) int {
				highest.Store(max(highest.Load(), under.Add(1)))
				defer under.Add(-1)
				time.Sleep(time.Duration(takes) * time.Second)
				return -takes
			}) {
				if len(got) == most {
					break
				}
				got = append(got, r)
			}
			require.Zero(t, under.Load(), "none is under way when the loop has ended")
			require.LessOrEqual(t, highest.Load(), map[bool]int32{true: 1, false: 2}[sparingly])
			want := slices.Clone(pieces[:min(most, len(pieces))])
			for i := range want {
				want[i] = -want[i]
			}
			require.Equal(t, want, append([]int{}, got...))
		})
	})
}

func TestTwoPiecesAreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		for range Of([]int{1, 1, 1, 1}, false, func(takes int) int {
			time.Sleep(time.Duration(takes) * time.Second)
			return takes
		}) {
			continue
		}
		require.Equal(t, 2*time.Second, time.Since(begun))
	})
}

// A panic is one of who takes the results.
func TestAPanicIsOneOfTheLoop(t *testing.T) {
	var taken []int
	require.PanicsWithValue(t, "3", func() {
		for r := range Of([]int{1, 2, 3, 4}, false, func(n int) int {
			if n == 3 {
				panic("3")
			}
			return n
		}) {
			taken = append(taken, r)
		}
	})
	require.Equal(t, []int{1, 2}, taken)
}

// What is begun is done beside its caller, and a panic is one of who waits.
func TestWhatIsBegunIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		wait := Begin(func() string {
			time.Sleep(time.Second)
			return "done"
		})
		time.Sleep(time.Second)
		require.Equal(t, "done", wait())
		require.Equal(t, time.Second, time.Since(begun))
	})
	wait := Begin(func() string { panic("no") })
	require.PanicsWithValue(t, "no", func() { wait() })
}
