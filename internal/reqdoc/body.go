package reqdoc

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// span is a range of lines, both ends included.
type span struct{ first, last int }

// requirements cuts the bodies of accepted candidates out of the document: each ends at its limit, before the
// next definition, or before the heading or thematic break that ends it. Items defined within an item are holes
// in its body. Time is linear in the document: items nest no deeper than maxDepth, headings no deeper than six.
func (c *collector) requirements(accepted []*candidate) []Requirement {
	var all []Requirement
	var outer candidate // reaches furthest so far
	covered := 0        // last line that is in a body
	stops := c.stops
	for i, cand := range accepted {
		for len(stops) > 0 && stops[0].line <= cand.line {
			stops = stops[1:]
		}
		if at := slices.IndexFunc(stops, cand.endsAt); at >= 0 {
			cand.limit = max(cand.line, min(cand.limit, stops[at].line-1))
		}
		end, holes := cand.extent(accepted[i+1:])
		r, ok := c.requirement(cand, max(end, cand.line), holes)
		if ok {
			all = append(all, r)
		}
		covered = max(covered, r.EndLine)
		if cand.limit > outer.limit {
			outer = *cand
		}
		next := len(c.starts) + 1
		if i+1 < len(accepted) {
			next = accepted[i+1].begin
		}
		c.warnOrphans(cand, outer, span{covered + 1, min(outer.limit, next-1)})
	}
	return all
}

// warnOrphans reports lines that stand below one requirement but after the definition of another one within it,
// and so are the text of neither.
func (c *collector) warnOrphans(cand *candidate, outer candidate, lines span) {
	last := c.trimEnd(lines.first-1, lines.last, nil)
	if last < lines.first {
		return
	}
	for strings.TrimSpace(c.lineText(lines.first)) == "" {
		lines.first++
	}
	c.warnings = append(c.warnings, Problem{lines.first, outer.id,
		fmt.Sprintf("lines %d to %d belong to no requirement: %s on line %d ends the text of %s", lines.first, last, cand.id, cand.line, outer.id),
		"move them before the first definition inside " + outer.id + ", or give them an id"})
}

// extent is the last line that the definitions after it leave to a candidate, and the lines that items within it take.
func (cand *candidate) extent(later []*candidate) (end int, holes []span) {
	end = cand.limit
	for _, next := range later {
		if next.begin > end {
			break
		}
		if cand.place != inItem || next.place != inItem {
			return next.begin - 1, holes
		}
		if len(holes) == 0 || next.begin > holes[len(holes)-1].last {
			holes = append(holes, span{next.begin, next.limit})
		}
	}
	return end, holes
}

// endsAt reports whether a heading or thematic break further down ends the body of the candidate.
func (cand *candidate) endsAt(s stop) bool {
	switch cand.place {
	case inHeading:
		return s.level > 0 && s.level <= cand.level
	case inParagraph:
		return true
	}
	return s.line > cand.limit // nothing does; look no further
}

// requirement builds one requirement, or lists the candidate as skipped if nothing but its id is there. A heading
// may stand alone.
func (c *collector) requirement(cand *candidate, end int, holes []span) (Requirement, bool) {
	r := Requirement{ID: strings.Clone(cand.id), Kind: KindRequirement, Line: cand.line, EndLine: cand.line, Section: slices.Clone(cand.section)}
	if cand.place == inRow {
		r.Title = plain(strings.ReplaceAll(cand.cells[0], `\|`, "|"))
		if r.Text = strings.Join(cand.cells[1:], " | "); strings.Trim(r.Text, "| ") == "" {
			r.Text = ""
		}
	} else {
		var cut []span
		r.Acceptance, cut = c.acceptance(cand, end, holes)
		r.EndLine = c.trimEnd(cand.line, end, holes)
		r.Title = strings.TrimRight(plain(cand.title), ".:： ")
		r.Text = c.body(cand, r.EndLine, cut)
	}
	if r.Title+r.Text == "" && len(r.Acceptance) == 0 && cand.place != inHeading {
		c.skip(r.Line, r.ID, "it has no text", "write what is required after it")
		return r, false
	}
	r.Title = cmp.Or(r.Title, firstSentence(r.Text))
	r.Fingerprint = fingerprint(r)
	r.Title = cmp.Or(r.Title, r.ID)
	return r, true
}

// trimEnd drops empty lines, thematic breaks and holes from the end of a body.
func (c *collector) trimEnd(first, end int, holes []span) int {
	for end > first {
		if n := len(holes); n > 0 && holes[n-1].last >= end {
			end, holes = max(first, holes[n-1].first-1), holes[:n-1]
			continue
		}
		at, found := slices.BinarySearchFunc(c.stops, end, func(s stop, line int) int { return s.line - line })
		rule := found && c.stops[at].level == 0
		if !rule && strings.TrimSpace(c.lineText(end)) != "" {
			break
		}
		end--
	}
	return end
}

// body is the source from the end of the label to the last line, without the lines that were cut out and,
// in a list item, without the indentation that the item asks for.
func (c *collector) body(cand *candidate, end int, cut []span) string {
	var b strings.Builder
	indent, removed := 0, false
	if item, ok := cand.node.(*ast.ListItem); ok && cand.place == inItem {
		indent = item.Offset
	}
	for line := c.line(cand.from); line <= end && cand.from < len(c.text); line++ {
		for len(cut) > 0 && cut[0].last < line {
			cut = cut[1:]
		}
		if len(cut) > 0 && cut[0].first <= line {
			removed = true
			continue
		}
		text := c.lineText(line)
		if removed && strings.TrimSpace(text) == "" {
			continue
		}
		removed = false
		if start := c.starts[line-1]; start <= cand.from {
			text = strings.TrimLeft(text[min(cand.from-start, len(text)):], " \t")
		} else {
			text = dedent(text, indent)
		}
		b.WriteString(strings.TrimRight(text, " \t") + "\n")
	}
	return strings.Trim(b.String(), "\n")
}

// dedent drops up to width spaces from the start of a line.
func dedent(line string, width int) string {
	spaces := len(line) - len(strings.TrimLeft(line, " "))
	return line[min(spaces, width):]
}

// firstSentence is the title of a text without one: the first sentence of the first lines that have letters and
// neither open nor close a code block, plain.
func firstSentence(text string) string {
	var paragraph strings.Builder
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimSpace(line)
		item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
		words := strings.ContainsFunc(line, unicode.IsLetter) && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~")
		if paragraph.Len() > 0 && (!words || item) {
			break
		}
		if item {
			line = line[2:]
		}
		if words {
			paragraph.WriteString(line + " ")
		}
	}
	title := strings.TrimSpace(paragraph.String())
	for i, r := range title {
		if end := i + utf8.RuneLen(r); strings.ContainsRune(".!?。！？", r) && endsSentence(r, title[end:]) {
			return plain(title[:end])
		}
	}
	return plain(title)
}

// endsSentence: white space and then no small letter follow, so that "e.g. this" goes on.
func endsSentence(mark rune, rest string) bool {
	if rest == "" || mark > 0xff {
		return true
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	return rest[0] == ' ' && !unicode.IsLower(next)
}

// fingerprint is taken over the folded parts, each with its length in front, so that no two sets of parts
// give the same bytes.
func fingerprint(r Requirement) string {
	h := sha256.New()
	for _, part := range append([]string{r.Title, r.Text}, r.Acceptance...) {
		part = fold(part)
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}
