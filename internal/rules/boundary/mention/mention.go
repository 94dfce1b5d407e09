// Package mention finds names in the text of a command.
package mention

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// First returns the name that comes first in the lists among those that a text contains, or "". The names are in small
// letters, and none is empty. Letters are compared without case: there are file systems that do.
func First(text string, lists ...[]string) string {
	var room [512]byte
	small := toLower(room[:0], text)
	for _, names := range lists {
		for _, name := range names {
			if bytes.Contains(small, []byte(name)) {
				return name
			}
		}
	}
	return ""
}

// toLower returns a text as [strings.ToLower] does, in the room where it is ASCII and fits, as nearly every command.
func toLower(room []byte, text string) []byte {
	if len(text) > cap(room) {
		return []byte(strings.ToLower(text))
	}
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			return []byte(strings.ToLower(text))
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		room = append(room, c)
	}
	return room
}
