// Package lettercount counts how often a letter occurs in a text.
//
// A letter is what a reader sees as one: a character with the marks that follow it, characters held together by a
// joiner, the two halves of a flag. Which of its normal forms it is written in makes no difference: é is one letter, as
// one character or as two, and e does not count it. The package is pure.
package lettercount

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"orchestrator/internal/fault"
)

// The bounds of what is counted.
const (
	MaxText   = 100_000 // bytes of the text
	maxLetter = 64      // bytes of the letter
)

const joiner = '\u200d'

// Count counts how often the letter occurs in the text. Without exact, upper and lower case are alike, character by
// character: ß and ẞ are, ß and ss are not. Its error says what is wrong with the letter or the text.
func Count(text, letter string, exact bool) (int, error) {
	if err := check(text, letter); err != nil {
		return 0, err
	}
	want := split(norm.NFD.String(letter))
	if len(want) != 1 {
		return 0, fault.New(fault.Invalid, "letter_not_one", "%d letters are to be counted where one can be",
			len(want)).
			WithFix("send one letter, such as r; for several send one obligation each")
	}
	equal := strings.EqualFold
	if exact {
		equal = func(a, b string) bool { return a == b }
	}
	count := 0
	for _, l := range split(norm.NFD.String(text)) {
		if equal(l, want[0]) {
			count++
		}
	}
	return count, nil
}

func check(text, letter string) error {
	switch {
	case text == "":
		return fault.New(fault.Invalid, "text_empty", "the text is empty: there is nothing to count in").
			WithFix("send the word or the text in which to count")
	case strings.TrimSpace(text) == "" && strings.TrimSpace(letter) != "":
		return fault.New(fault.Invalid, "text_empty", "the text has only blanks: there is nothing to count in").
			WithFix("send the word or the text in which to count")
	case len(text) > MaxText || len(letter) > maxLetter:
		return fault.New(fault.Invalid, "text_too_long",
			"the text has %d bytes and the letter %d; at most %d and %d are taken", len(text), len(letter), MaxText,
			maxLetter).
			WithFix("count in parts of the text")
	case !utf8.ValidString(text) || !utf8.ValidString(letter):
		return fault.New(fault.Invalid, "text_not_utf8", "the text or the letter is not valid UTF-8").
			WithFix("send it in UTF-8")
	}
	return nil
}

// split cuts a decomposed text into letters.
func split(text string) []string {
	var letters []string
	start, last, flags := 0, rune(-1), 0 // flags are the halves right before
	for i, r := range text {
		if i > 0 && !held(last, r, flags) {
			letters = append(letters, text[start:i])
			start = i
		}
		if flag(r) {
			flags++
		} else {
			flags = 0
		}
		last = r
	}
	if text != "" {
		letters = append(letters, text[start:])
	}
	return letters
}

// held reports whether a character belongs to the letter of the one before it.
func held(before, r rune, flags int) bool {
	return extends(r) || before == joiner && !unicode.IsLetter(r) || flag(r) && flags%2 == 1
}

// extends reports whether a character extends a letter: marks, joiners, the tones of emoji, and the vowels and last
// consonants that make up a syllable of Hangul.
func extends(r rune) bool {
	return unicode.Is(unicode.M, r) || r == joiner || r == '\u200c' || 0x1f3fb <= r && r <= 0x1f3ff || 0x1160 <= r &&
		r <= 0x11ff
}

func flag(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// Confirm counts a second time and compares: it looks for the letter character by character in the decomposed text, and
// then whether a letter begins and ends there. Its error says what differs.
func Confirm(text, letter string, exact bool, count int) error {
	if err := check(text, letter); err != nil {
		return err
	}
	runes, want := []rune(norm.NFD.String(text)), []rune(norm.NFD.String(letter))
	if len(want) == 0 {
		return errors.New("there is no letter to count")
	}
	again, starts := 0, starts(runes)
	for at := 0; at+len(want) <= len(runes); at++ {
		if starts[at] && starts[at+len(want)] && same(runes, starts, at, want, exact) {
			again++
		}
	}
	if again != count {
		return fmt.Errorf("a second count gives %d", again)
	}
	return nil
}

// starts reports for each place, and for the end, whether a letter begins there.
func starts(runes []rune) []bool {
	begins := make([]bool, len(runes)+1)
	begins[0], begins[len(runes)] = true, true
	run := 0 // halves of flags right before; an even number are whole flags
	for at, r := range runes {
		half := unicode.Is(unicode.Regional_Indicator, r)
		switch {
		case at == 0:
			begins[at] = true
		case unicode.In(r, unicode.Mn, unicode.Mc, unicode.Me, unicode.Variation_Selector, unicode.Join_Control),
			r >= 0x1f3fb && r <= 0x1f3ff, r >= 0x1160 && r <= 0x11ff:
		case runes[at-1] == '\u200d':
			begins[at] = unicode.IsLetter(r)
		case half:
			begins[at] = run%2 == 0
		default:
			begins[at] = true
		}
		if run++; !half {
			run = 0
		}
	}
	return begins
}

// same reports whether what is wanted stands at a place, as one letter.
func same(runes []rune, starts []bool, at int, want []rune, exact bool) bool {
	for i, w := range want {
		r := runes[at+i]
		if r != w && (exact || !alike(r, w)) || i > 0 && starts[at+i] {
			return false
		}
	}
	return true
}

// alike goes round all cases of a character.
func alike(a, b rune) bool {
	for r := unicode.SimpleFold(a); r != a; r = unicode.SimpleFold(r) {
		if r == b {
			return true
		}
	}
	return false
}
