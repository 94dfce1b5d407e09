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

// named is how many requirements a sentence names.
const named = 3

// open says the verdict.
func open(p project) (parts []page.Phrase, lead string) {
	if len(p.Lines) == 0 {
		return []page.Phrase{{Text: "There are no requirements yet."}}, ""
	}
	parts = append(parts, page.Phrase{Text: openCount(p)})
	if stale := p.doneStale(); len(stale) > 0 {
		parts = append(parts, staleParts(stale)...)
	}
	if len(p.Reasons) > 0 {
		lead = verdicts[p.Verdict] + strings.Join(p.Reasons, "; ") + "."
	}
	return parts, lead
}

// staleParts names those that are done on stale evidence.
func staleParts(stale []summary) []page.Phrase {
	parts := []page.Phrase{{Text: fmt.Sprintf(" %s done %s on stale evidence",
		words.Upper(words.Counted(len(stale), "that is", "that are")), words.Plural(len(stale), "rests", "rest"))}}
	for i, l := range stale[:min(len(stale), named)] {
		between := ", "
		if i == 0 {
			between = ": "
		}
		parts = append(parts, page.Phrase{Text: between}, page.Phrase{Text: l.ID, Href: page.To("requirements", l.ID)})
	}
	if more := len(stale) - named; more > 0 {
		parts = append(parts, page.Phrase{Text: " and "},
			page.Phrase{Text: words.Count(more) + " more", Href: page.Root + path + "?stale=true"})
	}
	return append(parts, page.Phrase{Text: "."})
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
	return words.Upper(words.SomeOf(open, len(p.Lines))) + " open."
}

func (p project) doneStale() (all []summary) {
	for _, l := range p.Lines {
		if l.Status == lifecycle.Done && len(l.Stale) > 0 {
			all = append(all, l)
		}
	}
	return all
}
