package idmatch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a run of digits, or the letters between two boundaries of words or of camel case: "TestREQ7_ok" has the
// words Test, REQ, 7 and ok.
type word struct {
	text     string
	from, to int    // bytes of the name
	before   string // what stands between the word before, or the start of the name, and this one
	digits   bool
	glued    bool // nothing stands between the word before and this one
	small    bool // it begins with a small letter
}

// split takes a name apart into its words.
func split(name string) []word {
	var words []word
	start, last := -1, 0 // of the present word, or -1; end of the word before
	end := func(at int) {
		if start < 0 {
			return
		}
		first, _ := utf8.DecodeRuneInString(name[start:])
		words = append(words, word{
			text: name[start:at], from: start, to: at, before: name[last:start], glued: len(words) > 0 && last == start,
			digits: unicode.IsDigit(first), small: unicode.IsLower(first),
		})
		start, last = -1, at
	}
	prev, prev2, prevAt := none, none, 0 // classes of the two characters before, and where the last one is
	for i, r := range name {
		if unicode.IsMark(r) && prev != none {
			continue // an accent belongs to its letter
		}
		c := classOf(r)
		switch {
		case c == none:
			end(i)
		case start < 0:
			start = i
		case c == small && prev == upper && prev2 == upper: // "REQLogin": the last capital begins the next word
			end(prevAt)
			start = prevAt
		case (c == digit) != (prev == digit), (c == other) != (prev == other), c == upper && prev != upper:
			end(i)
			start = i
		}
		prev2, prev, prevAt = prev, c, i
	}
	end(len(name))
	return words
}

// class is what a character is to the boundaries of words.
type class int

const (
	none class = iota // neither letter nor digit: it separates
	digit
	upper
	small
	other // a letter of a script without case
)

func classOf(r rune) class {
	switch {
	case unicode.IsDigit(r):
		return digit
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper
	case unicode.IsLower(r):
		return small
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return other
	}
	return none
}

// mayBegin reports whether an id may begin with the word. A number inside an identifier, or behind a point that follows
// another number, is a part of something longer.
func (w word) mayBegin(before []word) bool {
	if len(before) == 0 {
		return true
	}
	prev := before[len(before)-1]
	if w.digits {
		return !w.glued && !(w.before == "." && prev.digits)
	}
	return !w.glued || !prev.digits || !w.small
}

// mayEnd reports whether an id may end with the word: a number that goes on behind a point, or has a letter of its own
// ("7a", "7B"), is another one.
func (w word) mayEnd(after []word) bool {
	if len(after) == 0 {
		return true
	}
	next := after[0]
	if !w.digits {
		return !next.glued || !next.digits
	}
	if !next.glued {
		return !(next.before == "." && next.digits)
	}
	return !next.small && len(next.text) > 1
}

// joined reports whether the word may follow the word before it in an identifier: with one separator, or none.
func (w word) joined() bool {
	return w.glued || len(w.before) == 1 && strings.Contains("-_./ ", w.before)
}
