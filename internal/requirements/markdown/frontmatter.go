package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitFrontMatter takes front matter, which describes a document and is none of its text, from the start of it: YAML
// between lines "---", or TOML between lines "+++". Empty lines stand in its place, so that lines keep their numbers.
func splitFrontMatter(text string) (front, rest string) {
	fence, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	at := len(text) - len(strings.TrimLeft(text, "\n")) + len(fence) + 1
	fence = strings.TrimRight(fence, " \t")
	if fence != "---" && fence != "+++" || at > len(text) {
		return "", text
	}
	b := block{toml: fence == "+++"}
	for line := range strings.Lines(text[at:]) {
		at += len(line)
		line = strings.TrimRight(line, " \t\n")
		switch {
		case b.keys > 0 && (line == fence || line == "..." && !b.toml):
			return text[:at], strings.Repeat("\n", strings.Count(text[:at], "\n")) + text[at:]
		case line != "" && line[0] != '#' && !b.takes(line):
			return "", text
		}
	}
	return "", text
}

// block is front matter as far as it was read.
type block struct {
	toml bool
	keys int
	open bool // the last key has no value on its line, so that items without indentation may follow
}

// takes reports whether a line continues a mapping at its top level, or stands deeper.
func (b *block) takes(line string) bool {
	mark, values := ":", " \t"
	if b.toml {
		mark, values = "=", line
	}
	key, value, found := strings.Cut(line, mark)
	switch {
	case found && isKey(key) && (value == "" || strings.ContainsAny(value[:1], values)):
		b.keys++
		b.open = strings.TrimSpace(value) == ""
		return true
	case b.toml && line[0] == '[':
		b.keys++
		return true
	case line == "-" || strings.HasPrefix(line, "- "):
		return b.toml && b.keys > 0 || b.open
	}
	return b.keys > 0 && (b.toml || strings.ContainsAny(line[:1], " \t]}"))
}

// isKey reports a key of front matter: one or a few words, perhaps in quotes.
func isKey(key string) bool {
	key = strings.Trim(key, `"' `)
	first, _ := utf8.DecodeRuneInString(key)
	return len(key) <= 64 && (unicode.IsLetter(first) || unicode.IsDigit(first) || first == '_') &&
		!strings.ContainsAny(key, "#*`|<>[](){}!?,;/\\")
}
