package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// Grows does what Check does with Log, for histories of any length: the sizes that answers name leave one order only,
// and it remains to be seen whether time allows that order.
func Grows(r *Recorder[Growth, Size]) (Verdict, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := slices.DeleteFunc(slices.Clone(r.calls), func(c *Call[Growth, Size]) bool { return c.void || !c.answered })
	slices.SortFunc(calls, func(a, b *Call[Growth, Size]) int {
		return cmp.Or(cmp.Compare(a.out, b.out), compareAppends(a.in, b.in), cmp.Compare(a.sent, b.sent))
	})
	var before, latest *Call[Growth, Size] // in this order; the latest that was sent
	for _, c := range calls {
		if c.in.Appends && (c.out == 0 || before != nil && before.in.Appends && before.out == c.out) {
			return Impossible, fmt.Sprintf("%v\n%v\n", before, c)
		}
		if latest != nil && c.told < latest.sent {
			return Impossible, fmt.Sprintf("%v\n%v\n", c, latest)
		}
		if before = c; latest == nil || c.sent > latest.sent {
			latest = c
		}
	}
	return Linearizable, ""
}

// compareAppends orders an append before the reads that see it last.
func compareAppends(a, b Growth) int {
	switch {
	case a.Appends == b.Appends:
		return 0
	case a.Appends:
		return -1
	}
	return 1
}
