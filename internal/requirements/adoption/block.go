package adoption

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Block returns the lines that a mark on one line of a file is about: the mark, the comment around it, and the
// definition below, as far as its indentation and its closing bracket tell; lines are counted from 1. A mark in the
// comment at the head of a file is about the whole file, which is 0, 0.
func Block(content []byte, mark int) (first, last int) {
	lines := bytes.Split(bytes.TrimRight(content, "\n"), []byte("\n"))
	if mark < 1 || mark > len(lines) {
		return 0, 0
	}
	first = mark
	for first > 1 && isComment(lines[first-2]) {
		first--
	}
	if !slices.ContainsFunc(lines[:first-1], isCode) {
		return 0, 0
	}
	at := mark // the definition is below; or the mark stands behind it, in its line
	if isComment(lines[mark-1]) {
		for at < len(lines) && isComment(lines[at]) {
			at++
		}
		at++
	}
	for at < len(lines) && isAttribute(lines[at-1]) {
		at++
	}
	if at > len(lines) || len(bytes.TrimSpace(lines[at-1])) == 0 {
		return first, mark // nothing stands right below it
	}
	return first, endOf(lines, at)
}

// endOf returns the last line of what begins on a line: of all that is indented further, and a bracket that closes it.
func endOf(lines [][]byte, begin int) int {
	indent, last := indentOf(lines[begin-1]), begin
	for n := begin + 1; n <= len(lines); n++ {
		line := lines[n-1]
		text := string(bytes.TrimSpace(line))
		switch {
		case text == "":
			continue
		case indentOf(line) > indent:
			last = n
			continue
		case indentOf(line) == indent && isBracket(text):
			last = n
			if strings.HasSuffix(text, "{") || strings.HasSuffix(text, "(") {
				continue // "} else {", or a bracket that opens on a line of its own
			}
		}
		break
	}
	return last
}

// isBracket reports whether a line closes what was opened above it, or opens it on a line of its own.
func isBracket(text string) bool {
	return strings.ContainsAny(text[:1], "})]") || text == "end" || text == "{"
}

// indentOf returns how far a line is indented; a tab is eight spaces.
func indentOf(line []byte) (n int) {
	for _, b := range line {
		switch b {
		case ' ':
			n++
		case '\t':
			n += 8
		default:
			return n
		}
	}
	return n
}

// commentStarts begin a line of a comment in the languages that people write.
var commentStarts = []string{"//", "#", "--", ";", "%", "/*", "*", "<!--", "\"\"\"", "'''", "{-", "(*"}

func isComment(line []byte) bool {
	text := string(bytes.TrimSpace(line))
	if strings.HasPrefix(text, "#[") || strings.HasPrefix(text, "#include") || strings.HasPrefix(text, "#define") {
		return false
	}
	return slices.ContainsFunc(commentStarts, func(start string) bool { return strings.HasPrefix(text, start) })
}

// isAttribute reports whether a line says something of the definition below it: a decorator, an annotation.
func isAttribute(line []byte) bool {
	text := string(bytes.TrimSpace(line))
	return strings.HasPrefix(text, "@") || strings.HasPrefix(text, "#[") ||
		strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]")
}

func isCode(line []byte) bool {
	text := bytes.TrimSpace(line)
	return len(text) > 0 && !isComment(line)
}

// IsText reports whether a file is prose by its name: a mark in it is about a design, and implements nothing.
func IsText(file string) bool {
	prose := []string{".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt"}
	return slices.Contains(prose, strings.ToLower(path.Ext(file)))
}

// IsTest reports whether a file holds tests by its name or its folder.
func IsTest(file string) bool {
	for _, folder := range strings.Split(path.Dir(file), "/") {
		if slices.Contains([]string{"test", "tests", "__tests__", "spec", "e2e", "testdata"}, folder) {
			return true
		}
	}
	base := strings.ToLower(path.Base(file))
	stem := strings.TrimSuffix(base, path.Ext(base))
	ends := []string{"_test", ".test", "_spec", ".spec"}
	return strings.HasPrefix(stem, "test_") ||
		slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(stem, end) })
}
