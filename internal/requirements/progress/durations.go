package progress

import (
	"slices"

	"orchestrator/internal/rules/lifecycle"
)

// statuses are in the order of the lifecycle.
var statuses = lifecycle.Statuses()

// The places of durations: one for each status, and one more for the way to done.
const (
	ofCycle = 13
	places  = ofCycle + 1
)

// placeOf returns the place of a status.
func placeOf(s lifecycle.Status) int { return slices.Index(statuses, s) }

// stay is for how long a requirement was in the status of a place.
type stay struct {
	place   int
	seconds int64
}

// durations are those that have ended, by place, the shortest first.
type durations struct{ of [places][]int64 }

// change is what durations come or go.
type change struct{ of [places][]int64 }

func (c *change) add(l *line) {
	for _, s := range l.stays {
		c.of[s.place] = append(c.of[s.place], s.seconds)
	}
	if l.cycle != nil {
		c.of[ofCycle] = append(c.of[ofCycle], l.cycle.seconds())
	}
}

// apply takes over what comes and goes, at the cost of one pass through the places that this concerns.
func (d *durations) apply(come, gone change) {
	for place := range d.of {
		in, out := come.of[place], gone.of[place]
		if len(in)+len(out) > 0 {
			slices.Sort(in)
			slices.Sort(out)
			d.of[place] = merged(d.of[place], in, out)
		}
	}
}

// merged returns sorted durations with some more, and without some that are among them.
func merged(all, in, out []int64) []int64 {
	next := make([]int64, 0, len(all)+len(in)-len(out))
	for _, n := range all {
		if len(out) > 0 && out[0] == n {
			out = out[1:]
			continue
		}
		for len(in) > 0 && in[0] < n {
			next, in = append(next, in[0]), in[1:]
		}
		next = append(next, n)
	}
	return append(next, in...)
}

// Ranks in percent.
const (
	median = 50
	p90    = 90
)

// rank returns the duration that so many percent do not exceed; nil where there is none.
func (d *durations) rank(place, percent int) *int64 {
	all := d.of[place]
	if len(all) == 0 {
		return nil
	}
	return &all[(len(all)*percent+99)/100-1]
}

// best keeps the first of many in an order; of equals, those that were added first.
type best[T any] struct {
	most   int
	before func(a, b T) bool
	list   []T
}

func (b *best[T]) add(v T) {
	if len(b.list) == b.most && !b.before(v, b.list[b.most-1]) {
		return
	}
	at, _ := slices.BinarySearchFunc(b.list, v, func(has, v T) int {
		if b.before(v, has) {
			return 1
		}
		return -1
	})
	if len(b.list) == b.most {
		b.list = b.list[:b.most-1]
	}
	b.list = slices.Insert(b.list, at, v)
}
