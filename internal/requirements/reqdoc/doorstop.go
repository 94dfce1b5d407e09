package reqdoc

import (
	"strings"

	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/vocabulary"
)

// readDoorstop reads a heading as Doorstop publishes an item: "1.4 REQ003 {#REQ003}", or "2.1 Title _(REQ002)_
// {#REQ002}". A heading whose id stands in the braces alone is a chapter.
func readDoorstop(c *collector, b block) (label, bool) {
	text := strings.TrimRight(b.text, " \t#")
	if b.place != inHeading || !strings.HasSuffix(text, "}") {
		return label{}, false
	}
	open := strings.LastIndex(text, "{#")
	if open < 0 {
		return label{}, false
	}
	id := text[open+2 : len(text)-1]
	if _, shaped := reqid.FormOf(id); !shaped || reqid.Scan(id) != id {
		return label{}, false
	}
	name := vocabulary.CutNumber(text[:open])
	l := label{id: reqid.Canonical(id), token: id, at: open + 2, rest: len(b.text)}
	at := strings.Index(name, id)
	if at < 0 {
		l.flaw, l.fix = "it is a chapter: its heading does not show the id",
			"write the id into the heading if it is a requirement"
		l.reason = ReasonUnrelated
		return l, true
	}
	l.title = strings.Trim(name[:at], " \t_*(") + " " + strings.Trim(name[at+len(id):], " \t_*):")
	return l, true
}

// finishDoorstop takes the lines of links out of the text.
func finishDoorstop(r *Requirement) {
	r.Text = filterLines(r.Text, func(line string) bool {
		line = strings.Trim(line, " \t*_")
		kind, ids, found := strings.Cut(line, ":")
		switch {
		case !found:
			return true
		case kind == "Parent links" || kind == "Links":
			for part := range strings.SplitSeq(ids, ",") {
				if id := reqid.Scan(strings.TrimLeft(part, " \t[")); id != "" {
					r.Parents = append(r.Parents, id)
				}
			}
		case kind != "Child links":
			return true
		}
		return false
	})
}
