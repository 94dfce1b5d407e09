package markdown

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/yuin/goldmark/ast"

	"orchestrator/internal/fault"
)

// Source is a document with LF line ends, without its front matter.
type Source struct {
	Text   string
	Front  string // front matter, whose lines are empty in Text
	starts []int  // offsets at which lines start
	bytes  []byte // of Text, where the document has the same; else nil
}

// New checks the bytes of a document, which must not change any more. The error is a *fault.Error of kind Invalid with
// the pointer "#L<line>".
func New(src []byte) (Source, error) {
	if len(src) > maxBytes {
		return Source{}, fault.New(fault.Invalid, "document_too_large", "the document has %d bytes; the limit is %d",
			len(src), maxBytes).
			WithFix("split it into several documents")
	}
	whole := asText(src)
	text := strings.TrimPrefix(whole, "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	front, text := splitFrontMatter(text)
	s := Source{Text: text, Front: front, starts: []int{0}}
	if text == whole {
		s.bytes = src
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' && i+1 < len(text) {
			s.starts = append(s.starts, i+1)
		}
	}
	if at := firstInvalid(text); at >= 0 {
		return Source{}, unreadable(s.Line(at), "document_encoding", "is not valid UTF-8", "save the document as UTF-8")
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return Source{}, unreadable(s.Line(at), "document_nul", "holds a NUL character",
			"remove it, or save the document as UTF-8")
	}
	if len(s.starts) > maxParts {
		return Source{}, unreadable(maxParts, "document_too_large", "is the last that is allowed", "split the document")
	}
	return s, nil
}

// asText returns bytes that do not change as a text, which shares their memory: a document may have many, and the
// parser wants both.
func asText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) } //nolint:gosec // see above

func firstInvalid(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return i
		}
	}
	return -1
}

func unreadable(line int, code fault.Code, what, fix string) error {
	return fault.New(fault.Invalid, code, "line %d %s", line, what).WithFix("%s", fix).
		WithFields(fault.Field{Pointer: fmt.Sprintf("#L%d", line), Detail: "this line " + what, Fix: fix})
}

// InFile names the file in what is wrong with it as a whole.
func InFile(path string, err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	named := *f
	named.Detail = path + ": " + f.Detail
	named.Fields = slices.Clone(f.Fields)
	for i := range named.Fields {
		named.Fields[i].Pointer = path + named.Fields[i].Pointer
	}
	return &named
}

// Line returns the 1-based number of the line that holds an offset.
func (s Source) Line(offset int) int {
	i, exact := slices.BinarySearch(s.starts, offset)
	if exact {
		return i + 1
	}
	return i
}

// LineText returns the text of a line without its end.
func (s Source) LineText(line int) string {
	return strings.TrimSuffix(s.Text[s.starts[line-1]:s.LineEnd(line)], "\n")
}

// LineEnd returns the offset behind a line and its end.
func (s Source) LineEnd(line int) int {
	if line < len(s.starts) {
		return s.starts[line]
	}
	return len(s.Text)
}

// Lines returns the number of lines.
func (s Source) Lines() int { return len(s.starts) }

// LineStart returns the offset of a line.
func (s Source) LineStart(line int) int { return s.starts[line-1] }

// Block returns the source of a heading or paragraph and its offset.
func (s Source) Block(n ast.Node) (string, int) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return "", max(n.Pos(), 0)
	}
	start := lines.At(0).Start
	return strings.TrimRight(s.Text[start:lines.At(lines.Len()-1).Stop], "\n"), start
}

// StartLine returns the first line of a block.
func (s Source) StartLine(n ast.Node) int {
	if lines := n.Lines(); n.Type() == ast.TypeBlock && lines.Len() > 0 && n.Kind() != ast.KindFencedCodeBlock {
		return s.Line(lines.At(0).Start)
	}
	return s.Line(max(n.Pos(), 0))
}

// LastLine returns the line before the block that follows n, or the limit where none follows.
func (s Source) LastLine(n ast.Node, limit int) int {
	if next := n.NextSibling(); next != nil {
		return s.StartLine(next) - 1
	}
	return limit
}

// Underlined reports whether the heading at an offset has a line of '=' or '-' below it, rather than a '#' before it.
func (s Source) Underlined(start int) bool {
	return !strings.HasSuffix(strings.TrimRight(s.Text[:start], " \t"), "#")
}
