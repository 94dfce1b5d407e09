package waits

import (
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/rules/lifecycle"
)

// opening is the sentence with which the page begins, and the one below it.
type opening struct {
	Parts []page.Phrase
	Lead  string
}

// open says what waits, for how long, and what can be signed now; to a viewer, what is stuck.
func open(d data, a agenda.Agenda, now time.Time) opening {
	if d.Empty {
		return opening{[]page.Phrase{{Text: "There are no requirements yet."}},
			"The service reads them from the requirement documents of its project; the import says which it looks for."}
	}
	o := opening{Lead: project(d, a)}
	total := 0
	for _, g := range d.Groups {
		total += g.Count()
	}
	switch {
	case d.Looks:
		o.Parts = stuckParts(d, now)
	case total == 0:
		o.Parts = nothing(d)
	default:
		o.Parts = waitingParts(d, total, now)
	}
	return o
}

// waitingParts says how many wait, the oldest for how long, and how many can be signed now.
func waitingParts(d data, total int, now time.Time) []page.Phrase {
	whom := "for you"
	if !d.Mine {
		whom = "for the " + string(d.Role)
	}
	row := oldest(d)
	parts := []page.Phrase{
		{Text: words.Upper(words.Counted(total, "waits ", "wait ")) + whom + ", the oldest for "},
		{Text: words.For(now.Sub(row.Since)), Href: row.Href()}, {Text: "."},
	}
	if n, first := signable(d); n > 0 {
		parts = append(parts, page.Phrase{Text: " "},
			page.Phrase{Text: words.Upper(words.Count(n)) + " can be signed now", Href: first}, page.Phrase{Text: "."})
	}
	return parts
}

// signable returns how many of those that are shown lack an approval alone, and the address of the first.
func signable(d data) (n int, first string) {
	for _, g := range d.Groups {
		for _, r := range g.Rows {
			if r.Says == onlyApproval {
				if n++; n == 1 {
					first = r.Href()
				}
			}
		}
	}
	return n, first
}

func oldest(d data) (oldest page.Row) {
	for _, g := range d.Groups {
		for _, r := range g.Rows {
			if oldest.ID == "" || r.Since.Before(oldest.Since) {
				oldest = r
			}
		}
	}
	return oldest
}

// nothing says that nothing waits, and for whom the rest does.
func nothing(d data) []page.Phrase {
	text := "Nothing waits for you."
	if !d.Mine {
		text = "Nothing waits for the " + string(d.Role) + "."
	}
	if len(d.Others) == 0 {
		return []page.Phrase{{Text: text}}
	}
	w := d.Others[0]
	return []page.Phrase{
		{Text: text + " " + words.Upper(words.Counted(w.Count, "waits", "wait")) + " for "},
		{Text: "the " + w.For, Href: page.Root + "/?role=" + w.For}, {Text: "."},
	}
}

func stuckParts(d data, now time.Time) []page.Phrase {
	if len(d.Stuck) == 0 {
		return []page.Phrase{{Text: "Nothing is stuck."}}
	}
	first := d.Stuck[0]
	return []page.Phrase{
		{Text: words.Upper(words.Counted(d.AllStuck, "is", "are")) + " stuck; the oldest, "},
		{Text: first.ID, Href: first.Href()}, {Text: ", for " + words.For(now.Sub(first.Since)) + "."},
	}
}

// project says how far the whole project is.
func project(d data, a agenda.Agenda) string {
	text := words.Upper(words.SomeOf(a.Counts.ByStatus[lifecycle.Done], a.Counts.Total)) + " done."
	if d.AllStuck > 0 {
		text += " " + words.Upper(words.Counted(d.AllStuck, "is", "are")) + " stuck."
	}
	return text
}
