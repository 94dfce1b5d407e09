// Package markdown reads the blocks of a Markdown document with goldmark, within limits that no document can exceed,
// and keeps the lines of the source at hand.
//
// A document of more than 16 MiB, 500,000 lines or blocks, or 64 levels is refused before it can cost time. Line ends
// are LF, and a byte order mark is dropped. The package does no I/O.
package markdown

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxBytes = 16 << 20
	maxParts = 500_000 // lines, and blocks (a table cell counts as one)
	// blocks of a small document; beyond, one for two bytes, so that short rows of wide tables cannot multiply
	fewParts = 20_000
	maxDepth = 64 // blocks inside one another; a list level takes two
)

// blockParser finds blocks and tables and leaves their content alone; inlineParser reads a single line.
var (
	blockParser  = newBlockParser()
	inlineParser = parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewStrikethroughParser(), 500))...))
)

func newBlockParser() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i := range blocks {
		blocks[i].Value = bounded{blocks[i].Value.(parser.BlockParser)}
	}
	tables := boundedTables{extension.NewTableParagraphTransformer()}
	return parser.NewParser(parser.WithBlockParsers(blocks...),
		parser.WithParagraphTransformers(util.Prioritized(tables, 1)))
}

// budget is what one parse may still cost; spent says why it stopped.
type budget struct {
	blocks int
	spent  string
	at     int // offset at which it stopped
}

var budgetKey = parser.NewContextKey()

// Parse returns the block structure of a document, or an error if it is nested or cut up beyond the limits.
func (s Source) Parse() (ast.Node, error) {
	left := &budget{blocks: min(maxParts, fewParts+len(s.Text)/2)}
	pc := parser.NewContext()
	pc.Set(budgetKey, left)
	source := s.bytes // which the parser only reads
	if source == nil {
		source = []byte(s.Text)
	}
	root := blockParser.Parse(text.NewReader(source), parser.WithContext(pc))
	if left.spent != "" {
		return nil, unreadable(s.Line(left.at), "document_too_complex", left.spent,
			"write it with fewer or shallower lists, quotes and tables")
	}
	return root, nil
}

// bounded opens no more blocks than the budget allows, so that neither memory nor recursion grows without limit.
type bounded struct{ parser.BlockParser }

func (b bounded) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	left := pc.Get(budgetKey).(*budget)
	_, position := r.Position()
	switch _, item := parent.(*ast.List); {
	case item: // a list is never left without its item
	case left.spent != "":
		return nil, parser.NoChildren
	case depth(parent) >= maxDepth:
		*left = budget{spent: fmt.Sprintf("is nested more than %d deep", maxDepth), at: position.Start}
		return nil, parser.NoChildren
	case left.blocks <= 0:
		*left = budget{spent: fmt.Sprintf("is past the limit of blocks for a document of its size, at most %d",
			maxParts), at: position.Start}
		return nil, parser.NoChildren
	}
	node, state := b.BlockParser.Open(parent, r, pc)
	if node != nil {
		left.blocks--
	}
	return node, state
}

// Continue closes every block once the budget is spent, which ends the parse.
func (b bounded) Continue(n ast.Node, r text.Reader, pc parser.Context) parser.State {
	if pc.Get(budgetKey).(*budget).spent != "" {
		return parser.Close
	}
	return b.BlockParser.Continue(n, r, pc)
}

func depth(n ast.Node) int {
	levels := 0
	for ; n != nil; n = n.Parent() {
		levels++
	}
	return levels
}

// boundedTables counts cells before they are made: a wide head over many short rows would multiply them.
type boundedTables struct{ parser.ParagraphTransformer }

func (b boundedTables) Transform(p *ast.Paragraph, r text.Reader, pc parser.Context) {
	left := pc.Get(budgetKey).(*budget)
	lines, columns := p.Lines(), 0
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		raw := line.Value(r.Source())
		if len(bytes.Trim(raw, "|-: \t\n")) == 0 {
			columns = max(columns, bytes.Count(raw, []byte{'|'})+1)
		}
	}
	if cells := columns * lines.Len(); cells <= left.blocks {
		left.blocks -= cells
		b.ParagraphTransformer.Transform(p, r, pc)
	} else if left.spent == "" {
		*left = budget{spent: fmt.Sprintf("begins a table past the limit of %d cells", left.blocks), at: p.Pos()}
	}
}

// Plain returns a line of Markdown without its markup. A line beyond any sensible title is returned as it stands.
func Plain(line string) string {
	const longest = 1024
	line = Fold(line)
	if len(line) > longest || !strings.ContainsAny(line, "\\`*_[]<>&~!") {
		return line
	}
	var b strings.Builder
	src := []byte(line)
	root := inlineParser.Parse(text.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.WriteString(plainText(n, src))
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(src))
			}
		}
		return ast.WalkContinue, nil
	})
	return Fold(b.String())
}

func plainText(n *ast.Text, src []byte) string {
	value := n.Segment.Value(src)
	if n.IsRaw() {
		return string(value)
	}
	return html.UnescapeString(string(util.UnescapePunctuations(value)))
}

// Fold replaces each run of white space by one space and trims both ends.
func Fold(s string) string {
	if isFolded(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// isFolded reports whether a text is certainly as Fold leaves it. Of one with characters beyond ASCII it does not tell.
func isFolded(s string) bool {
	after := byte(' ')
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' && after == ' ' || c >= '\t' && c <= '\r' || c >= utf8.RuneSelf:
			return false
		default:
			after = c
		}
	}
	return after != ' ' || s == ""
}
