// Package matrix shows of each requirement what is there and holds, from the design to the approval: as a page, and as
// a table that other programs read.
package matrix

import (
	"embed"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: path, Nav: "Matrix", Template: page.Parse(files), Show: show}
}

// path is that of the page below page.Root, and of the review in the API.
const path = "/project/review"

// data is what the page shows.
type data struct {
	Opening    []page.Phrase
	Lead       string
	Unchecked  []string
	Views      []view
	Columns    []column
	Rows       []row
	Pages      pages
	CSV        string // its address
	None       string // what is said without rows
	Empty      bool   // there are no requirements
	Unverified bool   // evidence is recorded as it is said
}

// view is a choice of rows.
type view struct {
	Name, Href string
	Count      int
	Chosen     bool
}

// pages is which of the rows that were chosen are shown, from 1 on, and where the others are.
type pages struct {
	First, Last, Total int
	Begin, Next        string
}

// mostRows is how many requirements a page has.
const mostRows = 200

// choices are the views, by the parameter that chooses each.
var choices = []struct {
	name, parameter, value string
	has                    func(summary) bool
	none                   string // what is said where it has none
}{
	{"All", "", "", func(summary) bool { return true }, "There are no requirements yet."},
	{"Open", "ok", "false", func(l summary) bool { return !l.OK }, "No requirement is open."},
	{"Done", "status", "done", func(l summary) bool { return l.Status == lifecycle.Done }, "No requirement is done yet."},
	{"Stale", "stale", "true", func(l summary) bool { return len(l.Stale) > 0 }, "No requirement is stale."},
	{"Suspect", "suspect", "true", func(l summary) bool { return l.Suspect }, "No text changed after work on it began."},
}

// project is what the page takes of the review.
type project struct {
	Verdict   string
	Evidence  string
	Reasons   []string
	Unchecked []string
	Lines     []summary
}

// line is a requirement in the review.
type line = review.Requirement

// summary is what all requirements are told apart by. Only those that are shown are read whole: a review may have
// 100,000.
type summary struct {
	ID      string           `json:"id"`
	OK      bool             `json:"ok"`
	Codes   []fault.Code     `json:"codes"`
	Status  lifecycle.Status `json:"status"`
	Suspect bool             `json:"suspect"`
	Stale   []jsontext.Value `json:"stale"`

	whole jsontext.Value
}

// read returns the line of a summary.
func (s summary) read() (l line, err error) { return l, json.Unmarshal(s.whole, &l) }

func projectOf(v *page.Visit) (project, error) {
	var p struct {
		Verdict      string           `json:"verdict"`
		Evidence     string           `json:"evidence"`
		Reasons      []string         `json:"reasons"`
		Unchecked    []string         `json:"unchecked"`
		Requirements []jsontext.Value `json:"requirements"`
	}
	if err := v.API.Get(path, nil, &p); err != nil {
		return project{}, err
	}
	lines := make([]summary, len(p.Requirements))
	for i, whole := range p.Requirements {
		if err := json.Unmarshal(whole, &lines[i]); err != nil {
			return project{}, err
		}
		lines[i].whole = whole
	}
	return project{p.Verdict, p.Evidence, p.Reasons, p.Unchecked, lines}, nil
}

// Implements: ORC-336
func show(v *page.Visit) (page.View, error) {
	p, err := projectOf(v)
	if err != nil {
		return page.View{}, err
	}
	chosen := choiceOf(v.Query)
	d := data{Columns: columns, Unchecked: p.Unchecked, Unverified: p.Evidence != verified}
	d.Opening, d.Lead = open(p)
	for i, c := range choices {
		d.Views = append(d.Views, view{c.name, address(path, i, nil), len(p.chosen(i)), i == chosen})
	}
	lines := p.chosen(chosen)
	from := 0
	if after := v.Query.Get("after"); after != "" {
		from = 1 + slices.IndexFunc(lines, func(l summary) bool { return l.ID == after })
	}
	shown := lines[from:min(len(lines), from+mostRows)]
	for _, s := range shown {
		l, err := s.read()
		if err != nil {
			return page.View{}, err
		}
		d.Rows = append(d.Rows, rowOf(l, p.Evidence))
	}
	d.Pages = pages{First: from + 1, Last: from + len(shown), Total: len(lines)}
	if from > 0 {
		d.Pages.Begin = address(path, chosen, nil)
	}
	if d.Pages.Last < len(lines) {
		d.Pages.Next = address(path, chosen, url.Values{"after": {shown[len(shown)-1].ID}})
	}
	d.Empty = len(p.Lines) == 0
	d.None = choices[chosen].none
	d.CSV = address(path+".csv", chosen, nil)
	return page.View{Title: "Matrix", Data: d}, nil
}

// chosen returns the lines of a choice.
func (p project) chosen(choice int) (all []summary) {
	for _, l := range p.Lines {
		if choices[choice].has(l) {
			all = append(all, l)
		}
	}
	return all
}

func choiceOf(q url.Values) int {
	for i, c := range choices {
		if c.parameter != "" && q.Get(c.parameter) == c.value {
			return i
		}
	}
	return 0
}

func address(path string, choice int, q url.Values) string {
	all := url.Values{}
	if c := choices[choice]; c.parameter != "" {
		all.Set(c.parameter, c.value)
	}
	for name, values := range q {
		all[name] = values
	}
	return page.Address(path, all)
}
