// Package waits shows what waits for the role of whoever is signed in, what is stuck, and what waits for others.
package waits

import (
	"embed"
	"net/url"
	"slices"
	"strconv"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/progress"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/", Nav: "Waits for you", Template: page.Parse(files), Show: show}
}

// data is what the page shows.
type data struct {
	Role     lifecycle.Role
	Mine     bool // it is the role of whoever looks
	Opening  opening
	Bar      page.Bar
	Groups   []group
	Stuck    []page.Row // each says why
	AllStuck int
	Others   []waiting
	Empty    bool // there are no requirements
	Looks    bool // the role changes nothing: what is stuck comes first
}

// group are requirements for which a role has to do the same.
type group struct {
	Name string
	Rows []page.Row
	More int    // that are not shown
	All  string // the address of all of them
}

// waiting is how much waits for a role.
type waiting struct {
	For    string
	Count  int
	Oldest page.When
}

func show(v *page.Visit) (page.View, error) {
	var a agenda.Agenda
	if err := v.API.Get("/next", url.Values{"limit": {"1"}}, &a); err != nil {
		return page.View{}, err
	}
	var p progress.Progress
	if err := v.API.Get("/project/progress", nil, &p); err != nil {
		return page.View{}, err
	}
	d := data{Role: roleOf(v), AllStuck: p.AllStuck, Bar: page.NewBar(a.Counts.ByStatus), Empty: a.Counts.Total == 0}
	d.Mine, d.Looks = string(d.Role) == v.Who.Role, lifecycle.FieldsOf(d.Role) == nil
	f := filler{v, p}
	for _, s := range p.Stuck[:min(len(p.Stuck), mostStuck)] {
		row := f.row(s.ID, s.Title, s.Status, s.Since)
		row.Says = s.Why
		d.Stuck = append(d.Stuck, row)
	}
	for _, w := range a.Waiting {
		if string(w.For) != string(d.Role) {
			d.Others = append(d.Others, waiting{string(w.For), w.Count, page.Since(w.Oldest, v.Now, false)})
		}
	}
	var err error
	if d.Groups, err = f.groups(d.Role); err != nil {
		return page.View{}, err
	}
	d.Opening = open(d, a, v.Now)
	return page.View{Title: "Waits for you", Live: "*", Data: d}, nil
}

// How many requirements of a group, and how many that are stuck, the page shows.
const (
	mostRows  = 12
	mostStuck = 10
)

// roleOf returns the role whose queue is shown: that of whoever looks, or another that the address names.
func roleOf(v *page.Visit) lifecycle.Role {
	if role := lifecycle.Role(v.Query.Get("role")); slices.Contains(lifecycle.Roles(), role) {
		return role
	}
	return lifecycle.Role(v.Who.Role)
}

// filler makes rows.
type filler struct {
	*page.Visit
	progress.Progress
}

func (f filler) row(id, title string, status lifecycle.Status, since time.Time) page.Row {
	limit, known := f.LimitOf(status)
	return page.Row{ID: id, Title: title, Status: status,
		When: page.Since(since, f.Now, known && f.Now.Sub(since) > limit)}
}

// queue selects the requirements of a group.
type queue struct {
	name   string
	filter url.Values
}

// queues are the groups of each role, in the order of the page.
var queues = map[lifecycle.Role][]queue{
	lifecycle.PM: {
		{"Sign off", url.Values{"status": {"tested_pass"}}},
		{"Read", url.Values{"suspect": {"true"}}},
		{"Decide", url.Values{"status": {"needs_changes"}}},
		{"Decide", url.Values{"status": {"tested_fail"}}},
		{"Decide", url.Values{"status": {"blocked"}}},
		{"Decide", url.Values{"status": {"done"}}},
		{"Move on", url.Values{"status": {"implemented"}}},
		{"Move on", url.Values{"status": {"implementation_in_progress"}}},
		{"Move on", url.Values{"status": {"design_ready"}}},
		{"Move on", url.Values{"status": {"design_in_progress"}}},
		{"Move on", url.Values{"status": {"planned"}}},
		{"Begin", url.Values{"status": {"not_started"}}},
		{"Put aside", nil},
	},
	lifecycle.Architect: {{"Design", nil}},
	lifecycle.Coder:     {{"Write", url.Values{"status": {"implementation_in_progress"}}}, {"Mend", nil}},
	lifecycle.Tester:    {{"Test", url.Values{"status": {"test_in_progress"}}}, {"Test again", nil}},
}

// groups returns what waits for a role. A requirement is in the first group that it belongs to.
func (f filler) groups(role lifecycle.Role) ([]group, error) {
	var all []group
	seen := map[string]bool{}
	for _, q := range queues[role] {
		list, err := f.list(role, q.filter)
		if err != nil {
			return nil, err
		}
		g := group{Name: q.name, All: page.Address("/requirements", values(role, q.filter))}
		left := list.Total
		for _, r := range list.Requirements {
			if seen[r.ID] {
				left--
				continue
			}
			if len(g.Rows) < mostRows {
				seen[r.ID] = true
				row, err := f.lacking(r.ID, role, f.row(r.ID, r.Title, r.Status, r.Since))
				if err != nil {
					return nil, err
				}
				g.Rows = append(g.Rows, row)
			}
		}
		g.More = max(0, left-len(g.Rows))
		all = add(all, g)
	}
	return all, nil
}

// add appends a group. One that has the name of the last is merged into it; an empty one is left out.
func add(all []group, g group) []group {
	switch last := len(all) - 1; {
	case len(g.Rows) == 0:
	case last >= 0 && all[last].Name == g.Name:
		all[last].Rows = append(all[last].Rows, g.Rows...)
		slices.SortStableFunc(all[last].Rows, func(a, b page.Row) int { return a.Since.Compare(b.Since) })
		all[last].More += g.More
		if g.More > 0 {
			all[last].All = g.All
		}
	default:
		all = append(all, g)
	}
	return all
}

// Count returns how many requirements are in a group.
func (g group) Count() int { return len(g.Rows) + g.More }

func values(role lifecycle.Role, filter url.Values) url.Values {
	q := url.Values{"waiting_for": {string(role)}}
	for name, v := range filter {
		q[name] = v
	}
	return q
}

// list asks for those that wait longest, and for more than are shown: some may be in another group already.
func (f filler) list(role lifecycle.Role, filter url.Values) (list lookup.List, err error) {
	q := values(role, filter)
	q.Set("sort", string(lookup.ByAge))
	q.Set("order", "desc")
	q.Set("limit", strconv.Itoa(3*mostRows))
	return list, f.API.Get("/requirements", q, &list)
}

// lacking completes a row with what its requirement lacks, as the role sees it.
func (f filler) lacking(id string, role lifecycle.Role, row page.Row) (page.Row, error) {
	var view guidance.View
	if err := f.API.Get("/requirements/"+url.PathEscape(id)+"/next", nil, &view); err != nil {
		return row, err
	}
	row.Says = says(view, role)
	return row, nil
}

// says returns what is to be done, or what is against it, in one sentence.
func says(view guidance.View, role lifecycle.Role) string {
	if string(view.Actor.Role) == string(role) && view.Status == lifecycle.TestedPass {
		return toSign(view)
	}
	if len(view.AgainstDone) > 0 {
		return words.Plain(view.AgainstDone[0].Detail)
	}
	for _, m := range view.Moves {
		if !m.LeadsToDone {
			continue
		}
		if len(m.Lacks) > 0 {
			return "lacks: " + words.Plain(m.Lacks[0].Detail)
		}
		return "can be moved to " + words.Status(string(m.To))
	}
	for _, field := range view.Fields {
		if field.Due {
			return "lacks the " + words.Status(field.Field)
		}
	}
	return ""
}

// onlyApproval is what a requirement lacks that a pm can sign.
const onlyApproval = "lacks only your approval"

func toSign(view guidance.View) string {
	for _, m := range view.Moves {
		if m.To != lifecycle.Done {
			continue
		}
		for _, l := range m.Lacks {
			if l.Gate != lifecycle.GateApproval {
				return "lacks: " + words.Plain(l.Detail)
			}
		}
		return onlyApproval
	}
	return ""
}
