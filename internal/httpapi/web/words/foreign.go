// Package words says in English what the pages show: statuses, ages, numbers, lists, and text that others wrote.
package words

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"
)

// Foreign returns text that others wrote as HTML in which nothing of it acts: markup is text, and characters that
// cannot be seen or that turn the direction of what follows are named, as in U+202E. Line breaks and tabs stay.
//
// Implements: ORC-334
func Foreign(text string) template.HTML {
	var b strings.Builder
	start := 0
	for i, r := range text {
		if !isHidden(r) && (r != unicode.ReplacementChar || strings.HasPrefix(text[i:], "\uFFFD")) {
			continue
		}
		b.WriteString(template.HTMLEscapeString(text[start:i]))
		size := len(string(r))
		if r == unicode.ReplacementChar {
			size = 1
			fmt.Fprintf(&b, `<span class="ctl">0x%02X</span>`, text[i])
		} else {
			fmt.Fprintf(&b, `<span class="ctl">U+%04X</span>`, r)
		}
		start = i + size
	}
	b.WriteString(template.HTMLEscapeString(text[start:]))
	return template.HTML(b.String()) //nolint:gosec // every part of it was escaped
}

// isHidden reports whether a character cannot be seen as what it is: controls, and those that have no width or turn the
// direction of text (Unicode category Cf, and the separators of lines and paragraphs).
func isHidden(r rune) bool {
	switch r {
	case '\n', '\t', '\r', '\u00AD':
		return false
	case '\u2028', '\u2029', '\u115F', '\u1160', '\u3164', '\uFFA0':
		return true
	case '\u200D', '\u200C': // joiners that scripts and emoji need
		return false
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}
