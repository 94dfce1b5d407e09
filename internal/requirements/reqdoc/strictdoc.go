package reqdoc

import (
	"strings"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/reqid"
)

// readStrictDoc reads a paragraph of StrictDoc fields with a **UID**, titled by the heading right above it.
func readStrictDoc(c *collector, b block) (label, bool) {
	if b.place != inParagraph {
		return label{}, false
	}
	at := 0
	for line := range strings.SplitSeq(b.text, "\n") {
		value, found := strictField(line, "UID")
		if !found {
			at += len(line) + 1
			continue
		}
		id := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(value), `\`))
		if id == "" {
			return label{}, false
		}
		title, begin := c.titleAbove(b.node)
		f, _ := reqid.FormOf(reqid.Canonical(id))
		return label{id: reqid.Canonical(id), token: id, form: f, at: at + strings.Index(line, id),
			rest: min(at+len(line)+1, len(b.text)), title: title, begin: begin}, true
	}
	return label{}, false
}

// strictField returns the value of a line **NAME**: value.
func strictField(line, name string) (string, bool) {
	line = strings.TrimLeft(line, " \t")
	mark := "**" + name + "**:"
	if len(line) < len(mark) || !strings.EqualFold(line[:len(mark)], mark) {
		return "", false
	}
	return line[len(mark):], true
}

// finishStrictDoc keeps the statement and what follows it, and takes title, relations and fields for tools out.
func finishStrictDoc(r *Requirement) {
	relations := false
	r.Text = filterLines(r.Text, func(line string) bool {
		if field := strictName(line); field != "" &&
			!(relations && (field == "TYPE" || field == "VALUE" || field == "ROLE")) {
			relations = field == "RELATIONS" || field == "REFS"
			value, _ := strictField(line, field)
			if field == "TITLE" {
				r.Title = markdown.Plain(value)
			}
			if field == "TITLE" || field == "MID" || field == "TAGS" || field == "STATUS" || field == "LEVEL" ||
				field == "PREFIX" {
				return false
			}
		}
		if relations {
			r.Parents = append(r.Parents, strictParents(line)...)
		}
		return !relations
	})
	if statement, found := strictField(r.Text, "STATEMENT"); found {
		r.Text = strings.TrimLeft(statement, " \t\n")
	}
}

// strictName returns the name of the field that a line begins, or "".
func strictName(line string) string {
	rest, bold := strings.CutPrefix(strings.TrimLeft(line, " \t"), "**")
	name, _, closed := strings.Cut(rest, "**:")
	if name = strings.ToUpper(name); !bold || !closed || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ ") != "" {
		return ""
	}
	return name
}

// strictParents returns the ids of a line of relations.
func strictParents(line string) []string {
	var ids []string
	for _, word := range strings.FieldsFunc(line, func(r rune) bool {
		return strings.ContainsRune(" \t*`:,[]()\\", r)
	}) {
		if _, shaped := reqid.FormOf(word); shaped && reqid.Scan(word) == word {
			ids = append(ids, word)
		}
	}
	return ids
}
