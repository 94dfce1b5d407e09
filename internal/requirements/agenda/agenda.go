// Package agenda says what a role has to do first, over all requirements, what waits for whom, and what is stuck.
//
// It is pure: it reads a snapshot, visits each requirement once, and decodes those alone that it shows.
package agenda

import (
	"cmp"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// Query selects what is shown.
type Query struct {
	After string // the id of the last requirement of the page before
	Limit int    // of mine, at least 1
	Since uint64 // a size of the log: of mine and stuck, only what was published with a larger one

	Claims map[string][]claiming.Claim // that count now, by the ids of their requirements
	Holder string                      // who claims as the actor would
}

// Agenda is what there is to do.
type Agenda struct {
	Actor    lifecycle.Actor `json:"actor"`
	AsOf     uint64          `json:"as_of"` // the size of the log; since takes it
	First    *First          `json:"first"` // nil where others have claimed all that waits for the role, or pm put it aside
	Mine     []Item          `json:"mine"`
	Total    int             `json:"total"` // that wait for the role, on all pages, whenever they changed
	Waiting  []Waiting       `json:"waiting"`
	Stuck    []Stuck         `json:"stuck"`
	AllStuck int             `json:"stuck_total"`
	Counts   Counts          `json:"counts"` // of all requirements
	After    string          `json:"-"`      // cursor of the next page of mine; "" when this is the last

	Complete int `json:"complete_in_document,omitzero"` // requirements of which package finished tells so
}

// First is the requirement to go on with, and the request that does it.
type First struct {
	Item
	Why     string          `json:"why"` // it comes first
	IfMatch string          `json:"if_match"`
	Next    []guidance.Lead `json:"next"`
}

// Item is a requirement that waits for the actor's role.
type Item struct {
	ID     string           `json:"id"`
	Title  string           `json:"title"`
	Status lifecycle.Status `json:"status"`
	Since  time.Time        `json:"since,omitzero"` // when it came into its status
	Do     string           `json:"do"`
	Claim  *claiming.Mark   `json:"claim,omitempty"` // on the field of the role

	Complete bool `json:"complete_in_document,omitzero"` // as package finished tells
}

// Waiting says how much waits for a party.
type Waiting struct {
	For    lifecycle.Party `json:"for"`
	Count  int             `json:"count"`
	Oldest time.Time       `json:"oldest,omitzero"` // since when the first of them is in its status
	First  []string        `json:"first"`           // ids
}

// Stuck is a requirement that cannot come to done as things stand, and who can change that.
type Stuck struct {
	ID  string          `json:"id"`
	Why string          `json:"why"`
	By  lifecycle.Party `json:"by"`
}

// How much is shown beside mine.
const (
	maxIDs   = 3
	maxStuck = 10
)

// parties are listed in this order.
var parties = []lifecycle.Party{lifecycle.Party(lifecycle.PM), lifecycle.Party(lifecycle.Architect),
	lifecycle.Party(lifecycle.Coder), lifecycle.Party(lifecycle.Tester), lifecycle.Operator, lifecycle.Document}

// Of makes the agenda of an actor. An unknown cursor is fault.Malformed.
//
// Implements: ORC-151
func Of(snap *projection.Snapshot, around guidance.Around, who lifecycle.Actor, q Query) (Agenda, error) {
	a := Agenda{Actor: who, AsOf: snap.Head.Size, Mine: []Item{}, Waiting: []Waiting{}, Stuck: []Stuck{},
		Counts: countsOf(snap)}
	p := &plan{snap: snap, dead: around.Workflow.DeadEnds(), around: around, ranks: map[string]int{}}
	p.proposeRenames(who.Role)
	var mine []ranked
	var aside []*projection.Entry
	for e := range snap.All() {
		if isAside(e) {
			aside = append(aside, e)
		} else {
			p.wait(e)
		}
		if stuck, is := p.stuck(e); is && e.Size > q.Since {
			if a.AllStuck++; len(a.Stuck) < maxStuck {
				a.Stuck = append(a.Stuck, stuck)
			}
		}
		if e.Summary.Complete {
			a.Complete++
		}
		if slices.Contains(e.Summary.WaitingFor, lifecycle.Party(who.Role)) {
			mine = append(mine, ranked{e, p.place(e)})
		}
	}
	for _, e := range aside {
		p.wait(e) // and named last
	}
	slices.SortStableFunc(mine, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for _, party := range parties {
		if w := p.waiting[party]; w != nil {
			a.Waiting = append(a.Waiting, *w)
		}
	}
	a.Total = len(mine)
	if q.After == "" {
		a.First = p.first(mine, who, q)
	}
	mine = slices.DeleteFunc(mine, func(r ranked) bool { return r.Size <= q.Since })
	return a, a.page(mine, p, who, q)
}

// isAside reports whether a pm has put a requirement aside. What the documents no longer have waits for another
// decision.
func isAside(e *projection.Entry) bool {
	return !e.Summary.Retired && lifecycle.PutAside(e.Summary.Status)
}

// page fills mine.
func (a *Agenda) page(mine []ranked, p *plan, who lifecycle.Actor, q Query) error {
	if q.After != "" {
		i := slices.IndexFunc(mine, func(r ranked) bool { return r.Summary.ID == q.After })
		if i < 0 {
			return fault.New(fault.Malformed, "unknown_cursor", "after names no requirement that waits for role %s",
				who.Role).
				WithFix("start without after: what was done meanwhile waits no longer")
		}
		mine = mine[i+1:]
	}
	for i, r := range mine {
		if i == q.Limit {
			a.After = a.Mine[i-1].ID
			break
		}
		item, _ := p.item(r.Entry, who)
		item.Claim = claiming.MarkOf(q.Claims[item.ID], who.Role, q.Holder)
		a.Mine = append(a.Mine, item)
	}
	return nil
}

// ranked is a requirement with how many others have to be finished one after the other before it.
type ranked struct {
	*projection.Entry
	rank int
}

// plan is what is known of all requirements.
type plan struct {
	snap    *projection.Snapshot
	dead    []lifecycle.Status
	around  guidance.Around
	renamed map[string]renaming.Proposal // to the pm, by the old ids
	alike   map[string][]string          // to the pm, by the old ids: the new ones that any of several could be
	ranks   map[string]int               // of those that depend on others; onTheWay while it is looked for
	waiting map[lifecycle.Party]*Waiting
}

// The ranks that count nothing.
const (
	onTheWay = -1           // it is looked for
	inCircle = 1 << 20      // its dependencies lead back to it, or to a circle
	last     = inCircle + 1 // it was put aside
	settled  = -2           // what becomes of it decides whether another one is begun anew
)

// open returns the unfinished requirements on which one depends.
func (p *plan) open(e *projection.Entry) (all []*projection.Entry) {
	for _, id := range e.DependsOn {
		d, found := p.snap.Find(id)
		if found && !d.Summary.Retired && d.Summary.Status != lifecycle.Done && id != e.Summary.ID {
			all = append(all, d)
		}
	}
	return all
}

// place returns the rank by which a requirement is listed.
func (p *plan) place(e *projection.Entry) int {
	if _, is := p.renamed[e.Summary.ID]; is || len(p.alike[e.Summary.ID]) > 0 {
		return settled
	}
	if isAside(e) {
		return last
	}
	return p.rank(e)
}

// rank counts what has to be finished before; inCircle where that never ends.
func (p *plan) rank(e *projection.Entry) int {
	if len(e.DependsOn) == 0 {
		return 0
	}
	if r, known := p.ranks[e.Summary.ID]; known {
		if r == onTheWay {
			return inCircle
		}
		return r
	}
	p.ranks[e.Summary.ID] = onTheWay
	rank := 0
	for _, d := range p.open(e) {
		rank = max(rank, min(p.rank(d)+1, inCircle))
	}
	p.ranks[e.Summary.ID] = rank
	return rank
}

// wait counts for whom a requirement waits.
func (p *plan) wait(e *projection.Entry) {
	if p.waiting == nil {
		p.waiting = map[lifecycle.Party]*Waiting{}
	}
	for _, party := range e.Summary.WaitingFor {
		w := p.waiting[party]
		if w == nil {
			w = &Waiting{For: party, Oldest: e.Summary.Since}
			p.waiting[party] = w
		}
		if w.Count++; len(w.First) < maxIDs {
			w.First = append(w.First, e.Summary.ID)
		}
		if e.Summary.Since.Before(w.Oldest) {
			w.Oldest = e.Summary.Since
		}
	}
}

// stuck says why a requirement cannot come to done as things stand.
func (p *plan) stuck(e *projection.Entry) (Stuck, bool) {
	s := e.Summary
	if len(s.WaitingFor) == 0 || s.Retired {
		return Stuck{}, false
	}
	if slices.Contains(p.dead, s.Status) {
		return Stuck{s.ID, "it is " + string(s.Status) + ", a dead end under workflow " + p.around.Workflow.Name +
			": PUT /workflow", lifecycle.Party(lifecycle.PM)}, true
	}
	if s.Status == lifecycle.Done {
		return Stuck{}, false
	}
	if p.rank(e) >= inCircle {
		return Stuck{s.ID, "what it depends on depends on it, or on a circle", lifecycle.Document}, true
	}
	open := p.open(e)
	if len(open) == 0 {
		return Stuck{}, false
	}
	d, by := open[0].Summary, lifecycle.Party(lifecycle.PM)
	if len(d.WaitingFor) > 0 {
		by = d.WaitingFor[0]
	}
	return Stuck{s.ID, "it depends on " + d.ID + ", which is " + string(d.Status), by}, true
}

// item describes a requirement by what the role has to do with it.
func (p *plan) item(e *projection.Entry, who lifecycle.Actor) (Item, []guidance.Lead) {
	s := e.Summary
	item := Item{ID: s.ID, Title: s.Title, Status: s.Status, Since: s.Since, Complete: s.Complete}
	leads := slices.DeleteFunc(p.around.Leads(e.Requirement()), func(l guidance.Lead) bool {
		return l.By != lifecycle.Party(who.Role)
	})
	if len(leads) > 0 {
		item.Do = leads[0].Do()
	}
	item.Do = p.doRename(s.ID, item.Do)
	if as, is := p.renamed[s.ID]; is {
		leads = append([]guidance.Lead{confirmation(as)}, leads...)
	}
	return item, leads
}

// first says with what an actor goes on, and why with that: the first that nobody else has claimed and nobody put
// aside.
func (p *plan) first(mine []ranked, who lifecycle.Actor, q Query) *First {
	i := slices.IndexFunc(mine, func(r ranked) bool {
		mark := claiming.MarkOf(q.Claims[r.Summary.ID], who.Role, q.Holder)
		return mark == nil || mark.Yours
	})
	if i < 0 || mine[i].rank == last {
		return nil
	}
	r := mine[i]
	item, leads := p.item(r.Entry, who)
	item.Claim = claiming.MarkOf(q.Claims[item.ID], who.Role, q.Holder)
	return &First{item, whyFirst(mine, i, who.Role), guidance.IfMatch(r.Summary.Revision), leads}
}

// whyFirst says why one of those that wait for a role comes first.
func whyFirst(mine []ranked, i int, role lifecycle.Role) string {
	aside := slices.IndexFunc(mine, func(r ranked) bool { return r.rank == last })
	switch depends := mine[i].rank > 0; {
	case mine[i].rank == settled:
		return "the documents seem to have it under another id now; settle that before anybody begins anew there"
	case i > 0 && depends:
		return "others have claimed what comes before it; it depends on something unfinished, as the rest does"
	case i > 0:
		return "others have claimed what comes before it; it depends on nothing unfinished"
	case len(mine) == 1:
		return "nothing else waits for role " + string(role)
	case aside == 1:
		return "nothing else waits for role " + string(role) + " but what was put aside"
	case depends:
		return "all that waits for role " + string(role) +
			" depends on something unfinished; this has the least before it, and comes first in the documents"
	}
	return "it depends on nothing unfinished, and comes first in the documents"
}
