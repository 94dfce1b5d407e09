package reqdoc

import (
	"cmp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/placeholder"
	"orchestrator/internal/requirements/vocabulary"
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
	section *section
	tick    string
	titles  bool     // it stands in the title of the document
	bare    bool     // nothing but brackets follows it on its line
	table   *table   // of a row
	row     []string // its cells
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
	top    bool // of a list that stands in no other block
	begin  int  // first line of that item
}

// collector goes through the blocks once, in document order.
type collector struct {
	markdown.Source
	only       string         // family that was asked for
	shown      map[string]int // by family: the first line that shows it
	version    string         // that the document names first, as in "v1 Requirements"
	delta      string         // that the section announces
	renames    int            // line of the heading that announces renamings
	deltaLevel int            // of the heading that announces it
	isDelta    bool
	title      string
	titleLine  int
	section    *section
	above      []*section // of each open heading, the one above it
	levels     []int
	candidates []*candidate
	tables     []*table
	stops      []stop
	skipped    map[int]Problem // by line
	refused    []*candidate    // with a mark, but not taken
	series     map[string]bool // stems that count
	outside    map[string]bool // stems in sections that are not of risks and the like
	runs       map[string]bool // stems with three numbers in a row
	hollow     []Problem       // placeholders
	warnings   []Problem
	counts     []stated
	items      []item  // without an id
	entries    []Entry // without an id
	removed    []Entry
	renamed    []Rename
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
				c.stops = append(c.stops, stop{line: c.StartLine(n)})
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
	end := c.LastLine(list, in.limit)
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		c.walk(item, scope{limit: c.LastLine(item, end), quoted: in.quoted, item: true,
			top: list.Parent().Kind() == ast.KindDocument, begin: c.StartLine(item)})
	}
}

func (c *collector) heading(h *ast.Heading, in scope) {
	block, start := c.Block(h)
	line := c.StartLine(h)
	if !in.quoted {
		c.stops = append(c.stops, stop{line, h.Level})
	}
	top := h.Parent().Kind() == ast.KindDocument
	if top {
		for n := len(c.levels); n > 0 && c.levels[n-1] >= h.Level; n = len(c.levels) {
			c.section, c.above, c.levels = c.above[n-1], c.above[:n-1], c.levels[:n-1]
		}
	}
	if top && !in.quoted {
		c.announce(block, line, h.Level)
	}
	if l, ok := c.label(blockOf(inHeading, h, block, start)); ok {
		after := c.Line(start+len(block)) + 1
		if c.Underlined(start) {
			after++
		}
		from := len(c.Text)
		if after <= c.Lines() {
			from = c.LineStart(after)
		}
		l.title = strings.TrimSpace(l.title + " " + block[l.rest:])
		titles := top && h.Level == 1 && c.title == ""
		c.add(candidate{label: l, place: inHeading, level: h.Level, node: h, begin: line, from: from, titles: titles},
			start, in)
	}
	if id := placeholder.ID(block); id != "" && !in.quoted {
		c.pass(ReasonPlaceholder, line, id, "its number is a placeholder", "give it a number")
	}
	if top {
		name := markdown.Plain(cutAnchor(block))
		if c.title == "" && h.Level == 1 {
			c.title, c.titleLine = name, line
		}
		c.levels, c.above = append(c.levels, h.Level), append(c.above, c.section)
		c.section = c.newSection(c.section, name)
	}
}

// announce notes what a heading says of the document and of what stands below it.
func (c *collector) announce(heading string, line, level int) {
	c.look(strings.TrimSpace(heading), line, true)
	if c.version == "" {
		c.version = versionOf(heading)
	}
	if delta := deltaOf(heading); delta != "" {
		c.delta, c.deltaLevel, c.isDelta = delta, level, true
		if delta == DeltaRenamed {
			c.renames = line
		}
	} else if level <= c.deltaLevel {
		c.delta = ""
	}
}

// titleAbove returns the heading right above a block, and its line; 0 if none is.
func (c *collector) titleAbove(n ast.Node) (title string, line int) {
	h, ok := n.PreviousSibling().(*ast.Heading)
	if !ok {
		return "", 0
	}
	text, _ := c.Block(h)
	return vocabulary.CutNumber(text), c.StartLine(h)
}

// cutAnchor drops "{#anchor}" from the end of a heading.
func cutAnchor(heading string) string {
	if open := strings.LastIndex(heading, "{#"); open >= 0 &&
		strings.HasSuffix(strings.TrimRight(heading, " \t#"), "}") {
		return heading[:open]
	}
	return heading
}

func (c *collector) paragraph(n ast.Node, in scope) {
	text, start := c.Block(n)
	b := blockOf(inParagraph, n, text, start)
	tick := ""
	if in.item {
		b.place = inItem
		b.text = cutCheckbox(text)
		b.start += len(text) - len(b.text)
		tick = tickOf(text, b.text)
	}
	if in.item && in.top && !in.quoted {
		c.items = append(c.items, item{n.Parent(), b.text, b.start, in.begin, in.limit, tick, c.section})
	}
	if !in.quoted {
		c.read(b.text, c.Line(start))
	}
	l, ok := c.label(b)
	if ok {
		titles := l.begin > 0 && l.begin == c.titleLine
		cand := candidate{label: l, place: inParagraph, node: n, begin: c.StartLine(n), from: b.start + l.rest,
			tick: tick, titles: titles, bare: isBare(b.text[l.rest:], l)}
		if in.item {
			cand.place, cand.node, cand.begin = inItem, n.Parent(), in.begin
		} else if l.flaw == "" && (!l.bold || l.weak) && !l.certain && !c.listed(n) {
			cand.flaw, cand.fix = "a paragraph defines a requirement by a bold id only", fixBold
		}
		c.add(cand, b.start, in)
	}
	if id := placeholder.ID(b.text); id != "" && !in.quoted {
		c.pass(ReasonPlaceholder, c.Line(start), id, "its number is a placeholder", "give it a number")
	}
	c.linesOf(n, in, ok && l.flaw == "" && !in.item && (l.bold || c.listed(n)))
}

// read takes from a paragraph what it says of the document.
func (c *collector) read(text string, line int) {
	c.look(strings.TrimSpace(text), line, false)
	if c.delta == DeltaRemoved || c.delta == DeltaRenamed {
		c.deltaLines(text, line)
	}
	for part := range strings.SplitSeq(text, "\n") {
		if s, found := statedCount(part); found && len(c.counts) < maxCounts {
			s.line = line
			c.counts = append(c.counts, s)
		}
		line++
	}
}

// linesOf takes the bold ids that begin further lines of a paragraph as candidates, if one begins its first line too;
// otherwise it lists them.
func (c *collector) linesOf(n ast.Node, in scope, follow bool) {
	lines := n.Lines()
	for i := 1; i < lines.Len(); i++ {
		at := lines.At(i)
		text := c.Text[at.Start:lines.At(lines.Len()-1).Stop]
		if l, ok := matchLabel(c.Text[at.Start:at.Stop]); !ok || !l.bold && !follow || !l.mark || l.flaw != "" ||
			l.weak {
			continue
		} else if line := c.Line(at.Start); follow {
			l, _ = matchLabel(text)
			l.change = c.delta
			c.add(candidate{label: l, place: inParagraph, node: n, begin: line, from: at.Start + l.rest}, at.Start, in)
		} else {
			c.skip(line, l.id, "it stands inside a paragraph",
				"put an empty line before it if it defines a requirement")
		}
	}
}

// listed reports a paragraph of several lines that each begin with an id and a delimiter: a list without marks.
func (c *collector) listed(n ast.Node) bool {
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		if l, ok := matchLabel(c.Text[at.Start:at.Stop]); !ok || !l.mark || l.flaw != "" || l.weak {
			return false
		}
	}
	return lines.Len() > 1
}

// isBare reports that a label has no text on its line, or nothing but a remark in brackets.
func isBare(behind string, l label) bool {
	line, _, _ := strings.Cut(behind, "\n")
	line = strings.TrimSpace(line)
	return l.title == "" && (line == "" || line[0] == '(' && strings.IndexByte(line, ')') == len(line)-1)
}

func tickOf(item, rest string) string {
	switch {
	case len(item) == len(rest):
		return ""
	case strings.HasPrefix(item, "[ ]"):
		return TickOpen
	}
	return TickTicked
}

func blockOf(p place, n ast.Node, text string, start int) block { return block{p, n, text, start} }

// add takes a label as a candidate, or lists why it can be none.
func (c *collector) add(cand candidate, start int, in scope) {
	cand.line, cand.limit, cand.section = c.Line(start+cand.at), in.limit, c.section
	if cand.label.begin > 0 {
		cand.begin = cand.label.begin
		c.takeOver(&cand)
	}
	switch {
	case in.quoted:
		c.pass(ReasonHidden, cand.line, cand.id, "it stands in a block quote",
			"take it out of the quote if it defines a requirement")
	case cand.flaw != "":
		c.pass(cmp.Or(cand.reason, ReasonNearMiss), cand.line, cand.id, cand.flaw, cand.fix)
	case !cand.mark:
		c.skip(cand.line, cand.id, "it is not bold and no delimiter follows it", "write **ID** text")
	default:
		c.candidates = append(c.candidates, &cand)
	}
}

// takeOver makes one candidate of an id and the heading above it, where that heading was one too: the id counts, and
// the heading says what belongs to it.
func (c *collector) takeOver(cand *candidate) {
	n := len(c.candidates)
	if n == 0 || c.candidates[n-1].begin != cand.begin || c.candidates[n-1].place != inHeading {
		return
	}
	heading := c.candidates[n-1]
	c.candidates = c.candidates[:n-1]
	cand.place, cand.level, cand.node, cand.limit = inHeading, heading.level, heading.node, heading.limit
	if heading.certain || heading.title != "" {
		cand.title = heading.title
	}
}

// leftItems returns the items without an accepted id, as what their section makes of them.
func (c *collector) leftItems(accepted []*candidate) []Entry {
	taken := make(map[int]bool, len(accepted))
	for _, cand := range accepted {
		taken[cand.begin] = true
	}
	var left []Entry
	for _, it := range c.items {
		if kind := it.section.kindOf(); kind != "" && kind != KindAcceptance && kind != KindStory && !taken[it.begin] {
			left = append(left, Entry{Place{Line: it.begin}, "", kind, firstSentence(it.text)})
			delete(c.skipped, it.begin)
		}
	}
	return left
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
