package reqdoc

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"orchestrator/internal/requirements/reqid"
)

// item is a top-level list item without an id, from which one can be made.
type item struct {
	node    ast.Node
	text    string // of its first block, without check box
	start   int
	begin   int
	limit   int
	tick    string
	section *section
}

// assign makes candidates of the items, with ids from section and item: "2.3" is the third item of section 2. A
// section without a number goes by its name. Sections of what is no requirement are left out.
func (c *collector) assign() []*candidate {
	var all []*candidate
	count := map[string]int{}
	for _, it := range c.items {
		if kind := it.section.kindOf(); kind != "" && kind != KindFuture || it.text == "" {
			continue
		}
		name := sectionName(it.section.name())
		count[name]++
		id := strconv.Itoa(count[name])
		if name != "" {
			id = name + "." + id
		}
		l := label{id: id, token: id, certain: true, mark: true, assigned: true}
		all = append(all, &candidate{label: l, place: inItem, node: it.node, line: it.begin, begin: it.begin,
			limit: it.limit,
			from:  it.start, section: it.section, tick: it.tick})
	}
	return all
}

// sectionName returns the number that a heading begins with, or its words joined by '-'.
func sectionName(heading string) string {
	word, _, _ := strings.Cut(heading, " ")
	if number := strings.Trim(word, ".)"); number != "" && strings.Trim(number, "0123456789.") == "" {
		return number
	}
	words := strings.FieldsFunc(strings.ToLower(heading),
		func(r rune) bool { return !unicode.In(r, unicode.L, unicode.Nd, unicode.M) })
	return shortenTo(strings.Join(words, "-"), reqid.MaxLength/2)
}
