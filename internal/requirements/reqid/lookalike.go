package reqid

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.mau.fi/util/confusable"
)

// Mixed reports an id with letters of several scripts that can be read as one of a single script, as РG-301 with a
// Cyrillic Р can, and returns the id that it is read as, and which letters are not what they seem. Scripts that are
// written together, such as Latin, Han and Kana, do not count as several; in a name, each word is looked at by itself.
func Mixed(id string) (readAs, why string) {
	if IsASCII(id) || len(id) > utf8.UTFMax*MaxLength {
		return "", ""
	}
	var letters []string
	words := strings.Split(id, " ")
	for i, word := range words {
		found := scriptsOf(word)
		if belongTogether(found) {
			continue
		}
		slices.SortFunc(found, func(a, b string) int { return slices.Index(scripts, a) - slices.Index(scripts, b) })
		for _, script := range found {
			other, changed := inScript(word, script)
			if other != "" && (script == "Latin" || mixesWithin(word, script)) {
				words[i], letters = other, append(letters, changed...)
				break
			}
		}
	}
	if len(letters) == 0 {
		return "", ""
	}
	letters = slices.Compact(letters)
	return strings.Join(words, " "), strings.Join(letters[:min(len(letters), maxLetters)], ", ")
}

// mixesWithin reports whether every part of a word between joiners has a letter of a script, or no letter. An API
// beside other letters, as in ТЗ-API-1, is Latin on purpose.
func mixesWithin(word, script string) bool {
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune("-_.", r) }) {
		if found := scriptsOf(part); len(found) > 0 && !slices.Contains(found, script) {
			return false
		}
	}
	return true
}

// maxLetters is how many letters a message lists.
const maxLetters = 5

// inScript writes a word in one script, if each of its letters has a look-alike there, and says which it replaced.
func inScript(word, script string) (other string, letters []string) {
	var b strings.Builder
	for _, r := range word {
		of := scriptOf(r)
		if of == "" || of == script {
			b.WriteRune(r)
			continue
		}
		twin := twinIn(r, script)
		if twin == 0 {
			return "", nil
		}
		b.WriteRune(twin)
		letters = append(letters, fmt.Sprintf("%c (%U, %s) looks like %c (%U, %s)", r, r, of, twin, twin, script))
	}
	return b.String(), letters
}

// twinIn returns the first letter of a script that looks like another one, of the same case if there is one; 0 if there
// is none.
func twinIn(r rune, script string) (twin rune) {
	for _, other := range twins()[confusable.Skeleton(string(r))] {
		switch {
		case scriptOf(other) != script:
		case unicode.IsUpper(other) == unicode.IsUpper(r):
			return other
		case twin == 0:
			twin = other
		}
	}
	return twin
}

// twins holds, by skeleton, the letters that look alike. Of Latin these are the letters that languages are written in,
// without those of phonetic alphabets.
var twins = sync.OnceValue(func() map[string][]rune {
	const lastLatin, lastPlane = '\u017f', '\U0002ffff'
	by := map[string][]rune{}
	for r := rune('A'); r <= lastPlane; r++ {
		if !unicode.IsLetter(r) || r > lastLatin && unicode.Is(unicode.Latin, r) || unicode.Is(unicode.Han, r) {
			continue
		}
		skeleton := confusable.Skeleton(string(r))
		by[skeleton] = append(by[skeleton], r)
	}
	return by
})

// IsForeign reports an id with letters of another script than Latin.
func IsForeign(id string) bool {
	return !IsASCII(id) && slices.ContainsFunc(scriptsOf(id), func(s string) bool { return s != "Latin" })
}

// IsASCII reports whether a text is of ASCII alone.
func IsASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Skeleton returns a key that is equal for ids that look alike by Unicode Technical Standard 39, whatever their
// scripts.
func Skeleton(id string) string {
	key, _ := skeletonOf(id)
	return key
}

// skeletonOf returns the skeleton of an id, and for each of its characters the script from which it comes.
func skeletonOf(id string) (key string, from []string) {
	var b strings.Builder
	for _, r := range id {
		part := confusable.Skeleton(string(r))
		b.WriteString(part)
		script := scriptOf(r)
		for range part {
			from = append(from, script)
		}
	}
	return b.String(), from
}

// Lookalikes finds ids that look alike and are of different scripts. Those that differ within one script, as O and 0
// do, are different ids.
type Lookalikes map[string][]seen // by skeleton: for each of its characters, the first id that has a script there

type seen struct{ script, id string }

// Add adds an id, and returns an earlier one that looks like it and is of another script, or "".
func (l Lookalikes) Add(id string) (earlier string) {
	if len(id) > utf8.UTFMax*MaxLength {
		return ""
	}
	key, from := skeletonOf(id)
	known, found := l[key]
	if !found {
		known = make([]seen, len(from))
		l[key] = known
	}
	for i, script := range from {
		if script != "" && known[i].script != "" && known[i].script != script {
			return known[i].id
		}
	}
	for i, script := range from {
		if script != "" && known[i].script == "" {
			known[i] = seen{script, id}
		}
	}
	return ""
}

// LookAlike reports ids that look alike and are of different scripts.
func LookAlike(a, b string) bool {
	if IsASCII(a) && IsASCII(b) {
		return false
	}
	l := Lookalikes{}
	l.Add(a)
	return l.Add(b) != ""
}

// Difference lists the characters of two ids that look alike and are of different scripts.
func Difference(a, b string) string {
	as, bs := parts(a), parts(b)
	var found []string
	for i := 0; i < len(as) && i < len(bs); i++ {
		x, y := as[i], bs[i]
		if sx, sy := scriptOf(x), scriptOf(y); sx != "" && sy != "" && sx != sy {
			found = append(found, fmt.Sprintf("%c is %s (%U), %c is %s (%U)", x, sx, x, y, sy, y))
		}
	}
	return strings.Join(found[:min(len(found), maxLetters)], ", ")
}

// parts returns the character of an id that each character of its skeleton comes from.
func parts(id string) []rune {
	var from []rune
	for _, r := range id {
		for range confusable.Skeleton(string(r)) {
			from = append(from, r)
		}
	}
	return from
}
