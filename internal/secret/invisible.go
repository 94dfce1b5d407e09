package secret

import (
	"slices"
	"strings"
)

// invisible has as many bytes as each of the characters without width has in UTF-8.
const invisible = 3

// visible returns a text without the characters that have no width, which would part a secret and be seen by nobody,
// and where in the result each of them was left out.
func visible(text string) (string, []int) {
	if strings.IndexByte(text, 0xe2) < 0 && strings.IndexByte(text, 0xef) < 0 {
		return text, nil
	}
	var b strings.Builder
	var cuts []int
	from := 0
	for at := 0; at+invisible <= len(text); {
		if c := text[at]; c != 0xe2 && c != 0xef || !hasNoWidth(text[at:at+invisible]) {
			at++
			continue
		}
		b.WriteString(text[from:at])
		cuts = append(cuts, b.Len())
		at += invisible
		from = at
	}
	if cuts == nil {
		return text, nil
	}
	b.WriteString(text[from:])
	return b.String(), cuts
}

func hasNoWidth(char string) bool {
	switch char {
	case "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff":
		return true
	}
	return false
}

// placed returns a finding of a visible text in the text that it was made of.
func placed(f Finding, cuts []int) Finding {
	before, _ := slices.BinarySearch(cuts, f.Start+1)
	within, _ := slices.BinarySearch(cuts, f.End)
	f.Start, f.End = f.Start+invisible*before, f.End+invisible*within
	return f
}
