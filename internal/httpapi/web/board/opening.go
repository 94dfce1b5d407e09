package board

import (
	"fmt"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

func statusName(s lifecycle.Status) string { return words.Upper(words.Status(string(s))) }

// areIn begins a sentence: "Four are".
func areIn(n int) string { return words.Upper(words.Counted(n, "is", "are")) }

// openBoard says what is stuck; of a board that is filtered, how many requirements pass.
func (r reader) openBoard(columns []column) (parts []page.Phrase, lead string) {
	total := 0
	for _, c := range columns {
		total += c.Count
	}
	done := words.Upper(words.SomeOf(r.counts.ByStatus[lifecycle.Done], r.counts.Total)) + " done."
	switch {
	case r.filter.narrows():
		return r.openFiltered(total), done
	case !r.pace.known:
		return []page.Phrase{{Text: done}}, ""
	case r.pace.AllStuck == 0:
		return []page.Phrase{{Text: "Nothing is stuck."}}, done
	}
	first, before := r.pace.Stuck[0], "; the oldest, "
	if r.pace.AllStuck == 1 {
		before = ": "
	}
	return []page.Phrase{
		{Text: areIn(r.pace.AllStuck) + " stuck", Href: page.Root + "/requirements?stuck=true"}, {Text: before},
		{Text: first.ID, Href: page.To("requirements", first.ID)},
		{Text: ", for " + words.For(r.Now.Sub(first.Since)) + "."},
	}, done
}

// openFiltered says how many requirements pass the filter.
func (r reader) openFiltered(n int) []page.Phrase {
	return []page.Phrase{{Text: fmt.Sprintf("%s of %s requirements %s %s.", words.Upper(words.Count(n)),
		words.Count(r.counts.Total), words.Plural(max(n, 1), "is", "are"), r.filter.words())}}
}

// openList says how many requirements are in a status.
func (r reader) openList(n int) (parts []page.Phrase, lead string) {
	if n == 0 || r.filter.narrows() {
		return r.openFiltered(n), ""
	}
	return []page.Phrase{{Text: areIn(n) + " " + r.filter.words() + "."}},
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
