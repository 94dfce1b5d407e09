package reqdoc

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// skip lists what looks like a requirement and was not taken.
func (c *collector) skip(line int, id, why, fix string) { c.pass(ReasonNearMiss, line, id, why, fix) }

// pass lists what was not taken for a reason.
func (c *collector) pass(reason string, line int, id, why, fix string) {
	if _, known := c.skipped[line]; !known && !isVersion(id) {
		c.skipped[line] = skippedFor(reason, line, id, why, fix)
	}
}

func skippedFor(reason string, line int, id, why, fix string) Problem {
	id = shorten(id)
	return remark(reason, Place{Line: line}, id, fmt.Sprintf("%s was not taken: %s", id, why), fix)
}

// isVersion reports whether what looks like an id is a version such as "v1.2".
func isVersion(id string) bool {
	return len(id) > 1 && (id[0] == 'v' || id[0] == 'V') && strings.Trim(id[1:], "0123456789.") == ""
}

// skipLines lists the labels in a block whose lines are no Markdown.
func (c *collector) skipLines(n ast.Node, why, fix string) {
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		if id := hiddenID(c.Text[at.Start:at.Stop]); id != "" {
			c.pass(ReasonHidden, c.Line(at.Start), id, why, fix)
		}
	}
}

// inFrontMatter returns the labels in front matter, by line.
func inFrontMatter(front string) map[int]Problem {
	hidden, line := map[int]Problem{}, 0
	for text := range strings.Lines(front) {
		line++
		if id := hiddenID(text); id != "" {
			p := skippedFor(ReasonHidden, line, id, "it stands in the front matter",
				"write it below if it defines a requirement")
			p.Excerpt = excerpt(text)
			hidden[line] = p
		}
	}
	return hidden
}

// hiddenID returns the id that a line would define if it were Markdown, or "".
func hiddenID(line string) string {
	l, ok := matchLabel(cutCheckbox(strings.TrimLeft(line, " \t-+#>")))
	if !ok || !l.mark || l.flaw != "" || l.form.Small {
		return ""
	}
	return l.id
}

func problem(at Place, id, message, fix string) Problem {
	return Problem{Place: at, ID: id, Message: message, Fix: fix}
}

func remark(reason string, at Place, id, message, fix string) Problem {
	return Problem{Place: at, ID: id, Message: message, Fix: fix, Reason: reason}
}

// skippedBeside returns what was skipped, without mentions of requirements that are defined, and how much of it looks
// like a requirement.
func (c *collector) skippedBeside(all []Requirement) (list []Problem, nearMisses int) {
	defined := make(map[string]bool, len(all))
	for _, r := range all {
		defined[r.ID] = true
	}
	for _, p := range c.skipped {
		if defined[p.ID] {
			continue
		}
		list = append(list, p)
		if p.Reason == ReasonNearMiss {
			nearMisses++
		}
	}
	return listed(list), nearMisses
}
