package git

import "strings"

// beside begins the lines in which git says what is not why a command failed.
var beside = []string{"hint:", "warning:"}

// Said returns what git said of a failure, without its advice and warnings, unless there is nothing else.
func Said(words string) string {
	var lines []string
	for line := range strings.Lines(words) {
		if !hasAny(line, beside) {
			lines = append(lines, line)
		}
	}
	if said := strings.TrimSpace(strings.Join(lines, "")); said != "" {
		return said
	}
	return strings.TrimSpace(words)
}

// Cause returns in one line why a command failed: the first that git itself marks as an error, or else the first that
// is not beside the point; "" where git said nothing.
func Cause(words string) string {
	first, _, _ := strings.Cut(Said(words), "\n")
	for line := range strings.Lines(words) {
		for _, mark := range []string{"fatal: ", "error: "} {
			if cause, is := strings.CutPrefix(line, mark); is {
				return strings.TrimSpace(cause)
			}
		}
	}
	return strings.TrimSpace(first)
}

func hasAny(line string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
