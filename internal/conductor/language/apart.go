package language

import (
	"regexp"
	"strings"
	"time"

	"orchestrator/internal/system/lazyregexp"
)

// joints are where people go over to another sentence, or another question of the same one. What stands in quotes is
// found as well, and has none.
var joints = []func() *regexp.Regexp{
	lazyregexp.New(`"[^"]*"|[.!] `),
	lazyregexp.New(`(?i)"[^"]*"|,? (?:and|then|also|plus) `),
	lazyregexp.New(`(?i)"[^"]*"|[.!,] |,? (?:and|then|also|plus) `),
}

// apart returns the sentences of which a text consists, parted as the grammar wants it; "" where one of its parts is no
// sentence.
func apart(text string, now time.Time) string {
	for _, joint := range joints {
		parts := partsOf(text, joint())
		if len(parts) < 2 {
			continue
		}
		all := true
		for _, part := range parts {
			all = all && understood(part, now)
		}
		if all {
			return strings.Join(parts, "; ")
		}
	}
	return ""
}

func partsOf(text string, joint *regexp.Regexp) (parts []string) {
	from := 0
	for _, at := range joint.FindAllStringIndex(text, -1) {
		if text[at[0]] != '"' {
			parts = append(parts, trim(text[from:at[0]]))
			from = at[1]
		}
	}
	return append(parts, trim(text[from:]))
}

func understood(sentence string, now time.Time) bool {
	for _, reading := range readings(sentence) {
		if found, _ := match(reading, now); len(found) > 0 {
			return true
		}
	}
	return false
}
