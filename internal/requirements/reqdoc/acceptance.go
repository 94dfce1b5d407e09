package reqdoc

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/vocabulary"
)

// criteria gathers the list items under an acceptance label and the lines that they take.
type criteria struct {
	*collector
	first int    // first line of the candidate
	end   int    // last line of the body
	holes []span // of definitions within it
	found []Criterion
	cut   []span
}

// inHole reports whether a line belongs to a definition within the body.
func (a *criteria) inHole(line int) bool {
	_, found := slices.BinarySearchFunc(a.holes, line, func(hole span, line int) int {
		switch {
		case hole.last < line:
			return -1
		case hole.first > line:
			return 1
		}
		return 0
	})
	return found
}

// acceptance returns what stands under acceptance labels in a body.
func (c *collector) acceptance(cand bounded) ([]Criterion, []span) {
	a := criteria{collector: c, first: cand.line, end: cand.end, cut: slices.Clone(cand.holes), holes: cand.holes}
	switch cand.place {
	case inHeading:
		a.gather(cand.node.NextSibling())
	case inItem:
		a.gather(cand.node.FirstChild())
	case inParagraph:
		a.gather(cand.node)
	}
	slices.SortFunc(a.cut, func(a, b span) int { return cmp.Or(a.first-b.first, a.last-b.last) })
	return a.found, a.cut
}

// announced is a label of criteria.
type announced struct {
	at    span   // lines of the label; zero if there is none in force
	kind  string // of the criteria
	level int    // of the heading that is the label, which stands for all lists up to the next one of its level; or 0
}

// reach returns the level of the headings that end what the label announces: its own and higher ones, or all.
func (l announced) reach() int {
	if l.level == 0 {
		return 6
	}
	return l.level
}

// gather goes through sibling blocks. A paragraph is a label for the list that follows it, a heading for all
// lists up to the next heading of its level; a sub-item may be a label too. A label with a text behind it is a
// criterion itself, and so is a heading "Scenario: name".
func (a *criteria) gather(n ast.Node) {
	var label announced
	taken := 0 // last line of a scenario
	for ; n != nil && a.StartLine(n) <= a.end; n = n.NextSibling() {
		if line := a.StartLine(n); line <= taken || a.inHole(line) {
			continue
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level <= label.reach() {
				label = a.label(n)
			}
			taken = a.scenario(n)
		case *ast.Paragraph, *ast.TextBlock:
			if !a.oneLine(n) && !a.numbered(n, label) && label.level == 0 {
				label = a.label(n)
			}
		case *ast.List:
			label = a.list(n, label)
		default:
			if label.level == 0 {
				label = announced{}
			}
		}
	}
}

// oneLine takes a line "Acceptance: text" and what follows it in its paragraph, up to another label, as one criterion.
// It looks at the lines of the candidate only, since a paragraph may hold several.
func (a *criteria) oneLine(n ast.Node) bool {
	lines := n.Lines()
	at, _ := slices.BinarySearchFunc(lines.Sliced(0, lines.Len()), a.LineStart(a.first),
		func(s text.Segment, from int) int { return s.Stop - 1 - from })
	for ; at < lines.Len() && a.Line(lines.At(at).Start) <= a.end; at++ {
		value, kind := labelled(a.lineOf(lines, at))
		if kind == "" {
			continue
		}
		last := at
		for last+1 < lines.Len() && a.Line(lines.At(last+1).Start) <= a.end {
			next := strings.TrimSpace(a.lineOf(lines, last+1))
			if strings.HasPrefix(strings.TrimLeft(next, " \t-"), "**") {
				break
			}
			value, last = value+" "+next, last+1
		}
		a.found = append(a.found, Criterion{Kind: kind, Text: markdown.Fold(value)})
		a.cut = append(a.cut, span{a.Line(lines.At(at).Start), a.Line(lines.At(last).Start)})
		return true
	}
	return false
}

func (a *criteria) lineOf(lines *text.Segments, i int) string {
	at := lines.At(i)
	return a.Text[at.Start:at.Stop]
}

// list takes the items below a label, or looks for labels in them; it returns the label that is in force after it.
func (a *criteria) list(list *ast.List, label announced) announced {
	if label.kind == "" {
		for item := range a.items(list, a.end) {
			a.gather(item.FirstChild())
		}
		return label
	}
	last := min(a.LastLine(list, a.end), a.end)
	a.take(list, label.kind, last)
	a.cut = append(a.cut, label.at, span{a.StartLine(list), last})
	if label.level > 0 {
		return label
	}
	return announced{}
}

// scenario takes a heading "Scenario: name" and what stands below it, up to the next heading of its level, and returns
// the last line of it; 0 for another heading.
func (a *criteria) scenario(h *ast.Heading) int {
	block, start := a.Block(h)
	name, found := scenario(block)
	if !found {
		return 0
	}
	end := a.end
	for n := h.NextSibling(); n != nil; n = n.NextSibling() {
		if next, ok := n.(*ast.Heading); ok && next.Level <= h.Level {
			end = min(end, a.StartLine(n)-1)
			break
		}
	}
	first := a.Line(start)
	below := ""
	if first < end {
		below = a.Text[a.LineStart(first+1):a.LineEnd(end)]
	}
	a.found = append(a.found, Criterion{Kind: KindScenario,
		Text: markdown.Fold(name + ": " + strings.TrimRight(markdown.WithoutComments(below), "-*_ \t\n"))})
	a.cut = append(a.cut, span{first, end})
	return end
}

// label returns the label that a block is or ends with: a heading, or the last line of a paragraph.
func (a *criteria) label(n ast.Node) announced {
	block, start := a.Block(n)
	l := announced{}
	if h, ok := n.(*ast.Heading); ok {
		l.level = h.Level
		l.at = span{a.Line(start), a.Line(start + len(block))}
		if a.Underlined(start) {
			l.at.last++
		}
	} else {
		start += strings.LastIndexByte(block, '\n') + 1
		block = block[strings.LastIndexByte(block, '\n')+1:]
		l.at = span{a.Line(start), a.Line(start)}
	}
	if l.at.first < a.first || l.at.last > a.end {
		return announced{}
	}
	if l.kind = announces(block, l.level > 0); l.kind == "" {
		return announced{}
	}
	return l
}

// numbered takes the lines of a paragraph below a label as criteria if each begins with a number such as 3.1, which
// Markdown does not read as a list.
func (a *criteria) numbered(n ast.Node, label announced) bool {
	block, start := a.Block(n)
	if id, _ := cutDotted(block); label.kind == "" || id == "" {
		return false
	}
	for line := range strings.SplitSeq(block, "\n") {
		id, rest := cutDotted(line)
		if last := len(a.found) - 1; id == "" {
			a.found[last].Text = markdown.Fold(a.found[last].Text + " " + line)
			continue
		}
		a.found = append(a.found, Criterion{id, label.kind, markdown.Fold(rest)})
	}
	a.cut = append(a.cut, label.at, span{a.Line(start), a.Line(start + len(block))})
	return true
}

// cutDotted returns the number with a dot inside that a line begins with, and what follows it.
func cutDotted(line string) (number, rest string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	number = strings.TrimRight(word, ".)")
	if number == "" || strings.Trim(number, "0123456789.") != "" || !strings.Contains(number, ".") || number[0] == '.' {
		return "", ""
	}
	return number, rest
}

// maxLabel is how many bytes a label of criteria may have before its colon.
const maxLabel = 80

// labelled returns the text behind a label of criteria on its line, and their kind.
func labelled(line string) (value, kind string) {
	head := line[:min(len(line), maxLabel+len("："))]
	if !strings.Contains(head[:min(len(head), maxLabel+1)], ":") && !strings.Contains(head, "：") {
		return "", ""
	}
	name, rest, _ := strings.Cut(strings.Replace(line, "：", ":", 1), ":")
	if value = strings.TrimSpace(strings.TrimLeft(rest, "*_ ")); value == "" {
		return "", ""
	}
	return value, vocabulary.CriterionKind(cutCheckbox(name))
}

// announces returns the kind of criteria that a line announces, as a heading, in bold, or with a colon; or "".
func announces(line string, heading bool) string {
	line = strings.TrimSpace(line)
	words := strings.Trim(line, "*_:： ")
	if marked := heading || words != line && !strings.HasSuffix(line, words); !marked || len(words) > 120 {
		return ""
	}
	return vocabulary.CriterionKind(words)
}

// items returns those of a list that begin before the end and are no requirements of their own.
func (a *criteria) items(list ast.Node, end int) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for item := list.FirstChild(); item != nil && a.StartLine(item) <= end; item = item.NextSibling() {
			if !a.inHole(a.StartLine(item)) && !yield(item) {
				return
			}
		}
	}
}

// take adds the items of a list that ends on a given line.
func (a *criteria) take(list ast.Node, kind string, end int) {
	for item := range a.items(list, end) {
		first := item.FirstChild()
		if first == nil {
			continue
		}
		start := a.StartLine(first)
		last := min(a.LastLine(item, end), end)
		text := a.Text[max(a.LineStart(start), offset(first)):a.LineEnd(last)]
		if text = strings.TrimSuffix(markdown.Fold(markdown.WithoutComments(cutCheckbox(text))), " ---"); text != "" {
			a.found = append(a.found, Criterion{Kind: kind, Text: text})
		}
	}
}

// offset returns where the content of a block begins.
func offset(n ast.Node) int {
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
		return n.Lines().At(0).Start
	}
	return max(n.Pos(), 0)
}
