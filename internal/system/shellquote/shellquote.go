// Package shellquote writes words into the command lines that people are told to run.
package shellquote

import "strings"

// Quote returns a word as a POSIX shell takes it for that very word.
func Quote(word string) string {
	if word != "" && !strings.ContainsFunc(word, needsQuotes) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func needsQuotes(r rune) bool {
	plain := r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	return !plain && !strings.ContainsRune("/.-_", r)
}
