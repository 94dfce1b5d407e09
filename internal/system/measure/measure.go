// Package measure says what a piece of work costs without a look at the clock, for tests that bound it: on a machine
// that is busy with other things the clock goes on while the work waits.
//
// Processor time is to be compared with that of other work in the same run, by a wide factor; bytes are the same on
// every machine, or nearly so.
package measure

import (
	"math"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the processor time of work, which must not be done by other goroutines. Of several times that it is done,
// the quickest counts: once is enough where only much more than that would matter.
func CPU(times int, work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(math.MaxInt64)
	for range times {
		before := spent()
		work()
		least = min(least, spent()-before)
	}
	return least
}

// spent returns the time that processors have spent on this thread.
func spent() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		panic(err) // never: every system that the product runs on has this clock
	}
	return time.Duration(at.Nano())
}

// Allocated returns how many bytes are allocated while work is done, by whomever.
func Allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
