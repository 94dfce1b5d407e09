package reqdoc

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/reqid"
)

// isPlaceholder reports a text that a template left to be filled in: mostly "[what stands here]" or "{name}", or one
// of them with an example. Code, links, tags such as [MUST], and a question that is left open in a real requirement,
// are none.
func isPlaceholder(text string) bool {
	text = markdown.Fold(text[:min(len(text), 2048)])
	switch word := strings.ToLower(strings.Trim(text, ".…*_ ")); word {
	case "tbd", "todo", "tba", "tbc":
		return true
	case "":
		return text != ""
	}
	filled := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '`':
			if end := strings.IndexByte(text[i+1:], '`'); end >= 0 {
				i += end + 1
			}
		case '[', '{', '<':
			inner, end := bracketed(text[i:])
			if end == 0 {
				continue
			}
			if hollow(inner, text[i], text[:i], text[i+end:]) {
				if strings.Contains(inner, "e.g.") {
					return true
				}
				filled += end
			}
			i += end - 1
		}
	}
	return filled*10 > len(text)*7
}

// bracketed returns what stands between the bracket that s begins with and its end, and the length of both.
func bracketed(s string) (inner string, length int) {
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
	if len(words) == 0 || !startsWithLetter(inner) {
		return false
	}
	if bracket == '<' { // a tag, an address and a comparison are not
		return !strings.ContainsAny(inner, "/=@:!?") &&
			(inner == strings.ToUpper(inner) || strings.ContainsAny(inner, " -_"))
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
	return (len(words) > 1 || inner != strings.ToUpper(inner)) && !strings.HasPrefix(after, "(") &&
		!strings.HasPrefix(after, "[") && !(labelled && label == strings.ToUpper(label))
}

// template refuses a document that is to be filled in yet: its title is a placeholder, or most definitions are.
func template(title string, line int, hollow []Problem, real int) error {
	titled := isPlaceholder(afterColon(title)) && len(hollow)+real > 0 || real == 0 && isTemplate(title)
	if !titled && len(hollow) <= real {
		return nil
	}
	why := fmt.Sprintf("%d of its %d definitions are placeholders", len(hollow), len(hollow)+real)
	if titled {
		why = fmt.Sprintf("its title is %q", shorten(title))
		hollow = append([]Problem{problem(Place{Line: line}, "", why, "write what the document is about")}, hollow...)
	}
	err := fault.New(fault.Invalid, "document_template", "the document is a template: %s", why).
		WithFix("fill it in, title included, and import it again")
	for _, p := range listed(hollow) {
		err.Fields = append(err.Fields, fault.Field{Pointer: p.pointer(), Detail: p.Message, Fix: p.Fix})
	}
	return err
}

// isTemplate reports a title that says so.
func isTemplate(title string) bool {
	title = strings.ToLower(shortenTo(title, maxHeading))
	for _, word := range []string{"template", "模板", "範本", "テンプレート", "템플릿", "plantilla", "vorlage", "modèle de"} {
		if strings.Contains(title, word) {
			return true
		}
	}
	return false
}

func afterColon(title string) string {
	if _, name, found := strings.Cut(title, ":"); found {
		return name
	}
	return title
}

// placeholderID returns an id whose number is yet to be given, such as FR-XXX or REQ-NNN, at the start of a text; or
// "".
func placeholderID(text string) string {
	token := reqid.Scan(strings.TrimLeft(text, " \t*_"))
	letters, number, found := strings.Cut(token, "-")
	hollow := number != "" && (strings.Trim(number, "X") == "" || strings.Trim(number, "N") == "")
	if !found || letters == "" || strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || !hollow {
		return ""
	}
	return token
}

func startsWithLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
