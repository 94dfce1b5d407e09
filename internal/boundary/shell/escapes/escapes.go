// Package escapes takes escapes out of words of a shell.
package escapes

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unescape takes the backslash away before the characters of set, or before any where set is empty.
func Unescape(s, set string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (set == "" || strings.IndexByte(set, s[i+1]) >= 0) {
			i++
		}
		out = append(out, s[i])
	}
	return string(out)
}

// Letters that stand for a byte after a backslash, and those bytes.
const ansiLetters, ansiBytes = "abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v"

// ansiDigits gives the base and the most digits of a number after a backslash and this letter.
func ansiDigits(letter byte) (base, most int) {
	switch letter {
	case 'x':
		return 16, 2
	case 'u':
		return 16, 4
	case 'U':
		return 16, 8
	}
	return 0, 0
}

// ANSI decodes the text of $'…'.
func ANSI(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		base, most := ansiDigits(s[i])
		digits := s[i+1:]
		if s[i] >= '0' && s[i] <= '7' {
			base, most, digits = 8, 3, s[i:]
			i--
		}
		if base > 0 {
			n, size := leadingNumber(digits, base, most)
			i += size
			if size == 0 {
				out = append(out, '\\', s[i])
			} else if most > 3 {
				out = utf8.AppendRune(out, rune(n))
			} else {
				out = append(out, byte(n))
			}
		} else if at := strings.IndexByte(ansiLetters, s[i]); at >= 0 {
			out = append(out, ansiBytes[at])
		} else if s[i] == 'c' && i+1 < len(s) {
			i++
			out = append(out, s[i]&31)
		} else {
			out = append(out, s[i])
		}
	}
	before, _, _ := strings.Cut(string(out), "\x00") // where bash ends the text
	return before
}

// leadingNumber reads at most so many digits; size is how many there were.
func leadingNumber(s string, base, most int) (n uint64, size int) {
	for size < most && size < len(s) {
		next, err := strconv.ParseUint(s[:size+1], base, 64)
		if err != nil {
			break
		}
		n, size = next, size+1
	}
	return n, size
}

// IsPlain reports whether a shell takes unquoted text as it stands.
func IsPlain(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '\\', '*', '?', '[', '~':
			return false
		}
	}
	return true
}
