// Package board shows all requirements: in columns by how far they are, or a status, page by page.
package board

import (
	"embed"
	"net/url"
	"slices"
	"strconv"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/requirements", Nav: "Board", Template: page.Parse(files), Show: show}
}

// data is what the page shows. Either Columns or List is there, and neither where there are no requirements.
type data struct {
	Opening []page.Phrase
	Lead    string
	Bar     page.Bar
	Form    form
	Columns []column
	List    *listed
	Empty   bool // there are no requirements at all
}

// column are the statuses of one phase.
type column struct {
	Name   string
	Count  int
	Groups []group
}

// group are the requirements of one status.
type group struct {
	Status lifecycle.Status
	Count  int
	Rows   []entry
	More   int
	All    string // the address of all of them
}

// entry is a requirement on the board.
type entry struct {
	page.Row
	Stale, Suspect, Retired bool
	Why                     string // it is stuck
}

// phases are the columns, each with its statuses.
var phases = []struct {
	name     string
	statuses []lifecycle.Status
}{
	{"Not begun", []lifecycle.Status{lifecycle.NotStarted, lifecycle.Planned}},
	{"Design", []lifecycle.Status{lifecycle.DesignInProgress, lifecycle.DesignReady}},
	{"Build", []lifecycle.Status{lifecycle.ImplementationInProgress, lifecycle.Implemented}},
	{"Test", []lifecycle.Status{lifecycle.TestInProgress, lifecycle.TestedFail, lifecycle.TestedPass}},
	{"Done", []lifecycle.Status{lifecycle.Done}},
	{"Held", []lifecycle.Status{lifecycle.Blocked, lifecycle.NeedsChanges, lifecycle.Deferred}},
}

// How many requirements are shown of a status on the board, and on a page of a list.
const (
	mostInGroup = 12
	mostInList  = 100
)

// Implements: ORC-336
func show(v *page.Visit) (page.View, error) {
	var a agenda.Agenda
	if err := v.API.Get("/next", url.Values{"limit": {"1"}, "fields": {"counts"}}, &a); err != nil {
		return page.View{}, err
	}
	r := reader{v, filterOf(v.Query), paceOf(v), a.Counts}
	d := data{Bar: page.NewBar(a.Counts.ByStatus), Form: formOf(r.filter), Empty: a.Counts.Total == 0}
	view := page.View{Title: "Board", Live: "*"}
	var err error
	switch {
	case d.Empty:
		d.Opening = []page.Phrase{{Text: "There are no requirements yet."}}
	case r.filter.status != "":
		if d.List, err = r.list(); err != nil {
			return view, err
		}
		d.Opening, d.Lead = r.openList(d.List.Total)
	default:
		if d.Columns, err = r.columns(); err != nil {
			return view, err
		}
		d.Opening, d.Lead = r.openBoard(d.Columns)
	}
	view.Data = d
	return view, nil
}

// reader asks the API for requirements.
type reader struct {
	*page.Visit
	filter
	pace

	counts agenda.Counts // of all, without the filter
}

func (r reader) columns() ([]column, error) {
	var all []column
	for _, phase := range phases {
		c := column{Name: phase.name}
		for _, status := range phase.statuses {
			g, err := r.group(status)
			if err != nil {
				return nil, err
			}
			c.Count += g.Count
			c.Groups = append(c.Groups, g)
		}
		all = append(all, c)
	}
	return all, nil
}

// group returns the first requirements of a status: those that are in it longest. Of those that are done it is the ones
// that do not hold any more, and then what was finished last.
func (r reader) group(status lifecycle.Status) (group, error) {
	g := group{Status: status, All: r.filter.address(status)}
	if r.counts.ByStatus[status] == 0 {
		return g, nil
	}
	parts := []url.Values{{"sort": {string(lookup.ByAge)}, "order": {"desc"}}}
	if status == lifecycle.Done && !r.filter.stale {
		parts = []url.Values{
			{"stale": {"true"}, "sort": {string(lookup.ByAge)}, "order": {"desc"}},
			{"stale": {"false"}, "sort": {string(lookup.ByAge)}, "order": {"asc"}},
		}
	}
	for _, q := range parts {
		q.Set("limit", strconv.Itoa(mostInGroup))
		got, err := r.ask(status, q)
		if err != nil {
			return g, err
		}
		g.Count += got.Total
		g.Rows = append(g.Rows, r.entries(got.List)...)
	}
	g.Rows = g.Rows[:min(len(g.Rows), mostInGroup)]
	g.More = g.Count - len(g.Rows)
	return g, nil
}

// answer is a page of requirements as the API answers it.
type answer struct {
	lookup.List
	Next string `json:"next"`
}

// ask asks for requirements of a status that pass the filter.
func (r reader) ask(status lifecycle.Status, q url.Values) (got answer, err error) {
	for name, values := range r.filter.query(status) {
		q[name] = values
	}
	if r.filter.stuck {
		over, can := r.pace.stuckAfter(status)
		if !can {
			return got, nil
		}
		if over > 0 {
			q.Set("older_than", over.String())
		}
		q.Set("retired", "false")
	}
	return got, r.API.Get("/requirements", q, &got)
}

func (r reader) entries(list lookup.List) []entry {
	var all []entry
	for _, s := range list.Requirements {
		limit, known := r.pace.LimitOf(s.Status)
		e := entry{Stale: s.Stale, Suspect: s.Suspect, Retired: s.Retired, Why: r.pace.why(s.ID)}
		e.Row = page.Row{ID: s.ID, Title: s.Title, Status: s.Status,
			When: page.Since(s.Since, r.Now, known && r.Now.Sub(s.Since) > limit)}
		all = append(all, e)
	}
	return all
}

// known are all statuses, for the form.
func known() []lifecycle.Status {
	var all []lifecycle.Status
	for _, p := range phases {
		all = append(all, p.statuses...)
	}
	return all
}

func isStatus(s string) bool { return slices.Contains(known(), lifecycle.Status(s)) }
