package board

import (
	"fmt"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

// part is a piece of a sentence; one with an address is a link.
type part struct{ Text, Href string }

func statusName(s lifecycle.Status) string { return words.Upper(words.Status(string(s))) }

// areIn begins a sentence: "Four are".
func areIn(n int) string { return words.Upper(words.Count(n)) + words.Plural(n, " is", " are") }

// openBoard says what is stuck; of a board that is filtered, how many requirements pass.
func (r reader) openBoard(columns []column) (parts []part, lead string) {
	total := 0
	for _, c := range columns {
		total += c.Count
	}
	done := someOf(r.counts.ByStatus[lifecycle.Done], r.counts.Total) + " done."
	switch {
	case r.filter.narrows():
		return r.openFiltered(total), done
	case !r.progress.known:
		return []part{{Text: done}}, ""
	case r.progress.Total == 0:
		return []part{{Text: "Nothing is stuck."}}, done
	}
	first, before := r.progress.Stuck[0], "; the oldest, "
	if r.progress.Total == 1 {
		before = ": "
	}
	return []part{
		{areIn(r.progress.Total) + " stuck", page.Root + "/requirements?stuck=true"}, {Text: before},
		{first.ID, page.To("requirements", first.ID)}, {Text: ", for " + words.For(r.Now.Sub(first.Since)) + "."},
	}, done
}

// someOf begins a sentence: "Eleven of 40 are".
func someOf(n, of int) string {
	if n == 0 {
		return fmt.Sprintf("None of %s is", words.Count(of))
	}
	return fmt.Sprintf("%s of %s %s", words.Upper(words.Count(n)), words.Count(of), words.Plural(n, "is", "are"))
}

func (r reader) openFiltered(n int) []part {
	if n == 0 {
		return []part{
			{Text: fmt.Sprintf("None of %s requirements is %s.", words.Count(r.counts.Total), r.filter.words())},
		}
	}
	return []part{{Text: fmt.Sprintf("%s of %s requirements %s %s.", words.Upper(words.Count(n)),
		words.Count(r.counts.Total), words.Plural(n, "is", "are"), r.filter.words())}}
}

// openList says how many requirements are in a status.
func (r reader) openList(n int) (parts []part, lead string) {
	if n == 0 || r.filter.narrows() {
		return r.openFiltered(n), ""
	}
	return []part{{Text: areIn(n) + " " + r.filter.words() + "."}},
		fmt.Sprintf("There are %s requirements.", words.Number(r.counts.Total))
}

// words says which requirements pass the filter, as a sentence goes on after "are".
func (f filter) words() string {
	var all []string
	if f.status != "" {
		all = append(all, words.Status(string(f.status)))
	}
	if f.stuck {
		all = append(all, "stuck")
	}
	if f.stale {
		all = append(all, "stale")
	}
	if f.suspect {
		all = append(all, "suspect")
	}
	if f.turn != "" {
		all = append(all, "waiting for "+turnOf(f.turn))
	}
	if f.text != "" {
		all = append(all, "found by \u201c"+f.text+"\u201d")
	}
	return words.And(all...)
}

func turnOf(party string) string {
	name := turns[lifecycle.Party(party)]
	return strings.ToLower(name[:1]) + name[1:]
}
