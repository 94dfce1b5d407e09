package boundary

import (
	"net/url"
	"slices"
	"strconv"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/rules/boundary"
)

// calls is a page of judged calls, newest first.
type calls struct {
	Total      int
	First      int // of the page, counted from 1 at the newest
	Last       int
	Violations bool // alone
	Since      string
	Rows       []call
	Newest     string // addresses, "" where there is no such page
	Older      string
}

// call is a judged call.
type call struct {
	report.Violation
	Mark, Words string
	Person      string // what a person said of it, or what lifted the boundary
}

// onPage is how many calls a page shows.
const onPage = 50

// callsOf asks for a page of calls. The API lists the oldest first, by number: before is the number that the page ends
// before.
func callsOf(v *page.Visit) (c calls, err error) {
	c.Violations, c.Since = v.Query.Get("violations") == "true", v.Query.Get("since")
	q := url.Values{"limit": {"1"}}
	if c.Violations {
		q.Set("violations", "true")
	}
	var list struct {
		Total     int                `json:"total"`
		Decisions []report.Violation `json:"decisions"`
	}
	if err = v.API.Get("/boundary/decisions", q, &list); err != nil {
		return c, err
	}
	c.Total = list.Total
	end := c.Total
	if n, err := strconv.Atoi(v.Query.Get("before")); err == nil {
		end = min(max(n, 0), c.Total)
	}
	from := max(0, end-onPage)
	if end == from {
		return c, nil
	}
	q.Set("from", strconv.Itoa(from))
	q.Set("limit", strconv.Itoa(end-from))
	if err = v.API.Get("/boundary/decisions", q, &list); err != nil {
		return c, err
	}
	for _, d := range slices.Backward(list.Decisions) {
		c.Rows = append(c.Rows, callOf(d))
	}
	c.First, c.Last = c.Total-end+1, c.Total-end+len(c.Rows)
	if end < c.Total {
		c.Newest = c.address(v, 0)
	}
	if from > 0 {
		c.Older = c.address(v, from)
	}
	return c, nil
}

// address returns that of the calls before a number; 0 is the newest.
func (c calls) address(v *page.Visit, before int) string {
	q := url.Values{}
	if c.Since != "" {
		q.Set("since", c.Since)
	}
	if c.Violations {
		q.Set("violations", "true")
	}
	if before > 0 {
		q.Set("before", strconv.Itoa(before))
	}
	return page.Address(v.Path, q) + "#calls"
}

// said are the marks and words of decisions.
var said = map[boundary.Decision][2]string{
	boundary.Allow: {"m-holds", "let through"}, boundary.Warn: {"m-dirty", "let through, and warned"},
	boundary.Ask: {"m-unverified", "asked the person"}, boundary.Block: {"m-refused", "blocked"},
}

func callOf(d report.Violation) call {
	c := call{Violation: d, Mark: said[d.Decision][0], Words: said[d.Decision][1]}
	switch {
	case d.Bypass != "":
		c.Mark, c.Words = "m-dirty", "let through by a bypass"
	case c.Mark == "":
		c.Mark, c.Words = "m-unverified", string(d.Decision)
	}
	switch d.Label {
	case report.LabelFalsePositive:
		c.Person = "a false positive"
	case report.LabelResolved:
		c.Person = "a false positive, resolved"
	case report.LabelCorrect:
		c.Person = "correct"
	}
	return c
}

// Who returns who made a call.
func (c call) Who() string {
	switch c.Actor.Kind {
	case boundary.Main:
		return "main session"
	case boundary.Agent:
		if c.Actor.Type != "" {
			return "agent " + c.Actor.Type
		}
		return "an agent"
	}
	return "not known who"
}
