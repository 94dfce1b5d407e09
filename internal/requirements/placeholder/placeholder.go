// Package placeholder recognises what a template leaves to be filled in. It does no I/O.
package placeholder

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/reqid"
)

// Is reports a text that is still to be written: mostly "[what stands here]" or "{name}", one of them with an example,
// one of them in a frame such as "As a [role], I want [feature]", or nothing but a comment. Code, links, tags such as
// [MUST], and a question that is left open in a real requirement, are none.
func Is(text string) bool {
	text = markdown.Fold(text[:min(len(text), 2048)])
	word := strings.Trim(text, ".…*_ ")
	if len(word) < 128 { // none of these is as long, however its letters are written
		word = strings.ToLower(word)
	}
	switch word {
	case "tbd", "todo", "tba", "tbc", "requirement name", "requirement title", "requirement description",
		"feature name", "short title", "brief title", "example requirement", "your requirement here":
		return true
	case "":
		return text != ""
	}
	if strings.HasPrefix(text, "<!--") && strings.HasSuffix(text, "-->") {
		return true
	}
	if !strings.ContainsAny(text, "[{<") {
		return false // as of nearly all texts
	}
	filled := 0
	var around strings.Builder // what stands outside of the brackets
	for i := 0; i < len(text); i++ {
		switch inner, end := "", 0; text[i] {
		case '`':
			end = strings.IndexByte(text[i+1:], '`') + 2
			if end == 1 {
				end = 1
			}
			around.WriteString(text[i : i+end])
			i += end - 1
		case '[', '{', '<':
			inner, end = Bracketed(text[i:])
			if end > 0 && hollow(inner, text[i], text[:i], text[i+end:]) {
				if strings.Contains(inner, "e.g.") {
					return true
				}
				filled += end
				i += end - 1
				continue
			}
			around.WriteString(text[i : i+max(end, 1)])
			i += max(end, 1) - 1
		default:
			around.WriteByte(text[i])
		}
	}
	return filled*10 > len(text)*7 || filled > 0 && isFrame(around.String())
}

// Bracketed returns what stands between the bracket that s begins with and its end, and the length of both.
func Bracketed(s string) (inner string, length int) {
	shut := map[byte]byte{'[': ']', '{': '}', '<': '>'}[s[0]]
	depth := 0
	for i := 0; i < len(s) && i < 500; i++ {
		switch s[i] {
		case s[0]:
			depth++
		case shut:
			if depth--; depth == 0 {
				return s[1:i], i + 1
			}
		}
	}
	return "", 0
}

// hollow reports whether brackets ask for something to be written in their place.
func hollow(inner string, bracket byte, before, after string) bool {
	if bracket == '{' {
		inner = strings.Trim(inner, "{} ")
	}
	words := strings.Fields(inner)
	if len(words) == 0 || !startsWithLetter(inner) || strings.EqualFold(inner, "x") { // a check box
		return false
	}
	if bracket == '<' { // a tag, an address and a comparison are not
		return !strings.ContainsAny(inner, "/=@:!?") &&
			(inner == strings.ToUpper(inner) || strings.ContainsAny(inner, " -_") || !htmlTags[inner])
	}
	if bracket == '{' { // "/users/{id}", "${NAME}" and formulas are not
		return (before == "" || strings.ContainsAny(before[len(before)-1:], " *:")) &&
			!strings.ContainsAny(inner, "\"#:;=+^\\{}")
	}
	label, _, labelled := strings.Cut(inner, ":")
	for _, word := range words {
		if _, id := reqid.FormOf(strings.Trim(word, ",.;")); id {
			return false
		}
	}
	switch strings.ToLower(strings.Trim(words[0], ",:")) {
	case "needs", "removed", "superseded", "deprecated", "deferred", "moved", "tbd", "withdrawn", "obsolete":
		return false
	}
	tag := len(words) == 1 && inner == strings.ToUpper(inner) && inner != strings.ToLower(inner)
	return !tag && !strings.HasPrefix(after, "(") &&
		!strings.HasPrefix(after, "[") && !(labelled && label == strings.ToUpper(label))
}

// IsTemplate reports a title that says so.
func IsTemplate(title string) bool {
	title = strings.ToLower(title[:min(len(title), 800)])
	for _, word := range []string{"template", "模板", "範本", "テンプレート", "템플릿", "plantilla", "vorlage", "modèle de"} {
		if strings.Contains(title, word) {
			return true
		}
	}
	return false
}

func startsWithLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
