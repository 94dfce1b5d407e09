// Package boundary shows what happens at the boundary of agent clients, whether it may be enforced, and what speaks
// against it; and it has the forms with which a pm switches the mode and attests.
package boundary

import (
	"embed"
	"errors"
	"net/url"
	"time"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/boundary/report", Nav: "Boundary", Template: page.Parse(files), Show: show, Act: act}
}

// data is what the page shows.
type data struct {
	Missing  bool // there is no boundary
	Opening  string
	Lead     string
	Checks   []boundary.Check // what is missing first
	Unmet    int
	Raised   []boundary.Flag
	Quiet    []boundary.Flag // not raised
	Reviews  []reviewing.Review
	Since    string // from when on it is counted, "" is from the beginning
	Spans    []span
	Report   report.Report
	Days     days
	Bars     []bars
	Calls    calls
	Figures  boundary.Figures
	Decision forms
}

// show asks the API for what the page shows.
//
// Implements: ORC-338
func show(v *page.Visit) (page.View, error) {
	var ready report.Readiness
	switch err := v.API.Get("/boundary/readiness", nil, &ready); {
	case isMissing(err):
		return page.View{Title: "Boundary", Data: data{Missing: true}}, nil
	case err != nil:
		return page.View{}, err
	}
	d := data{Since: v.Query.Get("since"), Figures: ready.Figures, Reviews: ready.Reviews}
	q := url.Values{}
	if d.Since != "" {
		q.Set("since", d.Since)
	}
	if err := v.API.Get("/boundary/report", q, &d.Report); err != nil {
		return page.View{}, err
	}
	var err error
	if d.Calls, err = callsOf(v); err != nil {
		return page.View{}, err
	}
	d.Checks, d.Unmet = ordered(ready.Checks)
	for _, f := range ready.Flags {
		if f.Raised {
			d.Raised = append(d.Raised, f)
		} else {
			d.Quiet = append(d.Quiet, f)
		}
	}
	d.Opening, d.Lead = open(ready, d, v.Now), lead(ready)
	d.Spans, d.Days, d.Bars = spansOf(v), daysOf(d.Report.Days), barsOf(d.Report)
	d.Decision = formsOf(v, ready)
	return page.View{Title: "Boundary", Live: "*", Data: d}, nil
}

// isMissing reports whether the project has no boundary.
func isMissing(err error) bool {
	refused, is := errors.AsType[*ask.Refusal](err)
	return is && refused.Code == control.CodeNoBoundary
}

// ordered returns the checks that are not passed before the others, and how many they are.
func ordered(all []boundary.Check) (checks []boundary.Check, unmet int) {
	var met []boundary.Check
	for _, c := range all {
		if c.Passed {
			met = append(met, c)
		} else {
			checks = append(checks, c)
		}
	}
	return append(checks, met...), len(checks)
}

// span is a time that the report can be of.
type span struct {
	Name, Href string
	Now        bool
}

// spansOf returns the times that one can choose, in which the address has the moment that they begin at.
func spansOf(v *page.Visit) []span {
	since := v.Query.Get("since")
	today := v.Now.UTC().Truncate(24 * time.Hour)
	spans := []span{{"Everything", page.Root + v.Path, since == ""}}
	for _, s := range []struct {
		name string
		days int
	}{{"The last 7 days", 6}, {"The last 28 days", 27}} {
		at := today.AddDate(0, 0, -s.days).Format(time.RFC3339)
		spans = append(spans, span{s.name, page.Address(v.Path, url.Values{"since": {at}}), since == at})
	}
	return spans
}
