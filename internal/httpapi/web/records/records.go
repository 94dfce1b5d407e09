// Package records shows the log: its records newest first, each in one sentence, and of one record the bytes that were
// hashed with the proof that they are in the log.
package records

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
)

//go:embed *.html
var files embed.FS

// path is that of the page below page.Root, and of the log in the API.
const path = "/audit"

// template is that of both pages.
var template = page.Parse(files)

// Page returns the page of the log.
func Page() page.Page {
	return page.Page{Pattern: path, Nav: "Log", Template: template, Show: show, Act: verify}
}

// data is what the page shows.
type data struct {
	List       *list // nil on the page of one record
	One        *one
	Checked    *check
	Panel      *page.Panel
	Opening    string
	Checkpoint string
	Key        string
}

// list is a page of records.
type list struct {
	Filter      filter
	Kinds       []option
	Rows        []row
	Next, Begin string // addresses; "" where there is none
	Narrows     bool
}

// option is a kind that can be chosen.
type option struct {
	Value, Name string
	Chosen      bool
}

// filter is which records are asked for, by the names of the API.
type filter struct{ Kind, Actor, Requirement, Code string }

// mostRows is how many records a page has.
const mostRows = 50

func filterOf(q url.Values) filter {
	get := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	return filter{get("kind"), get("actor"), get("requirement"), get("code")}
}

// values returns the filter as parameters, of which none is empty.
func (f filter) values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"kind": f.Kind, "actor": f.Actor, "requirement": f.Requirement, "code": f.Code,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// logPage is a part of the log as the API answers it.
type logPage struct {
	Size    uint64           `json:"size"`
	Records []jsontext.Value `json:"records"`
	Next    string           `json:"next"`
}

// Implements: ORC-337
func show(v *page.Visit) (page.View, error) {
	f := filterOf(v.Query)
	q := f.values()
	q.Set("order", "desc")
	q.Set("limit", strconv.Itoa(mostRows))
	if before := beforeOf(v.Query); before != "" {
		q.Set("before", before)
	}
	var got logPage
	if err := v.API.Get(path, q, &got); err != nil {
		return page.View{}, err
	}
	l := &list{Filter: f, Kinds: kindsOf(f.Kind), Narrows: len(f.values()) > 0}
	d := data{List: l, Panel: page.NewPanel(v.Refused)}
	for _, raw := range got.Records {
		l.Rows = append(l.Rows, rowOf(raw))
	}
	if next, err := url.Parse(got.Next); err == nil && got.Next != "" {
		to := f.values()
		to.Set("before", next.Query().Get("before"))
		l.Next = page.Address(path, to)
	}
	if q.Has("before") {
		l.Begin = page.Address(path, f.values())
	}
	d.Checked, _ = v.Found.(*check)
	d.Opening = open(v, got.Size, *l, d.Checked)
	d.Checkpoint, d.Key = text(v.API, path+"/checkpoint"), text(v.API, path+"/key")
	return page.View{Title: "Log", Live: liveOf(q), Data: d}, nil
}

// open says how large the log is, how new, and whether it was verified.
func open(v *page.Visit, size uint64, l list, checked *check) string {
	said := sized(size)
	if len(l.Rows) > 0 && !l.Narrows && l.Begin == "" {
		said += ", the newest of " + words.Moment(l.Rows[0].At, v.Now)
	}
	if checked != nil && checked.Holds() {
		said += ", all verified"
	}
	return said + "."
}

// sized says how many records there are.
func sized(n uint64) string {
	return number(n) + words.Plural(int(min(n, 2)), " record", " records")
}

func number(n uint64) string { return words.Number(int(n)) }

// liveOf says that the newest records are kept up; a page further back stays as it is.
func liveOf(q url.Values) string {
	if q.Has("before") {
		return ""
	}
	return "*"
}

// beforeOf returns the number before which the page begins: as the address says, or behind the record that it names.
func beforeOf(q url.Values) string {
	if n, err := strconv.ParseUint(q.Get("from"), 10, 63); err == nil {
		return strconv.FormatUint(n+1, 10)
	}
	return q.Get("before")
}

// text returns what the API answers as text; "" where it does not.
func text(api ask.API, path string) string {
	got := api.Send(ask.Call{Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {"text/plain"}}})
	if got.Refused() != nil {
		return ""
	}
	return string(got.Body)
}

// refusals are the kinds of records that say that something was refused.
const refusals = "requirement.refused,request.refused,refusals.folded"

func kindsOf(chosen string) []option {
	all := []option{{"", "Every kind", chosen == ""}, {refusals, "Every refusal", chosen == refusals}}
	for _, k := range kinds {
		all = append(all, option{k.name, k.name, chosen == k.name})
	}
	known := slices.ContainsFunc(all, func(o option) bool { return o.Chosen })
	if !known {
		all = append(all, option{chosen, chosen, true})
	}
	return all
}

// check is how far the log was verified.
type check struct {
	Log struct {
		Size     uint64 `json:"size"`
		Root     string `json:"root"`
		Verified uint64 `json:"verified_up_to"`
		Problem  string `json:"problem"`
	} `json:"log"`
}

// verify has the service verify the log: it reads and hashes the records that it has not verified before. The
// review says so of the whole project; its lines are left out, none being so old.
func verify(v *page.Visit) (page.Outcome, error) {
	c := new(check)
	if err := v.API.Get("/project/review", url.Values{"older_than": {"99999d"}}, c); err != nil {
		return page.Outcome{}, err
	}
	v.Found = c
	return page.Outcome{Said: c.Said(), Tried: true}, nil
}

// Said returns, in words, what verifying came to.
func (c check) Said() string {
	switch {
	case c.Log.Problem != "":
		return "The log does not hold: " + c.Log.Problem + "."
	case c.Log.Verified == c.Log.Size:
		return "The service has read and hashed each of them; together they make this root:"
	}
	return number(c.Log.Verified) + " of " + number(c.Log.Size) + " records were verified."
}

// Holds reports whether all of the log was verified.
func (c check) Holds() bool { return c.Log.Problem == "" && c.Log.Verified == c.Log.Size }
