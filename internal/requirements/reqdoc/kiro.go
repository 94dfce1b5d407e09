package reqdoc

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/vocabulary"
)

// readKiro reads a heading "Requirement 3: title", in any of Kiro's languages; the number is the id.
func readKiro(c *collector, b block) (label, bool) {
	if b.place != inHeading {
		return label{}, false
	}
	text := bare(b.text)
	for _, word := range vocabulary.RequirementNames {
		if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
			continue
		}
		rest := strings.TrimLeft(text[len(word):], " \t#")
		number := kiroNumber(rest)
		if number == "" {
			continue
		}
		title := strings.TrimLeft(rest[len(number):], " \t.:：-–—、*_")
		return label{id: reqid.Canonical(number), token: number, at: strings.Index(b.text, number), rest: len(b.text),
			title: strings.TrimRight(title, "*_ ")}, true
	}
	return label{}, false
}

// kiroNumber returns the number that a text begins with, such as 3, 2.1 or 5a, or an id such as R6; "" if there is
// none, or if it is part of something else.
func kiroNumber(text string) string {
	token := reqid.Scan(text)
	if _, shaped := reqid.FormOf(token); shaped {
		return token
	}
	number := strings.TrimRight(text[:len(text)-len(strings.TrimLeft(text, "0123456789."))], ".")
	if number == "" || number[0] == '.' {
		return ""
	}
	next, width := utf8.DecodeRuneInString(text[len(number):])
	if unicode.IsLower(next) && next < 0x80 {
		after, _ := utf8.DecodeRuneInString(text[len(number)+width:])
		if unicode.IsLetter(after) {
			return ""
		}
		return text[:len(number)+width]
	}
	if unicode.IsLetter(next) && next < 0x2e80 || next == '-' && len(text) > len(number)+1 &&
		text[len(number)+1] != ' ' {
		return ""
	}
	return number
}

// finishKiro numbers the acceptance criteria as Kiro refers to them: 3.1 is the first of requirement 3.
func finishKiro(r *Requirement) {
	for i := range r.Acceptance {
		if r.Acceptance[i].ID == "" {
			r.Acceptance[i].ID = r.ID + "." + strconv.Itoa(i+1)
		}
	}
}
