// Package frontmatter parts the files of agents and skills from what stands before their text.
package frontmatter

import "strings"

// Cut parts a text that begins with lines between two lines of --- from what follows them. Blanks at the end of a line
// do not count, and neither do a byte order mark and the line ends of Windows. A text without such lines is all body.
// Where the second line of --- is missing, Cut returns the lines without a body, and ended is false.
func Cut(text string) (head, body string, ended bool) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if !isFence(first) {
		return "", text, true
	}
	size := 0
	for line := range strings.Lines(rest) {
		if isFence(line) {
			return rest[:size], rest[size+len(line):], true
		}
		size += len(line)
	}
	return rest, "", false
}

func isFence(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }
