package reqdoc

import (
	"strings"
	"unicode"
)

// readFastTrace reads an OpenFastTrace specification item: `type~name~revision` in a code span that begins a
// paragraph, titled by the heading right above it.
func readFastTrace(c *collector, b block) (label, bool) {
	if b.place != inParagraph {
		return label{}, false
	}
	first, _, _ := strings.Cut(b.text, "\n")
	open := strings.IndexByte(first, '`')
	if open < 0 || strings.Trim(first[:open], " \t*_") != "" {
		return label{}, false
	}
	id := fastTraceID(first[open+1:])
	if id == "" || !strings.HasPrefix(first[open+1+len(id):], "`") ||
		strings.Trim(first[open+len(id)+2:], " \t*_\\") != "" {
		return label{}, false
	}
	title, begin := c.titleAbove(b.node)
	return label{id: id, token: id, at: open + 1, rest: len(first), title: title, begin: begin}, true
}

// fastTraceID returns the id at the start of s: letters, '~', a name, '~' and a number; "" if there is none.
func fastTraceID(s string) string {
	kind := len(s) - len(strings.TrimLeftFunc(s, unicode.IsLetter))
	if kind == 0 || !strings.HasPrefix(s[kind:], "~") {
		return ""
	}
	rest := s[kind+1:]
	name := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r)
	}))
	if name == 0 || !strings.HasPrefix(rest[name:], "~") {
		return ""
	}
	number := rest[name+1:]
	digits := len(number) - len(strings.TrimLeft(number, "0123456789"))
	if digits == 0 {
		return ""
	}
	return s[:kind+1+name+1+digits]
}

// fastTraceIDs returns all ids in a line.
func fastTraceIDs(line string) []string {
	var ids []string
	for at := 0; at < len(line); {
		end := strings.IndexByte(line[at:], '~')
		if end < 0 {
			break
		}
		head := line[at : at+end]
		start := at + len(strings.TrimRightFunc(head, unicode.IsLetter))
		id := fastTraceID(line[start:])
		if id == "" {
			at += end + 1
			continue
		}
		ids = append(ids, id)
		at = start + len(id)
	}
	return ids
}

// finishFastTrace takes the links and the lines for tools out of the text.
func finishFastTrace(r *Requirement) {
	var links *[]string // that the list below a keyword fills
	r.Text = filterLines(r.Text, func(line string) bool {
		word, rest, found := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case found && word == "Covers":
			links = &r.Parents
		case found && word == "Depends":
			links = &r.DependsOn
		case found && (word == "Needs" || word == "Tags" || word == "Status"):
			links = nil
			return false
		case links == nil:
			return true
		case rest == "" && !strings.HasPrefix(strings.TrimLeft(line, " \t"), "*") &&
			!strings.HasPrefix(strings.TrimLeft(line, " \t"), "-") &&
			!strings.HasPrefix(strings.TrimLeft(line, " \t"), "+") && strings.TrimSpace(line) != "":
			links = nil
			return true
		}
		*links = append(*links, fastTraceIDs(line)...)
		return false
	})
}
