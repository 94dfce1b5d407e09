package reqdoc

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"orchestrator/internal/requirements/placeholder"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/vocabulary"
)

// family is one habit of writing requirement documents.
type family struct {
	name string
	mark string // what shows it, for people

	// read reads a definition at the start of a block, if the block bears the mark of the family. It is nil where
	// definitions are written as in plain Markdown.
	read func(*collector, block) (label, bool)

	// finish takes what the family writes into the body beside the text, such as links, out of it. It may be nil.
	finish func(*Requirement)

	// shows says which heading or label marks a document whose definitions are written as in plain Markdown. It is
	// nil where read tells.
	shows func(line string, heading bool) bool
}

// families are looked for in this order, block by block; a family is added here and in a file of its own.
var families = []family{
	{name: "openfasttrace", mark: "an id such as `req~name~1` in a code span that begins a paragraph", read: readFastTrace, finish: finishFastTrace},
	{name: "doorstop", mark: "a heading that ends with its id as {#ID}", read: readDoorstop, finish: finishDoorstop},
	{name: "strictdoc", mark: "a line **UID**: ID below a heading", read: readStrictDoc, finish: finishStrictDoc},
	{name: "openspec", mark: "a heading Requirement: name, in any of its languages", read: readOpenSpec},
	{name: "kiro", mark: "a heading Requirement 3: title, in any of its languages", read: readKiro, finish: finishKiro},
	{name: "spec-kit", mark: "a heading User Story 1, or a label Feature Branch", read: readStory, shows: showsSpecKit},
	{name: "gsd", mark: "a heading v1 Requirements, or a label Core Value", shows: showsGSD},
	{name: "bmad", mark: "a heading PRD, or ids such as **FR1** without a hyphen", shows: showsBMAD},
	{name: plainFamily, mark: "an id at the start of a heading, item, table row or bold label"},
}

const plainFamily = "markdown"

// Families returns the names of the families, in the order in which their marks are looked for.
func Families() []string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.name
	}
	return names
}

func known(name string) bool { return slices.Contains(Families(), name) }

// bare returns a heading without what decorates its start: symbols, a number, emphasis, remarks in brackets.
func bare(heading string) string {
	for range 4 { // more decoration is none
		rest := vocabulary.CutNumber(strings.TrimLeft(vocabulary.CutSymbols(heading), " \t*_"))
		if inner, length := "", 0; strings.HasPrefix(rest, "[") {
			if inner, length = placeholder.Bracketed(rest); inner != "" {
				rest = rest[length:]
			}
		}
		if rest == heading {
			return heading
		}
		heading = rest
	}
	return heading
}

// block is a heading, paragraph or item that may begin with a definition.
type block struct {
	place place
	node  ast.Node
	text  string // source, without the check box of an item
	start int    // offset of text in the document
}

// readsPlain reports whether definitions are taken as in plain Markdown too: unless a family was asked for that has a
// mark for all of its own.
func (c *collector) readsPlain() bool {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == c.only })
	return i < 0 || families[i].read == nil || families[i].shows != nil
}

// label reads the definition at the start of a block by the first family that claims it. Its family is "" where it
// is written as in plain Markdown.
func (c *collector) label(b block) (label, bool) {
	for _, f := range families {
		if c.only != "" && c.only != f.name || f.read == nil {
			continue
		}
		if l, ok := f.read(c, b); ok {
			l.family, l.mark, l.certain = f.name, true, true
			return l, true
		}
	}
	if !c.readsPlain() {
		return label{}, false
	}
	l, ok := plainLabel(b)
	if !ok && b.place == inParagraph {
		l, ok = c.labelLine(b)
	}
	l.change = c.delta
	return l, ok
}

// labelLine reads a line "**ID:** FR-001", or "**Requirement ID**: FR-001", right below a heading, which titles it.
func (c *collector) labelLine(b block) (label, bool) {
	line, _, _ := strings.Cut(b.text, "\n")
	name, value, _ := strings.Cut(line, ":")
	token := strings.Trim(value, "* `\\")
	if !strings.HasPrefix(line, "**") || reqid.Scan(token) != token {
		return label{}, false
	}
	switch strings.ToLower(strings.Trim(name, "* ")) {
	case "id", "requirement id", "req id", "requirement-id":
	default:
		return label{}, false
	}
	title, begin := c.titleAbove(b.node)
	f, ok := reqid.FormOf(reqid.Canonical(token))
	return label{id: reqid.Canonical(token), token: token, form: f, bold: true, mark: true, named: true, title: title, begin: begin,
		at: strings.Index(line, token), rest: len(line)}, ok && begin > 0
}

// plainLabel reads an id at the start of a block; in a heading also after its number, or in brackets at its end.
func plainLabel(b block) (label, bool) {
	l, ok := matchLabel(b.text)
	if b.place != inHeading {
		return l, ok
	}
	if !ok {
		rest := vocabulary.CutNumber(b.text)
		if l, ok = matchLabel(rest); ok {
			l.at, l.rest = l.at+len(b.text)-len(rest), l.rest+len(b.text)-len(rest)
		}
	}
	if !ok {
		return trailingLabel(b.text)
	}
	l.mark = l.mark || l.spaced
	return l, ok
}

// trailingLabel reads the id in brackets that ends a heading, as in "3.1 Log in (FR-001)" or "(FR-001, Must)".
func trailingLabel(heading string) (label, bool) {
	text := strings.TrimRightFunc(heading, func(r rune) bool {
		return unicode.IsSpace(r) || r == '#' || r == '*' || r == '\ufe0f' || unicode.Is(unicode.So, r)
	})
	shut, width := utf8.DecodeLastRuneInString(text)
	if !strings.ContainsRune(")]）】", shut) {
		return label{}, false
	}
	open := strings.LastIndexAny(text, "([（【")
	if open <= 0 {
		return label{}, false
	}
	_, first := utf8.DecodeRuneInString(text[open:])
	inner := text[open+first : len(text)-width]
	name, _, _ := strings.Cut(strings.Trim(inner, "* "), ",")
	l := label{token: name, at: open + first, rest: len(heading), title: vocabulary.CutNumber(text[:open]), mark: true, weak: true}
	l.id = reqid.Canonical(l.token)
	var ok bool
	l.form, ok = reqid.FormOf(l.id)
	return l, ok && reqid.Scan(l.token) == l.token
}

// look notes the first line that shows each family whose definitions are written as in plain Markdown.
func (c *collector) look(text string, line int, heading bool) {
	for _, f := range families {
		if f.shows != nil && c.shown[f.name] == 0 && f.shows(text, heading) {
			c.shown[f.name] = line
		}
	}
}

// flavour returns the family of plain definitions in this document.
func (c *collector) flavour() string {
	for _, f := range families {
		if c.only == f.name || c.only == "" && c.shown[f.name] > 0 {
			return f.name
		}
	}
	return plainFamily
}

// finish lets the family of a requirement take its own marks out of the body.
func finish(r *Requirement) {
	for _, f := range families {
		if f.name == r.Family && f.finish != nil {
			f.finish(r)
		}
	}
}

// describe returns what shows the family that most requirements of a document were read by.
func (c *collector) describe(found []Requirement) (name, mark string, counts map[string]int) {
	counts = map[string]int{}
	first := map[string]int{}
	for _, r := range found {
		if counts[r.Family]++; counts[r.Family] == 1 {
			first[r.Family] = r.Line
		}
		if counts[r.Family] > counts[name] {
			name = r.Family
		}
	}
	for _, f := range families {
		if f.name == name {
			line := first[name]
			if found[0].Assigned {
				return name, fmt.Sprintf("no ids; they were made from section and item, as on line %d", line), counts
			}
			if c.shown[name] > 0 {
				line = c.shown[name]
			}
			return name, fmt.Sprintf("%s, as on line %d", f.mark, line), counts
		}
	}
	return "", "", counts
}
