// Package workflow shows the rules of the project: who may move what where, what must be there, who writes what, and
// the form with which a pm puts another workflow in force.
package workflow

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/workflow", Nav: "Conductor", Template: page.Parse(files), Show: show, Act: act}
}

// inForce is what GET /workflow answers.
type inForce struct {
	Name        string                 `json:"name"`
	Evidence    string                 `json:"evidence"`
	Branch      string                 `json:"branch"`
	Transitions []lifecycle.Transition `json:"transitions"`
	Gates       []lifecycle.Gate       `json:"gates"`
	Fields      map[string][]string    `json:"fields"`
	DeadEnds    []lifecycle.Status     `json:"dead_ends"`
	Rules       int                    `json:"rules"`
}

// data is what the page shows.
type data struct {
	inForce
	Opening string
	Lead    string
	Moves   []move
	Guarded []guarded
	Writes  []writes
	Dead    []dead
	Switch  *change
	May     bool // whoever looks may switch
}

// move is a row of the table.
type move struct {
	From, To place
	By       string
}

// place is one end of a move: a status, or what stands for several.
type place struct {
	Status lifecycle.Status // "" for what stands for several
	Words  string
}

// guarded is a status that gates guard.
type guarded struct {
	To    lifecycle.Status
	Gates []lifecycle.Gate
}

// writes is what a role writes.
type writes struct {
	Role  string
	Parts string
}

// dead is a status from which nothing leads to done, and how many requirements have it.
type dead struct {
	Status lifecycle.Status
	Count  int
}

// show asks the API for what the page shows.
//
// Implements: ORC-338
func show(v *page.Visit) (page.View, error) {
	var d data
	if err := v.API.Get("/workflow", nil, &d.inForce); err != nil {
		return page.View{}, err
	}
	var a agenda.Agenda
	if err := v.API.Get("/next", url.Values{"limit": {"1"}}, &a); err != nil {
		return page.View{}, err
	}
	for _, t := range d.Transitions {
		d.Moves = append(d.Moves, moveOf(t))
	}
	for _, g := range d.Gates {
		if last := len(d.Guarded) - 1; last < 0 || d.Guarded[last].To != g.To {
			d.Guarded = append(d.Guarded, guarded{To: g.To})
		}
		last := &d.Guarded[len(d.Guarded)-1]
		last.Gates = append(last.Gates, g)
	}
	for _, r := range lifecycle.Roles() {
		d.Writes = append(d.Writes, writes{string(r), partsOf(d.Fields[string(r)])})
	}
	for _, s := range d.DeadEnds {
		d.Dead = append(d.Dead, dead{s, a.Counts.ByStatus[s]})
	}
	d.Opening, d.Lead = d.open(), d.lead()
	d.May = v.Is(lifecycle.PM)
	d.Switch = changeOf(v, d.Name, a.Counts.ByStatus)
	return page.View{Title: "Workflow", Data: d}, nil
}

func moveOf(t lifecycle.Transition) move { return move{placeOf(t.From), placeOf(t.To), string(t.By)} }

// placeOf returns an end of a move in words: "any" and "held_from" are no statuses.
func placeOf(s lifecycle.Status) place {
	switch s {
	case "any":
		return place{Words: "any status"}
	case "held_from":
		return place{Words: "where it stood before"}
	}
	return place{s, words.Status(string(s))}
}

// partsOf returns what a role writes, without the reason that goes with all of it.
func partsOf(fields []string) string {
	var parts []string
	for _, f := range fields {
		if f != "justification" {
			parts = append(parts, words.Status(f))
		}
	}
	if len(parts) == 0 {
		return "nothing: it reads"
	}
	return words.And(parts...)
}

func (d data) open() string {
	text := "Workflow " + d.Name + " is in force"
	if len(d.DeadEnds) == 0 {
		return text + ": every status leads to done."
	}
	return text + "; from " + words.Counted(len(d.DeadEnds), "status", "statuses") +
		" nothing leads to done."
}

func (d data) lead() string {
	text := "Evidence is recorded as it is said."
	if d.Evidence == "verify" {
		text = "Evidence is looked up"
		if d.Branch != "" {
			text += " on " + d.Branch
		}
		text += " before it counts."
	}
	return text + " Whoever moves a requirement gives a reason, which goes into the log."
}

// change is the switch to the other workflow, with what it changes.
type change struct {
	To       string
	Adds     []move
	Takes    []move
	Strands  []dead // requirements that keep the project from switching
	Stranded int
	Reason   string
	Panel    *page.Panel
}

// changeOf returns the switch away from the workflow in force.
func changeOf(v *page.Visit, name string, counts map[lifecycle.Status]int) *change {
	from, err := lifecycle.ParseWorkflow(name)
	if err != nil {
		return nil
	}
	to := lifecycle.Rework
	if from.Name == to.Name {
		to = lifecycle.V1
	}
	c := &change{To: to.Name, Reason: v.Form.Get("reason"), Panel: page.NewPanel(v.Refused)}
	c.Adds, c.Takes = beyond(to, from), beyond(from, to)
	for _, s := range from.ClosedBy(to) {
		if n := counts[s]; n > 0 {
			c.Strands, c.Stranded = append(c.Strands, dead{s, n}), c.Stranded+n
		}
	}
	return c
}

// beyond returns the moves that one workflow has and another has not.
func beyond(one, other lifecycle.Workflow) (moves []move) {
	rest := other.Transitions()
	for _, t := range one.Transitions() {
		if !slices.Contains(rest, t) {
			moves = append(moves, moveOf(t))
		}
	}
	return moves
}

// act puts the workflow in force that the form names.
func act(v *page.Visit) (page.Outcome, error) {
	to := v.Form.Get("workflow")
	got, err := v.API.Change(http.MethodPut, "/workflow", struct {
		Workflow string `json:"workflow"`
		Reason   string `json:"reason"`
	}{to, strings.TrimSpace(v.Form.Get("reason"))})
	if err != nil {
		return page.Outcome{}, err
	}
	said := "Workflow " + to + " is in force."
	return page.Outcome{Said: page.Recorded(said, got)}, nil
}
