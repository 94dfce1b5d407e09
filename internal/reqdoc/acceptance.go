package reqdoc

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// criteria gathers the list items under an acceptance label and the lines that they take.
type criteria struct {
	*collector
	end   int          // last line of the body
	other map[int]bool // first lines of items that are requirements of their own
	found []string
	cut   []span
}

// acceptance is what stands under acceptance labels in the body of a candidate.
func (c *collector) acceptance(cand *candidate, end int, holes []span) ([]string, []span) {
	a := criteria{collector: c, end: end, cut: slices.Clone(holes), other: map[int]bool{}}
	for _, hole := range holes {
		a.other[hole.first] = true
	}
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

// gather goes through sibling blocks. A paragraph is a label for the list that follows it, a heading for all
// lists up to the next heading; a sub-item may be a label too.
func (a *criteria) gather(n ast.Node) {
	var label span // where the label stands that is in force; none if zero
	whole := false // the label is a heading
	for ; n != nil && a.startLine(n) <= a.end; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			label, whole = a.label(n)
		case *ast.Paragraph, *ast.TextBlock:
			if !whole {
				label, _ = a.label(n)
			}
		case *ast.List:
			if label.first == 0 {
				for item := range a.items(n, a.end) {
					a.gather(item.FirstChild())
				}
				continue
			}
			last := min(a.lastLine(n, a.end), a.end)
			a.take(n, last)
			a.cut = append(a.cut, label, span{a.startLine(n), last})
			if !whole {
				label = span{}
			}
		default:
			if !whole {
				label = span{}
			}
		}
	}
}

// label is the lines of an acceptance label: a heading, or the last line of a paragraph.
func (a *criteria) label(n ast.Node) (at span, heading bool) {
	block, start := a.block(n)
	if _, heading = n.(*ast.Heading); heading {
		at = span{a.line(start), a.line(start + len(block))}
		if a.underlined(start) {
			at.last++
		}
	} else {
		start += strings.LastIndexByte(block, '\n') + 1
		block = block[strings.LastIndexByte(block, '\n')+1:]
		at = span{a.line(start), a.line(start)}
	}
	if !isAcceptance(block, heading) {
		return span{}, false
	}
	return at, heading
}

// isAcceptance: "Acceptance" or "Acceptance criteria", as a heading, in bold, or with a colon.
func isAcceptance(line string, heading bool) bool {
	line = strings.TrimSpace(line)
	words := strings.Trim(line, "*_:： ")
	marked := heading || words != line && !strings.HasSuffix(line, words)
	return marked && (strings.EqualFold(words, "acceptance") || strings.EqualFold(fold(words), "acceptance criteria"))
}

// items are those of a list that begin before the end and are no requirements of their own.
func (a *criteria) items(list ast.Node, end int) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for item := list.FirstChild(); item != nil && a.startLine(item) <= end; item = item.NextSibling() {
			if !a.other[a.startLine(item)] && !yield(item) {
				return
			}
		}
	}
}

// take adds the items of a list that ends on a given line.
func (a *criteria) take(list ast.Node, end int) {
	for item := range a.items(list, end) {
		first := item.FirstChild()
		if first == nil {
			continue
		}
		start := a.startLine(first)
		last := min(a.lastLine(item, end), end)
		text := a.text[max(a.starts[start-1], offset(first)):a.lineEnd(last)]
		if text = fold(cutCheckbox(text)); text != "" {
			a.found = append(a.found, text)
		}
	}
}

// offset is where the content of a block begins.
func offset(n ast.Node) int {
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
		return n.Lines().At(0).Start
	}
	return max(n.Pos(), 0)
}
