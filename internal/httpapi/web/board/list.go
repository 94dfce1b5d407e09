package board

import (
	"net/url"
	"strconv"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/requirements/lookup"
)

// listed is one page of the requirements of a status.
type listed struct {
	group
	First, Last, Total int    // which of all it shows, from 1 on
	Begin, Next        string // addresses of the first page and of the next; "" where that is this one, or none
}

// list reads a page of a list: those that are in their status longest first, as on the board. The address has the
// cursor of the API, and how many went before.
func (r reader) list() (*listed, error) {
	q := url.Values{"sort": {string(lookup.ByAge)}, "order": {"desc"}, "limit": {strconv.Itoa(mostInList)}}
	before := 0
	if after := r.Query.Get("after"); after != "" {
		q.Set("after", after)
		before, _ = strconv.Atoi(r.Query.Get("before"))
	}
	got, err := r.ask(r.filter.status, q)
	if err != nil {
		return nil, err
	}
	l := &listed{group: group{Status: r.filter.status, Count: got.Total, Rows: r.entries(got.List)}, Total: got.Total}
	before = max(0, min(before, got.Total-len(l.Rows)))
	l.First, l.Last = before+1, before+len(l.Rows)
	if r.Query.Has("after") {
		l.Begin = r.filter.address(r.filter.status)
	}
	if next, err := url.Parse(got.Next); err == nil && got.Next != "" {
		to := r.filter.values(r.filter.status)
		to.Set("after", next.Query().Get("after"))
		to.Set("before", strconv.Itoa(l.Last))
		l.Next = page.Address("/requirements", to)
	}
	return l, nil
}
