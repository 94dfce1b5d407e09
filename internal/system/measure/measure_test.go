package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var kept []byte

func TestWaitingCostsNoProcessorTime(t *testing.T) {
	sum := 0
	busy := CPU(3, func() {
		for i := range 20_000_000 {
			sum += i
		}
	})
	idle := CPU(3, func() { time.Sleep(50 * time.Millisecond) })
	require.NotZero(t, sum)
	require.Less(t, 5*idle, busy)
}

func TestAllocatedCountsBytes(t *testing.T) {
	got := Allocated(func() { kept = make([]byte, 10<<20) })
	require.GreaterOrEqual(t, got, uint64(10<<20))
	require.Less(t, got, uint64(12<<20))
	require.Len(t, kept, 10<<20)
}
