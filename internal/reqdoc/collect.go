package reqdoc

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// place is where a definition stands.
type place int

const (
	inHeading place = iota
	inItem
	inParagraph
	inRow
)

// candidate is a label in a place where a definition may stand.
type candidate struct {
	label
	place   place
	line    int // of the id
	begin   int // first line of the block; a body before it ends here
	limit   int // last line that its container reaches
	level   int // of a heading
	from    int // offset at which the body begins
	node    ast.Node
	section []string
	table   *table   // of a row
	cells   []string // of a row: title first
}

// stop is a heading or thematic break, which ends the bodies before it.
type stop struct {
	line, level int // level 0 is a thematic break
}

// scope is what a block inherits from the blocks around it.
type scope struct {
	limit  int  // last line of the container
	quoted bool // in a block quote: nothing is defined
	item   bool // first block of a list item
	begin  int  // first line of that item
}

// collector goes through the blocks once, in document order.
type collector struct {
	source
	title      string
	section    []string
	levels     []int
	candidates []*candidate
	tables     []*table
	stops      []stop
	skipped    map[int]Problem // by line
	refused    []*candidate    // with a mark, but not taken
	warnings   []Problem
}

// walk visits the blocks of a container. Its depth is bounded by maxDepth.
func (c *collector) walk(parent ast.Node, in scope) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			c.heading(n, in)
		case *ast.Paragraph, *ast.TextBlock:
			c.paragraph(n, in)
		case *ast.List:
			c.list(n, in)
		case *ast.Blockquote:
			c.walk(n, scope{limit: in.limit, quoted: true})
		case *extast.Table:
			if !in.quoted {
				c.addTable(n, in)
			}
		case *ast.ThematicBreak:
			if !in.quoted {
				c.stops = append(c.stops, stop{line: c.startLine(n)})
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			c.skipLines(n, "it stands in a code block", "take it out of the block if it defines a requirement")
		case *ast.HTMLBlock:
			c.skipLines(n, "it stands in HTML or a comment", "take it out of the comment if it defines a requirement")
		}
		in.item = false
	}
}

func (c *collector) list(list *ast.List, in scope) {
	end := c.lastLine(list, in.limit)
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		c.walk(item, scope{limit: c.lastLine(item, end), quoted: in.quoted, item: true, begin: c.startLine(item)})
	}
}

func (c *collector) heading(h *ast.Heading, in scope) {
	block, start := c.block(h)
	line := c.startLine(h)
	if !in.quoted {
		c.stops = append(c.stops, stop{line, h.Level})
	}
	top := h.Parent().Kind() == ast.KindDocument
	if top {
		for len(c.levels) > 0 && c.levels[len(c.levels)-1] >= h.Level {
			c.levels = c.levels[:len(c.levels)-1]
		}
		c.section = c.section[:len(c.levels):len(c.levels)]
	}
	if l, ok := matchLabel(block); ok {
		l.mark = l.mark || l.spaced
		after := c.line(start+len(block)) + 1
		if c.underlined(start) {
			after++
		}
		from := len(c.text)
		if after <= len(c.starts) {
			from = c.starts[after-1]
		}
		l.title = strings.TrimSpace(l.title + " " + block[l.rest:])
		c.add(candidate{label: l, place: inHeading, level: h.Level, node: h, begin: line, from: from}, start, in)
	}
	if top {
		name := plain(block)
		if c.title == "" && h.Level == 1 {
			c.title = name
		}
		c.levels, c.section = append(c.levels, h.Level), append(c.section, name)
	}
}

// underlined tells a heading with a line of '=' or '-' below from one that begins with '#'.
func (c *collector) underlined(start int) bool {
	return !strings.HasSuffix(strings.TrimRight(c.text[:start], " \t"), "#")
}

func (c *collector) paragraph(n ast.Node, in scope) {
	block, start := c.block(n)
	if in.item {
		rest := cutCheckbox(block)
		start += len(block) - len(rest)
		block = rest
	}
	if l, ok := matchLabel(block); ok {
		cand := candidate{label: l, place: inParagraph, node: n, begin: c.startLine(n), from: start + l.rest}
		if in.item {
			cand.place, cand.node, cand.begin = inItem, n.Parent(), in.begin
		} else if l.flaw == "" && !l.bold {
			cand.flaw, cand.fix = "a paragraph defines a requirement by a bold id only", fixBold
		}
		c.add(cand, start, in)
	}
	lines := n.Lines()
	for i := 1; i < lines.Len(); i++ {
		at := lines.At(i)
		if l, ok := matchLabel(c.text[at.Start:at.Stop]); ok && l.bold && l.flaw == "" {
			c.skip(c.line(at.Start), l.id, "it stands inside a paragraph", "put an empty line before it if it defines a requirement")
		}
	}
}

// add takes a label as a candidate, or lists why it can be none.
func (c *collector) add(cand candidate, start int, in scope) {
	cand.line, cand.limit, cand.section = c.line(start+cand.at), in.limit, c.section
	switch {
	case in.quoted:
		c.skip(cand.line, cand.id, "it stands in a block quote", "take it out of the quote if it defines a requirement")
	case cand.flaw != "":
		c.skip(cand.line, cand.id, cand.flaw, cand.fix)
	case !cand.mark:
		c.skip(cand.line, cand.id, "it is not bold and no delimiter follows it", "write **ID** text, or ID: text")
	default:
		c.candidates = append(c.candidates, &cand)
	}
}

func (c *collector) skip(line int, id, why, fix string) {
	if _, known := c.skipped[line]; !known {
		id = shorten(id)
		c.skipped[line] = Problem{line, id, fmt.Sprintf("%s was not taken: %s", id, why), fix}
	}
}

// skipLines lists the labels in a block whose lines are no Markdown.
func (c *collector) skipLines(n ast.Node, why, fix string) {
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		text := strings.TrimLeft(c.text[at.Start:at.Stop], " \t-+#>")
		if l, ok := matchLabel(cutCheckbox(text)); ok && l.mark && l.flaw == "" && !l.form.small {
			c.skip(c.line(at.Start), l.id, why, fix)
		}
	}
}

// block is the source of a heading or paragraph and its offset.
func (c *collector) block(n ast.Node) (string, int) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return "", max(n.Pos(), 0)
	}
	start := lines.At(0).Start
	return strings.TrimRight(c.text[start:lines.At(lines.Len()-1).Stop], "\n"), start
}

func (c *collector) startLine(n ast.Node) int {
	if lines := n.Lines(); n.Type() == ast.TypeBlock && lines.Len() > 0 && n.Kind() != ast.KindFencedCodeBlock {
		return c.line(lines.At(0).Start)
	}
	return c.line(max(n.Pos(), 0))
}

// lastLine is the line before the block that follows n, inside or outside of its container.
func (c *collector) lastLine(n ast.Node, limit int) int {
	if next := n.NextSibling(); next != nil {
		return c.startLine(next) - 1
	}
	return limit
}

// cutCheckbox drops "[ ] ", "[x] " or "[X] " from the start of an item.
func cutCheckbox(item string) string {
	for _, box := range []string{"[ ]", "[x]", "[X]"} {
		if rest, found := strings.CutPrefix(item, box); found && rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
			return strings.TrimLeft(rest, " \t")
		}
	}
	return item
}
