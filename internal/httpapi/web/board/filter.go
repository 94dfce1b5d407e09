package board

import (
	"net/url"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/rules/lifecycle"
)

// filter is which requirements are asked for. Its parameters have the names of the API, but for stuck.
type filter struct {
	status                lifecycle.Status // "" is all, as columns
	text                  string
	turn                  string // of a party
	stuck, stale, suspect bool
}

func filterOf(q url.Values) filter {
	f := filter{text: strings.TrimSpace(q.Get("q")), stuck: q.Get("stuck") == "true", stale: q.Get("stale") == "true",
		suspect: q.Get("suspect") == "true"}
	if isStatus(q.Get("status")) {
		f.status = lifecycle.Status(q.Get("status"))
	}
	for _, p := range lookup.Parties() {
		if q.Get("waiting_for") == string(p) {
			f.turn = string(p)
		}
	}
	return f
}

// narrows reports whether the filter leaves something out besides by status.
func (f filter) narrows() bool {
	return f.text != "" || f.turn != "" || f.stuck || f.stale || f.suspect
}

// query returns the parameters of the API, for one status.
func (f filter) query(status lifecycle.Status) url.Values {
	q := url.Values{"status": {string(status)}}
	if f.text != "" {
		q.Set("q", f.text)
	}
	if f.turn != "" {
		q.Set("waiting_for", f.turn)
	}
	if f.stale {
		q.Set("stale", "true")
	}
	if f.suspect {
		q.Set("suspect", "true")
	}
	return q
}

// address returns that of the list of a status, with the rest of the filter.
func (f filter) address(status lifecycle.Status) string {
	return page.Address("/requirements", f.values(status))
}

func (f filter) values(status lifecycle.Status) url.Values {
	q := f.query(status)
	if f.stuck {
		q.Set("stuck", "true")
	}
	return q
}

// form is the filter as fields.
type form struct {
	Text                  string
	Turns, Statuses       []option
	Stuck, Stale, Suspect bool
	Narrows               bool
}

// option is what can be chosen.
type option struct {
	Value, Name string
	Chosen      bool
}

// turns say for whom a requirement waits, as a form has it.
var turns = map[lifecycle.Party]string{
	lifecycle.Party(lifecycle.PM):        "The PM",
	lifecycle.Party(lifecycle.Architect): "The architect",
	lifecycle.Party(lifecycle.Coder):     "The coder",
	lifecycle.Party(lifecycle.Tester):    "The tester",
	lifecycle.Operator:                   "The operator",
	lifecycle.Document:                   "Who writes the documents",
}

func formOf(f filter) form {
	d := form{Text: f.text, Stuck: f.stuck, Stale: f.stale, Suspect: f.suspect, Narrows: f.narrows() || f.status != "",
		Turns:    []option{{"", "Anybody", f.turn == ""}},
		Statuses: []option{{"", "All, in columns", f.status == ""}}}
	for _, p := range lookup.Parties() {
		d.Turns = append(d.Turns, option{string(p), turns[p], f.turn == string(p)})
	}
	for _, s := range known() {
		d.Statuses = append(d.Statuses, option{string(s), statusName(s), f.status == s})
	}
	return d
}
