package reqdoc

import (
	"cmp"
	"strings"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/statusmark"
)

// written is what a definition was before marks of status were taken out of it.
type written struct{ title, text string }

// settle gives a requirement its title, priority, tick and fingerprints.
func (r *Requirement) settle(cand *candidate, line string) {
	before := *r
	marked := r.takeMarks(cand.place)
	r.claim(statusmark.Leads(line[:max(strings.Index(line, cand.token), 0)]))
	r.Priority = priority(cand, r)
	r.Title = cmp.Or(r.Title, firstSentence(r.Text))
	if marked {
		priority(cand, &before)
		r.written = &written{cmp.Or(before.Title, firstSentence(before.Text)), before.Text}
	}
	r.sign()
	r.Title = cmp.Or(r.Title, r.ID)
	if marked {
		r.written.title = cmp.Or(r.written.title, r.ID)
	}
}

// sign computes the fingerprints of a requirement.
func (r *Requirement) sign() {
	r.Fingerprint, r.Earlier = fingerprint(*r), ""
	if r.written == nil {
		return
	}
	before := *r
	before.Title, before.Text = r.written.title, r.written.text
	if earlier := fingerprint(before); earlier != r.Fingerprint {
		r.Earlier = earlier
	}
}

// takeMarks takes marks of status off the title, and off the text where the title is taken from it or the text goes on
// behind the label, and reports whether there were any. Of the text below a heading it takes a first line that is
// nothing else.
func (r *Requirement) takeMarks(p place) bool {
	title, text := r.Title, r.Text
	r.Title = r.cut(r.Title)
	if p == inRow {
		return title != r.Title
	}
	first, rest, several := strings.Cut(r.Text, "\n")
	switch untitled := title == ""; {
	case p == inHeading && !untitled:
		if shorter, _ := statusmark.Cut(first); shorter == "" {
			first = r.cut(first)
		}
	case untitled && isParagraph(r.Text):
		first = r.cut(first)
		at := strings.LastIndexByte(rest, '\n') + 1
		rest = rest[:at] + r.cut(rest[at:])
	default:
		first = r.cutStart(first)
	}
	if r.Text = first; several {
		r.Text = strings.TrimLeft(first+"\n"+rest, "\n")
	}
	return title != r.Title || text != r.Text
}

func (r *Requirement) cut(line string) string {
	rest, claim := statusmark.Cut(line)
	r.claim(claim)
	return rest
}

func (r *Requirement) cutStart(line string) string {
	rest, claim := statusmark.CutStart(line)
	r.claim(claim)
	return rest
}

// claim keeps as the tick what a mark claims, unless a check box or an earlier mark says it.
func (r *Requirement) claim(claim statusmark.Claim) {
	switch {
	case r.Tick != "":
	case claim == statusmark.Done:
		r.Tick = TickTicked
	case claim == statusmark.Open:
		r.Tick = TickOpen
	}
}

// isParagraph reports a text without empty lines, lists, tables and code.
func isParagraph(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ") ||
			strings.HasPrefix(line, "|") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			return false
		}
	}
	return true
}

// titleOf returns the title that a name makes.
func titleOf(name string) string {
	title, _ := statusmark.Cut(markdown.Plain(name))
	return title
}
