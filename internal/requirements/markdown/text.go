package markdown

import "strings"

// WithoutComments drops HTML comments from a text, other than in code blocks.
func WithoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var kept strings.Builder
	fenced, inside := false, false
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); !inside &&
			(strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")) {
			fenced = !fenced
		}
		for !fenced && line != "" {
			mark := "<!--"
			if inside {
				mark = "-->"
			}
			before, after, found := strings.Cut(line, mark)
			if !inside && strings.Count(before, "`")%2 == 1 {
				break // in a code span
			}
			if !inside {
				kept.WriteString(before)
			}
			if line = after; !found {
				break
			}
			inside = !inside
		}
		kept.WriteString(line)
	}
	return strings.Trim(kept.String(), "\n")
}

// Dedent drops up to width spaces from the start of a line.
func Dedent(line string, width int) string {
	spaces := len(line) - len(strings.TrimLeft(line, " "))
	return line[min(spaces, width):]
}
