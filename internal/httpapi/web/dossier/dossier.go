// Package dossier shows one requirement with all that a person weighs before a decision, and carries the decision out.
package dossier

import (
	"cmp"
	"embed"
	"net/url"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: "/requirements/{id}", Nav: "Board", Template: page.Parse(files), Show: show, Act: act}
}

// data is what the page shows.
type data struct {
	review.Dossier
	Status   lifecycle.Status
	For      page.When
	Section  string // the heading above it
	Path     []step
	Text     text
	Design   *written
	Code     *written
	Test     *written
	Gates    []review.GateVerdict
	Met      int // of the gates
	Standing []stands
	Line     timeline
	Forms    forms
	Panel    *page.Panel
	Tried    string
	Role     string
}

// stands is something that is said of the requirement as it stands: stale, suspect, retired, held.
type stands struct{ Mark, Text string }

// asked is what the API says of a requirement.
type asked struct {
	review.Dossier
	next guidance.View
}

func read(v *page.Visit) (asked, error) {
	var a asked
	if err := v.API.Get(pathTo(v.ID, "review"), url.Values{"cited": {"true"}}, &a.Dossier); err != nil {
		return a, err
	}
	return a, v.API.Get(pathTo(v.ID, "next"), nil, &a.next)
}

// pathTo returns the path of the API to something of a requirement.
func pathTo(id, what string) string { return "/requirements/" + url.PathEscape(id) + "/" + what }

func show(v *page.Visit) (page.View, error) {
	a, err := read(v)
	if err != nil {
		return page.View{}, err
	}
	d := data{
		Dossier: a.Dossier, Status: a.Standing.Status, For: page.Since(a.Standing.Since, v.Now, false),
		Path: pathOf(a.Dossier), Section: sectionOf(a.Definition),
		Text: textOf(a.Definition), Standing: standing(a.Dossier),
		Line: lineOf(a.Dossier, v.Query.Get("history") == "all"), Forms: formsOf(v, a),
		Panel: page.NewPanel(v.Refused), Tried: v.Tried, Role: v.Who.Role,
	}
	for _, p := range a.Parts {
		w := writtenOf(p, pathTo(a.Definition.ID, "review"))
		switch p.Name {
		case lifecycle.FieldDesignSpec:
			d.Design = w
		case lifecycle.FieldImplementation:
			d.Code = w
		case lifecycle.FieldTest:
			d.Test = w
		}
	}
	d.Gates, d.Met = gatesOf(a.Dossier)
	return page.View{Title: a.Definition.ID + " " + a.Definition.Title, Live: a.Definition.ID, Data: d}, nil
}

// sectionOf returns the heading above a requirement, or else what kind of thing it is.
func sectionOf(d lifecycle.Definition) string {
	if n := len(d.Source.Section); n > 0 {
		return d.Source.Section[n-1]
	}
	return d.Kind
}

// maxText is how many bytes of a text the page shows. The rest has pages of its own.
const maxText = 4 << 10

// text is the text of the requirement, as far as it is shown.
type text struct {
	Shown string
	More  int // bytes of all of it; 0 where all is shown
}

func textOf(d lifecycle.Definition) text {
	if len(d.Text) <= maxText {
		return text{Shown: d.Text}
	}
	return text{Shown: strings.ToValidUTF8(d.Text[:maxText], ""), More: len(d.Text)}
}

// step is one of the statuses on the way to done.
type step struct {
	Status  lifecycle.Status
	At      time.Time // when it was reached last; zero where it was not
	Reached bool
	Now     bool
}

// way are the statuses from the beginning to done.
var way = []lifecycle.Status{
	lifecycle.NotStarted, lifecycle.Planned, lifecycle.DesignInProgress, lifecycle.DesignReady,
	lifecycle.ImplementationInProgress, lifecycle.Implemented, lifecycle.TestInProgress, lifecycle.TestedPass,
	lifecycle.Done,
}

// pathOf returns the way of a requirement. What is held, failed or sent back stands at the status that it came from.
func pathOf(d review.Dossier) []step {
	reached := map[lifecycle.Status]time.Time{}
	for _, m := range d.History {
		reached[m.To] = m.At
	}
	at := slices.Index(way, d.Standing.Status)
	for i := len(d.History) - 1; at < 0 && i >= 0; i-- {
		at = slices.Index(way, d.History[i].From)
	}
	steps := make([]step, len(way))
	for i, s := range way {
		steps[i] = step{Status: s, Reached: i <= at, Now: s == d.Standing.Status}
		if i <= at {
			steps[i].At = reached[s]
		}
	}
	return steps
}

// standing says what is to be said of the requirement before all else.
func standing(d review.Dossier) (all []stands) {
	s := d.Standing
	if s.Retired {
		all = append(all, stands{"m-missing", "The documents no longer have it."})
	}
	if s.Suspect {
		all = append(all, stands{"m-stale", "Its text changed after work on it had begun."})
	}
	if s.Held != nil {
		all = append(all, stands{"m-unmet", s.Held.Reason})
	}
	for _, stale := range s.Stale {
		all = append(all, stands{"m-stale", words.Upper(words.Part(stale.Part)) + ": " + stale.Detail + "."})
	}
	for _, path := range s.Dirty {
		all = append(all, stands{"m-dirty", path + " has changes that are not committed."})
	}
	return all
}

// gatesOf returns what is needed for done, what is unmet first, each need once.
func gatesOf(d review.Dossier) (all []review.GateVerdict, met int) {
	seen := map[string]bool{}
	for _, g := range d.Gates {
		if seen[g.Name] {
			continue
		}
		seen[g.Name] = true
		if g.Met {
			met++
		}
		all = append(all, g)
	}
	slices.SortStableFunc(all, func(a, b review.GateVerdict) int { return cmp.Compare(order(a.Met), order(b.Met)) })
	return all, met
}

func order(met bool) int {
	if met {
		return 1
	}
	return 0
}
