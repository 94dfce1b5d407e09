// Package account sums what runs of agents used, by requirement, by agent, by who had them run and by client. It reads
// the rows of the runs, newest first, and bounds what it reads for one page.
package account

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"orchestrator/internal/conductor/state"
)

// Query says which runs of agents are counted.
type Query struct {
	Requirement string    // only those that were for it; "" for all
	Actor       string    // only those of this agent, or that this person had run; "" for all
	Since       time.Time // only those that ended at this time or later
	Before      uint64    // only those in runs of the conductor with a lower number; 0 for all
	Limit       int       // of sums on a page
}

// Key is what runs are told apart by.
type Key struct {
	Requirement string `json:"requirement,omitempty"` // "" for what is for no requirement
	Actor       string `json:"actor"`                 // the agent
	Caller      string `json:"caller"`                // in whose name it was run
	Client      string `json:"client,omitempty"`      // whose form the reports have; "" where nothing was reported
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Requirement, o.Requirement), cmp.Compare(k.Actor, o.Actor),
		cmp.Compare(k.Caller, o.Caller), cmp.Compare(k.Client, o.Client))
}

// Sum is what runs of agents used. What none of them reported is nil, and never 0.
type Sum struct {
	Runs       int      `json:"runs"`
	Unreported int      `json:"unreported"`   // of these, those that reported nothing
	Uncosted   int      `json:"without_cost"` // of these, those that did not report what they cost
	Input      *int64   `json:"input_tokens,omitempty"`
	Output     *int64   `json:"output_tokens,omitempty"`
	CostUSD    *float64 `json:"cost_usd,omitempty"`
	DurationMS *float64 `json:"duration_ms,omitempty"` // nil where the ends of all are unknown
}

// plus returns the sum of two.
func (s Sum) plus(o Sum) Sum {
	return Sum{Runs: s.Runs + o.Runs, Unreported: s.Unreported + o.Unreported, Uncosted: s.Uncosted + o.Uncosted,
		Input: both(s.Input, o.Input), Output: both(s.Output, o.Output), CostUSD: both(s.CostUSD, o.CostUSD),
		DurationMS: both(s.DurationMS, o.DurationMS)}
}

// both adds two figures, of which nil is one that is not known.
func both[T int64 | float64](a, b *T) *T {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := *a + *b
	return &sum
}

// rounded leaves out the digits that only come of adding.
func rounded(x *float64) *float64 {
	const digits = 1e9
	if x == nil || *x >= 1<<52/digits {
		return x
	}
	near := math.Round(*x*digits) / digits
	return &near
}

// Entry is a sum, and what it is of.
type Entry struct {
	Key
	Sum
}

// Page is a page of sums: by requirement, agent, caller and client, in this order.
type Page struct {
	Entries []Entry `json:"usage"`
	Total   Sum     `json:"total"` // of this page
	Next    uint64  `json:"-"`     // the Before of the next page; 0 on the last
}

// Join adds the sums of another page: both may have sums of the same.
func (p Page) Join(other Page) Page {
	sums := map[Key]Sum{}
	for _, e := range slices.Concat(p.Entries, other.Entries) {
		sums[e.Key] = sums[e.Key].plus(e.Sum)
	}
	return pageOf(sums)
}

func pageOf(sums map[Key]Sum) Page {
	p := Page{Entries: []Entry{}}
	for _, key := range slices.SortedFunc(maps.Keys(sums), Key.compare) {
		s := sums[key]
		p.Total = p.Total.plus(s)
		s.CostUSD, s.DurationMS = rounded(s.CostUSD), rounded(s.DurationMS)
		p.Entries = append(p.Entries, Entry{key, s})
	}
	p.Total.CostUSD, p.Total.DurationMS = rounded(p.Total.CostUSD), rounded(p.Total.DurationMS)
	return p
}

// What ends a page early, whatever limit was asked for.
const (
	maxSeen  = 5000    // runs of the conductor that were looked at
	maxBytes = 8 << 20 // that were read of them
)

// Reader reads what agents used.
type Reader struct{ store *state.Store }

// New returns the reader of a store.
func New(s *state.Store) Reader { return Reader{s} }

// Page returns a page of sums, of the newest runs before q.Before. It has more than q.Limit sums only where one run of
// the conductor has: all runs of agents in that are on one page.
//
// Implements: ORC-293, ORC-295
func (r Reader) Page(ctx context.Context, q Query) (page Page, err error) {
	err = r.store.View(ctx, func(v state.View) error {
		v = state.InARow(v)
		n, err := v.Count()
		if err != nil {
			return err
		}
		if q.Before > 0 {
			n = min(n, q.Before-1)
		}
		sums, next := map[Key]Sum{}, uint64(0)
		for seen, size := 0, 0; n > 0; n, seen = n-1, seen+1 {
			runs, read, err := v.AgentRuns(n)
			if err != nil {
				return err
			}
			more := q.sums(runs)
			if seen == maxSeen || size >= maxBytes || len(sums) > 0 && together(sums, more) > q.Limit {
				next = n + 1
				break
			}
			add(sums, more)
			size += read
		}
		page = pageOf(sums)
		page.Next = next
		return nil
	})
	return page, err
}

// sums returns what runs used that are asked for.
func (q Query) sums(runs []state.AgentRun) map[Key]Sum {
	sums := map[Key]Sum{}
	for _, r := range runs {
		if q.Requirement != "" && r.Requirement != q.Requirement || r.At.Before(q.Since) ||
			q.Actor != "" && r.Agent != q.Actor && r.Caller != q.Actor {
			continue
		}
		key := Key{Requirement: r.Requirement, Actor: r.Agent, Caller: r.Caller}
		if r.Usage != nil {
			key.Client = r.Usage.Client
		}
		sums[key] = sums[key].plus(sumOf(r))
	}
	return sums
}

// sumOf returns what one run used.
func sumOf(r state.AgentRun) Sum {
	s := Sum{Runs: 1}
	if r.DurationMS > 0 {
		s.DurationMS = &r.DurationMS
	}
	if r.Usage == nil {
		s.Unreported, s.Uncosted = 1, 1
		return s
	}
	s.Input, s.Output, s.CostUSD = &r.Usage.Input, &r.Usage.Output, r.Usage.CostUSD
	if s.CostUSD == nil {
		s.Uncosted = 1
	}
	return s
}

// together returns how many sums there are with others.
func together(sums, more map[Key]Sum) int {
	n := len(sums)
	for key := range more {
		if _, has := sums[key]; !has {
			n++
		}
	}
	return n
}

// add adds others to sums.
func add(sums, more map[Key]Sum) {
	for key, m := range more {
		sums[key] = sums[key].plus(m)
	}
}
