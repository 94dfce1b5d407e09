// Package ahead does pieces of work beside who takes what comes of them.
package ahead

import (
	"iter"
	"sync"
)

// Of returns what do makes of each piece, in their order. One piece is under way while what came of the one before it
// is taken, and two at a time where it is waited for; sparingly, one alone, and only where it is waited for. None is
// when the loop has ended, and a panic of do is one of the loop.
func Of[T, R any](pieces []T, sparingly bool, do func(T) R) iter.Seq[R] {
	if sparingly {
		return inTurn(pieces, do)
	}
	return func(yield func(R) bool) {
		results := make(chan chan result[R], 1) // the first of them is waited for, the next one under way
		ended := make(chan struct{})
		var running sync.WaitGroup
		defer running.Wait()
		defer close(ended)
		running.Go(func() {
			defer close(results)
			for _, piece := range pieces {
				made := make(chan result[R], 1)
				select {
				case results <- made:
				case <-ended:
					return
				}
				running.Go(func() { made <- try(func() R { return do(piece) }) })
			}
		})
		for made := range results {
			if !yield((<-made).get()) {
				return
			}
		}
	}
}

func inTurn[T, R any](pieces []T, do func(T) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		for _, piece := range pieces {
			if !yield(do(piece)) {
				return
			}
		}
	}
}

// Begin calls do on a goroutine of its own. The function wait returns what do returned, or panics as do did.
func Begin[R any](do func() R) (wait func() R) {
	made := make(chan result[R], 1)
	go func() { made <- try(do) }()
	return sync.OnceValue(func() R { return (<-made).get() })
}

// result is what came of a piece.
type result[R any] struct {
	value    R
	panicked any
}

func (r result[R]) get() R {
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.value
}

func try[R any](do func() R) (r result[R]) {
	defer func() { r.panicked = recover() }()
	r.value = do()
	return r
}
