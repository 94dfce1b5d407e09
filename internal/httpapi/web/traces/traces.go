// Package traces shows what the conductor does: the questions that wait, with the forms that answer them, and the runs,
// each as a tree of obligations with the tools that were tried.
package traces

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
)

//go:embed *.html
var files embed.FS

// nav is the item of the navigation.
const nav = "Conductor"

// Page returns the page of all runs.
func Page() page.Page {
	t := page.Parse(files, "all.html", "parts.html")
	return page.Page{Pattern: "/traces", Nav: nav, Template: t, Show: show, Act: act}
}

// RunPage returns the page of one run.
func RunPage() page.Page {
	t := page.Parse(files, "one.html", "parts.html")
	return page.Page{Pattern: "/traces/{id}", Nav: nav, Template: t, Show: showRun, Act: act}
}

// onPage is how many runs a page shows.
const onPage = 50

// data is what the page of all runs shows.
type data struct {
	Opening   string
	Lead      string
	Questions []asking // that whoever looks may answer
	Others    []asking // that somebody else has to answer
	Panel     *page.Panel
	Runs      []run
	Newer     bool   // runs that are not shown are newer
	Next      string // the address of older runs
	Asking    asked
	side
}

// show asks the API for what the page shows.
//
// Implements: ORC-338
func show(v *page.Visit) (page.View, error) {
	newest, err := runsOf(v.API, url.Values{})
	if err != nil {
		return page.View{}, err
	}
	shown := newest
	before := v.Query.Get("before")
	if before != "" {
		if shown, err = runsOf(v.API, url.Values{"before": {before}}); err != nil {
			return page.View{}, err
		}
	}
	waiting, err := runsOf(v.API, url.Values{"waiting": {"true"}})
	if err != nil {
		return page.View{}, err
	}
	d := data{Runs: shown.Runs, Newer: before != "", Next: older(shown.Next), side: sideOf(v)}
	d.Questions = questionsOf(v, waiting.Runs)
	d.Others = othersOf(v, newest.Runs, waiting.Runs)
	d.Opening, d.Lead = open(d, newest.Runs), lead(newest.Runs)
	d.Asking = askedOf(v)
	if d.Asking.Panel == nil {
		d.Panel = panelOf(v, d.Questions)
	}
	return page.View{Title: nav, Live: "*", Data: d}, nil
}

// list is a page of runs, as the API answers it.
type list struct {
	Runs []run  `json:"runs"`
	Next string `json:"next"`
}

func runsOf(api ask.API, q url.Values) (l list, err error) {
	q.Set("limit", strconv.Itoa(onPage))
	return l, api.Get("/obligations", q, &l)
}

// older returns the address of the page that an address of the API leads to, or "".
func older(next string) string {
	u, err := url.Parse(next)
	if next == "" || err != nil {
		return ""
	}
	return page.Address("/traces", url.Values{"before": {u.Query().Get("before")}})
}

// Waiting returns how many questions wait for whoever asks, as far as one answer of the API lists them.
func Waiting(api ask.API) (n int) {
	var l list
	q := url.Values{"waiting": {"true"}, "limit": {strconv.Itoa(onPage)}}
	if api.Get("/obligations", q, &l) != nil {
		return 0
	}
	for _, r := range l.Runs {
		n += len(r.waiting())
	}
	return n
}

// isUnknown reports whether the API has no such thing.
func isUnknown(err error) bool {
	refused, is := errors.AsType[*ask.Refusal](err)
	return is && refused.Status == http.StatusNotFound
}
