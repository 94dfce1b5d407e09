// Package progress shows how the project gets on: the pace and what it means, how many are done by day, how long
// requirements stay in each status, how long one takes, who was refused, and what is stuck.
package progress

import (
	"embed"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/requirements/progress"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/progress", Nav: "Progress", Template: page.Parse(files), Show: show}
}

// What the API answers, by the names that the page has for it.
type (
	figures  = progress.Progress
	day      = progress.Day
	inStatus = progress.InStatus
	finished = progress.Finished
	refused  = review.ActorCount
)

// data is what the page shows.
type data struct {
	Opening, Lead string
	Empty         bool
	BurnUp        burnUp
	InStatus      stays
	Cycle         cycle
	Refusals      refusals
	Stuck         []late
	AllStuck      int
	MoreStuck     int // that are not listed
	SaysStuck     string
}

// late is a requirement that is stuck, and why.
type late struct {
	page.Row
	Why string
	By  lifecycle.Party
}

// show asks the API for what the page shows.
//
// Implements: ORC-339
func show(v *page.Visit) (page.View, error) {
	var f figures
	if err := v.API.Get("/project/progress", nil, &f); err != nil {
		return page.View{}, err
	}
	d := data{AllStuck: f.AllStuck, Empty: len(f.Days) == 0 || f.Days[len(f.Days)-1].Total == 0}
	p := paceOf(f.Days)
	d.Opening, d.Lead = p.open(), p.lead()
	d.BurnUp, d.InStatus, d.Cycle = burnUpOf(f, p), staysOf(f), cycleOf(f)
	d.Refusals, d.SaysStuck = refusalsOf(f.Refusals), saysStuck(f, v.Now)
	for _, s := range f.Stuck[:min(len(f.Stuck), mostStuck)] {
		row := page.Row{ID: s.ID, Title: s.Title, Status: s.Status, When: page.Since(s.Since, v.Now, s.Limit != nil)}
		d.Stuck = append(d.Stuck, late{row, s.Why, s.By})
	}
	d.MoreStuck = d.AllStuck - len(d.Stuck)
	return page.View{Title: "Progress", Live: "*", Data: d}, nil
}

// mostStuck is how many that are stuck the page lists.
const mostStuck = 50
