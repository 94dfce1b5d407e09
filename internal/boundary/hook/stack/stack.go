// Package stack has the stack of the first goroutine grow once to what judging a call takes. It would be copied five
// times otherwise, a tenth of all the time that a call takes. The package imports nothing, so that it begins before
// nearly all others, while there is hardly anything on the stack.
package stack

var _ = grow()

// from is 0, which the compiler does not know: it makes the room, and nothing touches it.
var from int

//go:noinline
func grow() byte {
	if from == 0 {
		return 0
	}
	var room [20 << 10]byte
	return room[from]
}
