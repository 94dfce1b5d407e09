// Package queue holds what waits for the one goroutine of a store that commits.
package queue

import "sync"

// Queue holds items in the order in which they came. It is safe for concurrent use.
type Queue[T any] struct {
	mu      sync.Mutex
	filled  sync.Cond
	waiting []T
	closed  bool
}

// New returns an empty queue.
func New[T any]() *Queue[T] {
	q := &Queue[T]{}
	q.filled.L = &q.mu
	return q
}

// Add appends an item, and reports false if the queue is closed.
func (q *Queue[T]) Add(item T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, item)
	q.filled.Signal()
	return true
}

// Take waits for items and moves them all to the end of into, which must be empty or nobody is waited for. It returns an
// empty slice when the queue is closed and all is taken.
func (q *Queue[T]) Take(into []T) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(into)+len(q.waiting) == 0 && !q.closed {
		q.filled.Wait()
	}
	return q.takeLocked(into)
}

// TakeNow moves all items that wait now to the end of into.
func (q *Queue[T]) TakeNow(into []T) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.takeLocked(into)
}

func (q *Queue[T]) takeLocked(into []T) []T {
	into = append(into, q.waiting...)
	clear(q.waiting)
	q.waiting = q.waiting[:0]
	return into
}

// Len returns how many items wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Close closes the queue: what waits can still be taken, and nothing is added any more.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Signal()
}
