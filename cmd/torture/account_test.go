package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// accountOf has one change of the outcome, acknowledged as revision 5 if it was.
func accountOf(o outcome) *account {
	a := &account{}
	c := &change{mark: "m", requirement: "REQ-001"}
	a.enter(c)
	if o != unknown {
		a.close(c, o, 5)
	}
	return a
}

func TestSettle(t *testing.T) {
	here, later, elsewhere := place{"REQ-001", 5}, place{"REQ-001", 6}, place{"REQ-002", 5}
	acknowledged := func(c counts) counts { c.Changes, c.Acknowledged = 1, 1; return c }
	for _, c := range []struct {
		name    string
		outcome outcome
		found   []place
		want    counts
		finding string
	}{
		{"acknowledged and there", accepted, []place{here}, acknowledged(counts{}), ""},
		{"acknowledged and lost", accepted, nil, acknowledged(counts{Lost: 1}), "lost"},
		{"acknowledged and twice", accepted, []place{here, later}, acknowledged(counts{Wrong: 1}), "more than once"},
		{"acknowledged as another revision", accepted, []place{later}, acknowledged(counts{Wrong: 1}), "elsewhere"},
		{"acknowledged for another requirement", accepted, []place{elsewhere}, acknowledged(counts{Wrong: 1}), "elsewhere"},
		{"refused and not there", refused, nil, counts{Changes: 1}, ""},
		{"refused and there", refused, []place{here}, counts{Changes: 1, Wrong: 1}, "refused"},
		{"unknown and not there", unknown, nil, counts{Changes: 1}, ""},
		{"unknown and there", unknown, []place{later}, counts{Changes: 1, Unacknowledged: 1}, ""},
		{"unknown and twice", unknown, []place{here, later}, counts{Changes: 1, Wrong: 1}, "more than once"},
		{"unknown and for another requirement", unknown, []place{elsewhere}, counts{Changes: 1, Wrong: 1}, "elsewhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, found := accountOf(c.outcome), map[string][]place{}
			if c.found != nil {
				found["m"] = c.found
			}
			for range 2 { // the second look counts nothing again
				findings := a.settle(found)
				require.Equal(t, c.want, a.tally())
				if c.finding != "" {
					require.Len(t, findings, 1)
					require.Contains(t, findings[0], c.finding)
				} else {
					require.Empty(t, findings)
				}
				c.finding = ""
			}
		})
	}
}

func TestANoteThatNobodyAskedFor(t *testing.T) {
	a := accountOf(accepted)
	found := map[string][]place{"m": {{"REQ-001", 5}}, "another": {{"REQ-002", 2}}}
	require.Len(t, a.settle(found), 1)
	require.Empty(t, a.settle(found))
	require.Equal(t, counts{Changes: 1, Acknowledged: 1, Wrong: 1}, a.tally())
}

// A change that survived a crash is found as such, is answered when it is sent again, and must stay.
func TestAChangeIsResolved(t *testing.T) {
	a := accountOf(unknown)
	found := map[string][]place{"m": {{"REQ-001", 5}}}
	require.Empty(t, a.settle(found))
	for _, c := range a.unresolved() {
		a.close(c, accepted, 5)
	}
	require.Empty(t, a.unresolved())
	require.Empty(t, a.settle(found))
	require.Equal(t, counts{Changes: 1, Acknowledged: 1, Unacknowledged: 1}, a.tally())
	require.Len(t, a.settle(nil), 1, "it is lost later")
	require.Equal(t, counts{Changes: 1, Acknowledged: 1, Unacknowledged: 1, Lost: 1}, a.tally())
}

func TestWhatCannotBeReadIsLost(t *testing.T) {
	a := accountOf(accepted)
	a.forfeit()
	a.forfeit()
	require.Equal(t, counts{Changes: 1, Acknowledged: 1, Lost: 1}, a.tally())
	require.Equal(t, counts{Changes: 2, Acknowledged: 2, Lost: 2}, a.tally().plus(a.tally()))
}
