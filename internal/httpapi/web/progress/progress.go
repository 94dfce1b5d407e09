// Package progress shows how the project gets on: the pace and what it means, how many are done by day, how long
// requirements stay in each status, how long one takes, who was refused, and what is stuck.
package progress

import (
	"embed"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/progress", Nav: "Progress", Template: page.Parse(files), Show: show}
}

// figures are what GET /project/progress answers.
type figures struct {
	Days     []day      `json:"days"`
	StepDays int        `json:"step_days"`
	InStatus []inStatus `json:"in_status"`
	Cycle    struct {
		Finished int        `json:"finished"`
		Median   *int64     `json:"median_seconds"`
		Newest   []finished `json:"newest"`
	} `json:"cycle"`
	Refusals []refused `json:"refusals"`
	Stuck    []stuck   `json:"stuck"`
	AllStuck int       `json:"stuck_total"`
}

type day struct {
	Day    string `json:"day"`
	Total  int    `json:"total"`
	Tested int    `json:"tested"`
	Done   int    `json:"done"`
}

type inStatus struct {
	Status lifecycle.Status `json:"status"`
	Now    int              `json:"now"`
	Stays  int              `json:"stays"`
	Median *int64           `json:"median_seconds"`
	P90    *int64           `json:"p90_seconds"`
}

type finished struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Done    time.Time `json:"done"`
	Seconds int64     `json:"seconds"`
}

type refused struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Refused int    `json:"refused"`
	Codes   []struct {
		Code  string `json:"code"`
		Count int    `json:"count"`
	} `json:"codes"`
}

type stuck struct {
	ID     string           `json:"id"`
	Title  string           `json:"title"`
	Status lifecycle.Status `json:"status"`
	Since  time.Time        `json:"since"`
	Limit  *int64           `json:"limit_seconds"`
	Why    string           `json:"why"`
	By     string           `json:"by"`
}

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
	Why, By string
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
