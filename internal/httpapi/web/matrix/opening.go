package matrix

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// part is a piece of a sentence; one with an address is a link.
type part struct{ Text, Href string }

// named is how many requirements a sentence names.
const named = 3

// open says the verdict.
func open(p project) (parts []part, lead string) {
	if len(p.Lines) == 0 {
		return []part{{Text: "There are no requirements yet."}}, ""
	}
	parts = append(parts, part{Text: openCount(p)})
	if stale := p.doneStale(); len(stale) > 0 {
		parts = append(
			parts,
			part{Text: fmt.Sprintf(" %s done %s on stale evidence", words.Upper(words.Count(len(stale))+
				words.Plural(len(stale), " that is", " that are")), words.Plural(len(stale), "rests", "rest"))},
		)
		for i, l := range stale[:min(len(stale), named)] {
			between := ", "
			if i == 0 {
				between = ": "
			}
			parts = append(parts, part{Text: between}, part{l.ID, page.To("requirements", l.ID)})
		}
		if len(stale) > named {
			parts = append(parts, part{Text: " and "},
				part{words.Count(len(stale)-named) + " more", page.Root + path + "?stale=true"})
		}
		parts = append(parts, part{Text: "."})
	}
	if len(p.Reasons) > 0 {
		lead = verdicts[p.Verdict] + strings.Join(p.Reasons, "; ") + "."
	}
	return parts, lead
}

// verdicts begin the line that says why.
var verdicts = map[string]string{
	review.NotReady:     "Not ready: ",
	review.Inconsistent: "Inconsistent: ",
}

func openCount(p project) string {
	open := 0
	for _, l := range p.Lines {
		if slices.Contains(l.Codes, review.CodeNotDone) {
			open++
		}
	}
	if open == 0 {
		return fmt.Sprintf("None of %s is open.", words.Count(len(p.Lines)))
	}
	return fmt.Sprintf("%s of %s %s open.", words.Upper(words.Count(open)), words.Count(len(p.Lines)),
		words.Plural(open, "is", "are"))
}

func (p project) doneStale() (all []summary) {
	for _, l := range p.Lines {
		if l.Status == lifecycle.Done && len(l.Stale) > 0 {
			all = append(all, l)
		}
	}
	return all
}
