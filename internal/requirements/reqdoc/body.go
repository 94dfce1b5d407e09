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

	"orchestrator/internal/requirements/ahead"
	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/placeholder"
	"orchestrator/internal/requirements/reqid"
)

// builtAtOnce is how many requirements are built one after the other, beside as many others.
const builtAtOnce = 256

// span is a range of lines, both ends included.
type span struct{ first, last int }

// bounded is a candidate with its last line, and the lines that definitions within it take.
type bounded struct {
	*candidate
	end   int
	holes []span
}

// requirements cuts the bodies of accepted candidates out of the document: each ends at its limit, or before the
// heading or thematic break that ends it, and what is defined within it is a hole in its body. A paragraph ends before
// the next definition. Time is linear in the document: items nest no deeper than the limit of package markdown,
// headings no deeper than six.
func (c *collector) requirements(accepted []*candidate, sparing bool) []built {
	stops := c.stops
	for _, cand := range accepted {
		for len(stops) > 0 && stops[0].line <= cand.line {
			stops = stops[1:]
		}
		if at := slices.IndexFunc(stops, cand.endsAt); at >= 0 {
			cand.limit = max(cand.line, min(cand.limit, stops[at].line-1))
		}
	}
	all := make([]bounded, len(accepted))
	flavour := c.flavour()
	for i, cand := range accepted {
		cand.family = cmp.Or(cand.family, flavour)
		end, holes := cand.extent(accepted[i+1:])
		all[i] = bounded{cand, max(end, cand.line), holes}
	}
	build := func(some []bounded) []built {
		made := make([]built, 0, len(some))
		for _, cand := range some {
			made = append(made, c.requirement(cand))
		}
		return made
	}
	kept := make([]built, 0, len(all))
	for made := range ahead.Of(slices.Collect(slices.Chunk(all, builtAtOnce)), sparing, build) {
		for _, b := range made {
			if !c.leavesOut(b) {
				kept = append(kept, b)
			}
		}
	}
	return kept
}

// extent returns the last line of a candidate, and the lines that definitions within it take.
func (cand *candidate) extent(later []*candidate) (end int, holes []span) {
	end = cand.limit
	for _, next := range later {
		if next.begin > end {
			break
		}
		if cand.place == inParagraph || cand.place == inRow {
			return next.begin - 1, nil
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

// built is a definition with what it was built from, and what is said of it.
type built struct {
	r       Requirement
	form    reqid.Form
	unnamed bool
	limit   int    // last line that its container reaches
	flaw    string // the reason why it is left out, or ""
	doubts  []Problem
}

// requirement builds one requirement, and says if nothing but its id is there, or a placeholder. A heading may stand
// alone. It changes nothing in the collector, so that several can be built at a time.
func (c *collector) requirement(cand bounded) built {
	r := Requirement{
		ID: strings.Clone(cand.id), Kind: c.kindOf(cand.candidate), Place: Place{Line: cand.line},
		Family: cand.family, EndLine: cand.line,
		Section: cand.section.path(), Assigned: cand.assigned, Tick: cand.tick, Change: cand.change,
	}
	if cand.place == inRow {
		title, text, criteria := cand.rowParts()
		r.Title = markdown.Plain(strings.ReplaceAll(title, `\|`, "|"))
		r.Text = strings.Join(text, " | ")
		for _, criterion := range criteria {
			r.Acceptance = append(r.Acceptance, Criterion{Kind: KindAcceptance, Text: criterion})
		}
	} else {
		var cut []span
		r.Acceptance, cut = c.acceptance(cand)
		r.EndLine = cand.trimEnd(c)
		r.Title = strings.Trim(markdown.Plain(cand.title), ".:： ·•|")
		r.Text = markdown.WithoutComments(c.body(cand.candidate, r.EndLine, cut))
	}
	b := built{form: cand.form, unnamed: cand.unnamed, limit: cand.limit}
	if r.Title+r.Text == "" && len(r.Acceptance) == 0 && cand.place != inHeading {
		b.flaw = ReasonNearMiss
	} else if finish(&r); r.isHollow() {
		b.flaw = ReasonPlaceholder
	} else {
		b.doubts = r.doubts()
		r.settle(cand.candidate, c.LineText(cand.line))
	}
	b.r = r
	return b
}

// leavesOut reports whether a definition is left out, and lists why; else it lists what the definition leaves open.
func (c *collector) leavesOut(b built) bool {
	const fix = "write what is required in its place"
	switch r := b.r; b.flaw {
	case ReasonNearMiss:
		c.pass(b.flaw, r.Line, r.ID, "it has no text", "write what is required after it")
	case ReasonPlaceholder:
		c.pass(b.flaw, r.Line, r.ID, "it is a placeholder of a template", fix)
		c.hollow = append(c.hollow, problem(r.Place, r.ID, r.ID+" is a placeholder of a template", fix))
	default:
		c.warnings = append(c.warnings, b.doubts...)
	}
	return b.flaw != ""
}

// doubts returns what a requirement leaves open.
func (r Requirement) doubts() (remarks []Problem) {
	if slices.ContainsFunc(r.Acceptance, func(c Criterion) bool { return placeholder.Is(c.Text) }) {
		remarks = append(remarks, remark(ReasonPlaceholder, r.Place, r.ID,
			r.ID+" has a criterion that is a placeholder of a template", "write the criterion in its place"))
	}
	if strings.Contains(r.Title+r.Text, "[NEEDS CLARIFICATION") {
		remarks = append(remarks, remark(ReasonQuestion, r.Place, r.ID, r.ID+" leaves a question open",
			"answer what stands in [NEEDS CLARIFICATION: …]"))
	}
	return remarks
}

// isHollow reports a requirement that is still to be written: its title, text or name is a placeholder, or there is
// nothing but criteria that all are.
func (r Requirement) isHollow() bool {
	written := func(c Criterion) bool { return !placeholder.Is(c.Text) }
	return placeholder.Is(r.Title) || placeholder.Is(r.Text) || placeholder.Is(r.ID) ||
		r.Title+r.Text == "" && len(r.Acceptance) > 0 && !slices.ContainsFunc(r.Acceptance, written)
}

// trimEnd returns the last line of a body without the empty lines, thematic breaks and holes at its end.
func (b bounded) trimEnd(c *collector) int {
	end, holes := b.end, b.holes
	for end > b.line {
		if n := len(holes); n > 0 && holes[n-1].last >= end {
			end, holes = max(b.line, holes[n-1].first-1), holes[:n-1]
			continue
		}
		at, found := slices.BinarySearchFunc(c.stops, end, func(s stop, line int) int { return s.line - line })
		rule := found && c.stops[at].level == 0
		if !rule && strings.TrimSpace(c.LineText(end)) != "" {
			break
		}
		end--
	}
	return end
}

// body returns the source from the end of the label to the last line, without the lines that were cut out and,
// in a list item, without the indentation that the item asks for.
func (c *collector) body(cand *candidate, end int, cut []span) string {
	var lines []string
	indent, removed := 0, false
	if item, ok := cand.node.(*ast.ListItem); ok && cand.place == inItem {
		indent = item.Offset
	}
	for line := c.Line(cand.from); line <= end && cand.from < len(c.Text); line++ {
		for len(cut) > 0 && cut[0].last < line {
			cut = cut[1:]
		}
		if len(cut) > 0 && cut[0].first <= line {
			removed = true
			continue
		}
		text := c.LineText(line)
		if removed && strings.TrimSpace(text) == "" {
			continue
		}
		removed = false
		if start := c.LineStart(line); start <= cand.from {
			text = strings.TrimLeft(text[min(cand.from-start, len(text)):], " \t")
		} else {
			text = markdown.Dedent(text, indent)
		}
		if text = strings.TrimRight(text, " \t"); text != "" || len(lines) > 0 {
			lines = append(lines, text)
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") // one line is no copy
}

// firstSentence returns the title of a text without one: the first sentence of the first lines that have letters and
// neither open nor close a code block, plain.
func firstSentence(text string) string {
	var paragraph strings.Builder
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimSpace(line)
		item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ") ||
			paragraph.Len() > 0 && strings.TrimLeft(line, "0123456789") != line &&
				strings.HasPrefix(strings.TrimLeft(line, "0123456789"), ". ")
		words := strings.ContainsFunc(line, unicode.IsLetter) && !strings.HasPrefix(line, "```") &&
			!strings.HasPrefix(line, "~~~")
		if paragraph.Len() > 0 && (!words || item) {
			break
		}
		if item && strings.ContainsAny(line[:1], "-*+") {
			line = line[2:]
		}
		if words {
			paragraph.WriteString(line + " ")
		}
	}
	title := strings.TrimSpace(paragraph.String())
	for i, r := range title {
		if end := i + utf8.RuneLen(r); strings.ContainsRune(".!?。！？", r) && endsSentence(r, title[end:]) {
			return markdown.Plain(title[:end])
		}
	}
	return markdown.Plain(title)
}

// endsSentence reports whether white space and then no small letter follow, so that "e.g. this" goes on.
func endsSentence(mark rune, rest string) bool {
	if rest == "" || mark > 0xff {
		return true
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	return rest[0] == ' ' && !unicode.IsLower(next)
}

// fingerprint returns a digest over the folded parts, each with its length in front, so that no two sets of parts
// give the same bytes.
func fingerprint(r Requirement) string {
	h := sha256.New()
	write := func(part string) {
		part = markdown.Fold(part)
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	write(r.Title)
	write(r.Text)
	for _, c := range r.Acceptance {
		write(c.Text)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}
