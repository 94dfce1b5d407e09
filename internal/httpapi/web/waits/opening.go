package waits

import (
	"fmt"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/rules/lifecycle"
)

// opening is the sentence with which the page begins, whose parts lead on, and the one below it.
type opening struct {
	Parts []part
	Lead  string
}

// part is a piece of a sentence; one with an address is a link.
type part struct{ Text, Href string }

// open says what waits, for how long, and what can be signed now; of a viewer, what is stuck.
func open(d data, a agenda.Agenda, now time.Time) opening {
	switch {
	case d.Empty:
		return opening{[]part{{Text: "There are no requirements yet."}},
			"The service reads them from the requirement documents of its project; the import says which it looks for."}
	case d.Looks:
		return opening{stuckParts(d, now), project(d, a)}
	}
	total := 0
	for _, g := range d.Groups {
		total += g.Count()
	}
	if total == 0 {
		return opening{nothing(d), project(d, a)}
	}
	whom := "for you"
	if !d.Mine {
		whom = "for the " + string(d.Role)
	}
	text := fmt.Sprintf("%s %s %s, the oldest for ", words.Upper(words.Count(total)),
		words.Plural(total, "waits", "wait"), whom)
	row := oldest(d)
	parts := []part{{Text: text}, {words.For(now.Sub(row.Since)), row.Href()}, {Text: "."}}
	if n, first := signable(d); n > 0 {
		parts = append(parts, part{Text: " "}, part{words.Upper(words.Count(n)) + " can be signed now", first},
			part{Text: "."})
	}
	return opening{parts, project(d, a)}
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
func nothing(d data) []part {
	text := "Nothing waits for you."
	if !d.Mine {
		text = "Nothing waits for the " + string(d.Role) + "."
	}
	parts := []part{{Text: text}}
	if len(d.Others) > 0 {
		w := d.Others[0]
		parts = append(
			parts,
			part{
				Text: fmt.Sprintf(" %s %s for ", words.Upper(words.Count(w.Count)),
					words.Plural(w.Count, "waits", "wait")),
			},
			part{"the " + w.For, page.Root + "/?role=" + w.For},
			part{Text: "."},
		)
	}
	return parts
}

func stuckParts(d data, now time.Time) []part {
	if len(d.Stuck) == 0 {
		return []part{{Text: "Nothing is stuck."}}
	}
	first := d.Stuck[0]
	return []part{
		{
			Text: fmt.Sprintf("%s %s stuck; ", words.Upper(words.Count(d.AllStuck)),
				words.Plural(d.AllStuck, "is", "are")),
		},
		{Text: "the oldest, "}, {first.ID, first.Href()}, {Text: ", for " + words.For(now.Sub(first.Since)) + "."},
	}
}

// project says how far the whole project is.
func project(d data, a agenda.Agenda) string {
	done := a.Counts.ByStatus[lifecycle.Done]
	text := fmt.Sprintf("%s of %s %s done.", words.Upper(words.Count(done)), words.Count(a.Counts.Total),
		words.Plural(max(done, 1), "is", "are"))
	if d.AllStuck > 0 {
		text += fmt.Sprintf(" %s %s stuck.", words.Upper(words.Count(d.AllStuck)),
			words.Plural(d.AllStuck, "is", "are"))
	}
	return text
}
