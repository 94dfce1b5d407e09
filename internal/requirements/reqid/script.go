package reqid

import (
	"maps"
	"slices"
	"unicode"
)

// scripts are those of Unicode, the frequent ones first. No character is in two of them.
var scripts = func() []string {
	first := []string{"Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew"}
	for _, name := range slices.Sorted(maps.Keys(unicode.Scripts)) {
		if !slices.Contains(first, name) && name != "Common" && name != "Inherited" {
			first = append(first, name)
		}
	}
	return first
}()

// scriptOf returns the script of a character, or "" for one that several share, as digits and joiners are.
func scriptOf(r rune) string {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		return "Latin"
	case unicode.IsLetter(r) && (r >= 0x2100 && r <= 0x214f || r >= 0x1d400 && r <= 0x1d7ff):
		return "mathematical" // Unicode gives these letters no script of their own
	case r < 0x80 || unicode.In(r, unicode.Common, unicode.Inherited):
		return ""
	}
	for _, name := range scripts {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	return ""
}

// scriptsOf returns the scripts of a text, in the order of their first letters.
func scriptsOf(text string) []string {
	var found []string
	for _, r := range text {
		if s := scriptOf(r); s != "" && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	return found
}

// together are the scripts that are written in one text, as the restriction level "highly restrictive" of Unicode
// Technical Standard 39 lists them.
var together = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Bopomofo"},
	{"Latin", "Han", "Hangul"},
}

// belongTogether reports scripts that are one, or are written in one text.
func belongTogether(found []string) bool {
	within := func(set []string) bool {
		return !slices.ContainsFunc(found, func(s string) bool { return !slices.Contains(set, s) })
	}
	return len(found) <= 1 || slices.ContainsFunc(together, within)
}
