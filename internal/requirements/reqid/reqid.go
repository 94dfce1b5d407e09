// Package reqid knows what an id of a requirement is: which texts may be one, how one is taken apart, and which two a
// reader would take for one another.
//
// Ids are compared byte by byte everywhere. The package does no I/O.
package reqid

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
)

// MaxLength is the longest id, in characters.
const MaxLength = 128

// Valid reports whether an id may be stored, compared and printed: 1 to 128 characters of valid UTF-8, all of them
// visible, with single spaces inside at most, none a hyphen that only looks like '-'. Ids are compared byte by byte.
// The error is a *fault.Error of kind Invalid and code illegal_id.
//
// Implements: ORC-007
func Valid(id string) error {
	illegal := func(fix, format string, args ...any) error {
		return fault.New(fault.Invalid, "illegal_id", format, args...).WithFix("%s", fix)
	}
	if id == "" {
		return illegal("write an id", "the id is empty")
	}
	if !utf8.ValidString(id) {
		return illegal("write it in UTF-8", "the id is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(id); n > MaxLength {
		return illegal(fmt.Sprintf("shorten it: an id has at most %d", MaxLength), "the id has %d characters", n)
	}
	if id != strings.Join(strings.Fields(id), " ") {
		return illegal("write single spaces, and none at the ends",
			"the id %s has white space at an end, or more than one space in a row", strconv.QuoteToASCII(id))
	}
	for i, r := range id {
		switch {
		case hidden(r):
			return illegal(fmt.Sprintf("take %U, which nobody sees, out of it", r),
				"the id %s holds the character %U", strconv.QuoteToASCII(id), r)
		case dashAlike(r) && !setOff(id, i, r):
			return illegal(fmt.Sprintf("write - (U+002D) in place of the dash %U", r),
				"the id %s holds the character %U", strconv.QuoteToASCII(id), r)
		}
	}
	return nil
}

// setOff reports a dash between spaces, which is punctuation of a name and no hyphen.
func setOff(id string, at int, dash rune) bool {
	return strings.HasSuffix(id[:at], " ") && strings.HasPrefix(id[at+utf8.RuneLen(dash):], " ")
}

// hidden reports characters that a reader cannot see: control, format (bidi among them), white space other
// than ' ', fillers, variation selectors, and code points without a meaning of their own.
func hidden(r rune) bool {
	const brailleBlank = '\u2800'
	return !unicode.IsPrint(r) || r == brailleBlank ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// dashAlike reports dashes that are not '-'.
func dashAlike(r rune) bool {
	return r != '-' && (unicode.Is(unicode.Pd, r) || r == '\u2212' || r == '\u2043' || r == '\u02d7')
}

// Canonical returns the id that the writer most likely meant: hidden characters dropped, look-alike hyphens,
// full-width forms and letters of another script replaced by their plain counterparts.
func Canonical(token string) string {
	if IsASCII(token) {
		return token
	}
	plain := strings.Map(func(r rune) rune {
		switch {
		case dashAlike(r):
			return '-'
		case r >= '\uff01' && r <= '\uff5e':
			return r - '\uff01' + '!'
		case hidden(r):
			return -1
		}
		return r
	}, token)
	if readAs, _ := Mixed(plain); readAs != "" {
		return readAs
	}
	return plain
}

// FromName returns the id that a name makes: hidden characters dropped, dashes that only look like a hyphen replaced by
// one, unless spaces set them off, and single spaces between words. So a name that was pasted is the same as one typed.
func FromName(name string) string {
	name = strings.Map(func(r rune) rune {
		if hidden(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	var b strings.Builder
	for i, r := range name {
		if dashAlike(r) && !setOff(name, i, r) {
			r = '-'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// NearKey returns a key that is equal for ids that differ in case, in leading zeros or in what joins letters and number
// alone.
func NearKey(id string) string {
	var b strings.Builder
	letters := len(id) - len(strings.TrimLeftFunc(id, unicode.IsLetter))
	if rest := id[letters:]; letters > 0 && len(rest) > 1 && strings.ContainsAny(rest[:1], "-_.") && rest[1] >= '0' &&
		rest[1] <= '9' {
		id = id[:letters] + rest[1:]
	}
	digits := false
	for i := 0; i < len(id); i++ {
		digit := id[i] >= '0' && id[i] <= '9'
		if id[i] == '0' && !digits && i+1 < len(id) && id[i+1] >= '0' && id[i+1] <= '9' {
			continue
		}
		digits = digit
		b.WriteByte(id[i])
	}
	return strings.ToLower(b.String())
}

func wordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nd, unicode.M) || invisible(r)
}

// invisible reports hidden characters that sit unnoticed inside a word, as opposed to ending it.
func invisible(r rune) bool {
	return hidden(r) && r != utf8.RuneError && !unicode.IsSpace(r) && !unicode.IsControl(r)
}

// Scan returns the longest start of s that may be an id, look-alikes included: words joined by single
// '-', '_', '.' or a dash that looks like '-'. A long dash between a number and a word is a delimiter.
func Scan(s string) string {
	last := rune(0)
	for i, r := range s {
		if wordRune(r) {
			last = r
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		joiner := r == '-' || r == '_' || r == '.' || dashAlike(r)
		long := r >= '\u2013' && r <= '\u2015' && unicode.IsDigit(last) && !unicode.IsDigit(next)
		if !joiner || long || !wordRune(next) || last == 0 {
			return s[:i]
		}
	}
	return s
}

// Form is the shape of an id: "FR-005a" is stem "FR-" and number "005".
type Form struct {
	Stem, Number string
	Joined       bool // '-', '_' or '.' before the number
	Small        bool // small letters in it, other than the "a" of "005a"
}

// FormOf takes an id apart at its last number. It is not an id without a letter in front and a number that
// stands at the end of its group, but for one letter.
func FormOf(id string) (Form, bool) {
	at := strings.LastIndexFunc(id, unicode.IsDigit)
	first, _ := utf8.DecodeRuneInString(id)
	if at < 0 || !unicode.IsLetter(first) {
		return Form{}, false
	}
	_, width := utf8.DecodeRuneInString(id[at:])
	head := strings.TrimRightFunc(id[:at+width], unicode.IsDigit)
	f := Form{Stem: head, Number: id[len(head) : at+width], Joined: strings.ContainsAny(head, "-_.")}
	tail := id[at+width:]
	if tail != "" && !strings.ContainsAny(tail[:1], "-_.") {
		letter, n := utf8.DecodeRuneInString(tail)
		variant := unicode.IsLower(letter) || strings.ContainsAny(head[len(head)-1:], "-_.")
		if tail = tail[n:]; !variant || tail != "" && !strings.ContainsAny(tail[:1], "-_.") {
			return Form{}, false
		}
	}
	f.Small = strings.ContainsFunc(head+tail, unicode.IsLower)
	return f, true
}

// LooksLike reports whether a word outside a document has the shape of an id that nobody takes for anything else:
// capitals, a joiner and a number, such as REQ-7 and PAY-F-12, and no well-known name such as UTF-8.
func LooksLike(word string) bool {
	f, ok := FormOf(word)
	return ok && utf8.ValidString(word) && f.Joined && !f.Small && Scan(word) == word &&
		!IsWellKnown(f.Letters())
}

// Padded reports a number with a leading zero.
func (f Form) Padded() bool { return len(f.Number) > 1 && f.Number[0] == '0' }

// Value returns the number, or -1 when it is not one that a series would reach.
func (f Form) Value() int {
	if n, err := strconv.Atoi(f.Number); err == nil && n < 1_000_000_000 {
		return n
	}
	return -1
}

// Letters returns the start of the id up to the first character that is not a letter.
func (f Form) Letters() string {
	end := strings.IndexFunc(f.Stem, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return f.Stem
	}
	return f.Stem[:end]
}

// IsWellKnown reports the letters of names that are not requirements, such as those of standards.
func IsWellKnown(letters string) bool { return wellKnown[strings.ToUpper(letters)] }

// wellKnown holds, in capitals, what stands before the number in names that are not requirements.
var wellKnown = map[string]bool{
	"AES": true, "BLAKE": true, "COVID": true, "CVE": true, "CWE": true, "ECMA": true, "GPT": true, "H": true,
	"HTML": true, "HTTP": true, "IEC": true, "IEEE": true, "IPV": true, "ISO": true, "MD": true, "MP": true,
	"P": true, "PEP": true, "PKCS": true, "Q": true, "RFC": true, "RSA": true, "SHA": true, "SSL": true, "TLS": true,
	"USB": true, "UTF": true, "V": true,
}
