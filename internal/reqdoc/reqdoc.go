// Package reqdoc reads the requirements out of a requirement document in Markdown.
//
// Ids are explicit: they are read, never invented. What is doubtful is not taken but listed in
// Document.Skipped with its line, the reason and a way to mend it.
//
// # Which text defines a requirement
//
//  1. Shape: letters, then groups of letters and digits joined by '-', '_' or '.', with at least one digit,
//     such as REQ-001, FR1, FR-005a, FR-1.1, REQ-F-001 or S1. A word with a number inside, such as L10N, is no id.
//  2. Place: the start of a heading, of a list item (after its check box) or of a paragraph, or a table column
//     whose body cells are all ids. Code, HTML, comments and block quotes define nothing, nor does an id later in a line.
//  3. Mark: the id is bold, alone or as "**ID: title**"; or a delimiter follows it: ':', a dash with a space after it,
//     or '.' and a space. In a heading white space is mark enough; in a paragraph nothing less than bold is.
//     A label that names two ids ("FR-001 – FR-010") is a reference.
//  4. Series: ids that share everything up to the last number are a family. It counts when one of its members has a
//     number with a leading zero, is bold with a joiner inside (or so in a column headed "ID"), is numbered 0 or 1
//     after a joiner, or has a neighbour one higher. "S3 buckets" and "HTTP2" fail here.
//  5. Never, except with a leading zero: names of standards and priorities (UTF-8, SHA-256, P1, v1.2). Small letters
//     need bold and a leading zero; a single letter and a number (S1) needs bold.
//
// A table is a list of references, not of definitions, if all its ids are defined outside tables, or in an earlier
// table with other column names.
//
// # What belongs to a requirement
//
// A heading owns everything up to the next heading of its level or higher, a paragraph everything up to the next
// heading or thematic break, a list item its item, a table row its row; each ends where the next definition begins,
// but an item goes on after an item with an id of its own within it. Text that this leaves to nobody is a warning.
// List items under the label "Acceptance" or "Acceptance criteria" (a heading, or a paragraph that is bold or ends in
// a colon) are acceptance criteria and no part of the text.
//
// The package does no I/O and reads no clock: equal bytes give an equal Document. Documents of more than 16 MiB,
// 500,000 lines or blocks, or 64 levels are refused before they can cost time.
package reqdoc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/fault"
)

const (
	maxBytes  = 16 << 20
	maxParts  = 500_000 // lines, and blocks (a table cell counts as one)
	maxDepth  = 64      // blocks inside one another; a list level takes two
	maxListed = 1_000   // problems in one answer
)

// KindRequirement is the kind of every requirement that a document defines by an explicit id.
const KindRequirement = "requirement"

// Requirement is one definition in a document.
type Requirement struct {
	ID          string
	Title       string   // plain text, never empty
	Text        string   // the source of the body without title, check box and acceptance criteria; LF line ends
	Kind        string   // KindRequirement
	Acceptance  []string // the source of each criterion on one line
	Line        int      // 1-based line of the id
	EndLine     int      // last line of the body
	Section     []string // plain headings above it, outermost first
	Fingerprint string   // "sha256:" and 64 hexadecimal digits over title, text and acceptance; the id has no part in it
}

// Problem is one remark on a document and what to do about it.
type Problem struct {
	Line    int // 1-based
	ID      string
	Message string
	Fix     string
}

// Document is what Parse reads.
type Document struct {
	Title        string        // first level-1 heading, plain text
	Requirements []Requirement // in document order, ids unique
	Skipped      []Problem     // looked like a definition and was not taken, by line; the first 1,000
	Warnings     []Problem     // by line; the first 1,000
}

// Parse reads a document. The error is a *fault.Error of kind Invalid. For ids that are illegal, defined twice
// with different text, or nearly alike it has one field for each problem, with the pointer "#L<line>".
func Parse(src []byte) (Document, error) {
	s, err := newSource(src)
	if err != nil {
		return Document{}, err
	}
	root, err := parseBlocks(s)
	if err != nil {
		return Document{}, err
	}
	c := collector{source: s, skipped: map[int]Problem{}}
	c.walk(root, scope{limit: len(s.starts)})
	doc := Document{Title: c.title}
	accepted, problems := c.decide()
	doc.Requirements, doc.Warnings, problems = unique(c.requirements(accepted), problems)
	problems = append(problems, c.nearMisses(doc.Requirements)...)
	doc.Skipped = c.skippedBeside(doc.Requirements)
	doc.Warnings = listed(append(doc.Warnings, c.warnings...))
	if len(problems) > 0 {
		return Document{}, refusal(problems)
	}
	return doc, nil
}

// unique drops repetitions with a warning and reports ids that stand for different texts.
func unique(all []Requirement, problems []Problem) (kept []Requirement, warnings, found []Problem) {
	first := make(map[string]Requirement, len(all))
	for _, r := range all {
		before, seen := first[r.ID]
		switch {
		case !seen:
			first[r.ID] = r
			kept = append(kept, r)
		case before.Fingerprint == r.Fingerprint:
			warnings = append(warnings, Problem{r.Line, r.ID,
				fmt.Sprintf("%s is defined on line %d and again, word for word, on line %d", r.ID, before.Line, r.Line),
				"remove one of the two"})
		default:
			problems = append(problems, Problem{r.Line, r.ID,
				fmt.Sprintf("%s is defined on line %d and with another text on line %d", r.ID, before.Line, r.Line),
				"give one of them another id; a reference should not begin with the id, and a table of references should hold only ids that are defined outside it"})
		}
	}
	return kept, warnings, problems
}

// nearMisses reports ids that a reader would take for one another.
func (c *collector) nearMisses(all []Requirement) []Problem {
	var problems []Problem
	first := make(map[string]Requirement, len(all))
	report := func(line int, id string, other Requirement) {
		problems = append(problems, Problem{line, id,
			fmt.Sprintf("%s on line %d is nearly %s on line %d: did you mean %s?", id, line, other.ID, other.Line, other.ID),
			"write one id one way everywhere, or choose ids that cannot be mistaken"})
	}
	for _, r := range all {
		key := nearKey(r.ID)
		if other, seen := first[key]; seen {
			report(r.Line, r.ID, other)
			continue
		}
		first[key] = r
	}
	for _, cand := range c.refused {
		if other, seen := first[nearKey(cand.id)]; seen && other.ID != cand.id {
			report(cand.line, cand.id, other)
		}
	}
	return problems
}

// skippedBeside lists what was skipped, in order of lines, without mentions of requirements that are defined.
func (c *collector) skippedBeside(all []Requirement) []Problem {
	defined := make(map[string]bool, len(all))
	for _, r := range all {
		defined[r.ID] = true
	}
	var list []Problem
	for _, p := range c.skipped {
		if !defined[p.ID] {
			list = append(list, p)
		}
	}
	return listed(list)
}

// listed is the first problems in order of lines.
func listed(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return problems[:min(len(problems), maxListed)]
}

func refusal(problems []Problem) error {
	err := fault.New(fault.Invalid, "document_invalid", "problems with ids in the document: %d", len(problems)).
		WithFix("mend the document and import it again; nothing was taken from it")
	for _, p := range listed(problems) {
		err.Fields = append(err.Fields, fault.Field{Pointer: fmt.Sprintf("#L%d", p.Line), Detail: p.Message, Fix: p.Fix})
	}
	return err
}

// source is the document with LF line ends and the offsets at which its lines start.
type source struct {
	text   string
	starts []int
}

func newSource(src []byte) (source, error) {
	if len(src) > maxBytes {
		return source{}, fault.New(fault.Invalid, "document_too_large", "the document has %d bytes; the limit is %d", len(src), maxBytes).
			WithFix("split it into several documents")
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	text := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\r", "\n")
	s := source{text: text, starts: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' && i+1 < len(text) {
			s.starts = append(s.starts, i+1)
		}
	}
	if at := firstInvalid(text); at >= 0 {
		return source{}, unreadable(s.line(at), "document_encoding", "is not valid UTF-8", "save the document as UTF-8")
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return source{}, unreadable(s.line(at), "document_nul", "holds a NUL character", "remove it, or save the document as UTF-8")
	}
	if len(s.starts) > maxParts {
		return source{}, unreadable(maxParts, "document_too_large", "is the last that is allowed", "split the document")
	}
	return s, nil
}

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

func unreadable(line int, code, what, fix string) error {
	return fault.New(fault.Invalid, code, "line %d %s", line, what).WithFix("%s", fix).
		WithFields(fault.Field{Pointer: fmt.Sprintf("#L%d", line), Detail: "this line " + what, Fix: fix})
}

// line is the 1-based number of the line that holds an offset.
func (s source) line(offset int) int {
	i, exact := slices.BinarySearch(s.starts, offset)
	if exact {
		return i + 1
	}
	return i
}

// lineText is the text of a line without its end.
func (s source) lineText(line int) string {
	return strings.TrimSuffix(s.text[s.starts[line-1]:s.lineEnd(line)], "\n")
}

// lineEnd is the offset behind a line and its end.
func (s source) lineEnd(line int) int {
	if line < len(s.starts) {
		return s.starts[line]
	}
	return len(s.text)
}
