package hook

import "time"

// How long a hook waits between tries, and how long it tries.
const (
	firstWait = 5 * time.Second
	longWait  = time.Hour
	Patience  = 24 * time.Hour // after which a message that fails is given up
)

// Backoff returns how long to wait after a number of tries that failed, one after the other: 5 seconds at first, then
// twice as long each time, up to an hour, and up to a fifth more or less, so that not all come back at once. random
// is between 0 and 1. What the receiver asks for is waited for, up to an hour.
//
// Implements: ORC-323
func Backoff(tries int, random float64, asked time.Duration) time.Duration {
	wait := longWait
	if tries = max(tries, 1); tries < 12 {
		wait = min(firstWait<<(tries-1), longWait)
	}
	wait = time.Duration(float64(wait) * (0.8 + 0.4*random))
	return max(wait, min(asked, longWait))
}
