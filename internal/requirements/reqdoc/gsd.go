package reqdoc

import (
	"strings"

	"orchestrator/internal/requirements/markdown"
)

// showsGSD reports whether a line shows a planning document of GSD, which has "v1 Requirements" and a core value.
func showsGSD(line string, heading bool) bool {
	if heading {
		return versionOf(line) != ""
	}
	const value = "**core value"
	return len(line) >= len(value) && strings.EqualFold(line[:len(value)], value)
}

// versionOf returns the "v1.2" of a heading "v1.2 Requirements", or "".
func versionOf(heading string) string {
	if heading = strings.TrimSpace(heading); !strings.HasPrefix(heading, "v") && !strings.HasPrefix(heading, "V") {
		return ""
	}
	word, rest, _ := strings.Cut(strings.ToLower(markdown.Fold(heading)), " ")
	number := strings.TrimPrefix(word, "v")
	if number == word || strings.Trim(number, "0123456789.") != "" || number == "" ||
		!strings.HasPrefix(rest, "requirement") {
		return ""
	}
	return word
}
