package projection

import (
	"maps"
	"slices"
	"strings"
)

// Like finds an id that differs from a wrong one only in case, in leading zeros, in hyphens, underscores, dots or
// spaces, or whose short form does so.
func (s *Snapshot) Like(id string) (string, bool) {
	want := folded(id)
	for _, known := range s.Project.IDs {
		if folded(known) == want {
			return known, true
		}
	}
	shorts := s.Shorts()
	for _, short := range slices.Sorted(maps.Keys(shorts)) {
		if ids := shorts[short]; len(ids) == 1 && folded(short) == want {
			return ids[0], true
		}
	}
	return "", false
}

func folded(id string) string {
	var b strings.Builder
	zeros, inNumber := 0, false // zeros that a number begins with, as far as it was read
	for _, r := range strings.ToLower(id) {
		digit := r >= '0' && r <= '9'
		if zeros > 0 && !digit {
			b.WriteByte('0') // it was the number 0
		}
		if r == '0' && !inNumber {
			zeros++
			continue
		}
		zeros, inNumber = 0, digit
		if !joins(r) {
			b.WriteRune(r)
		}
	}
	if zeros > 0 {
		b.WriteByte('0')
	}
	return b.String()
}

// joins reports whether a character stands between the parts of ids and says nothing.
func joins(r rune) bool {
	return r == '-' || r == '_' || r == '.' || r == ' ' || r >= 0x2010 && r <= 0x2015 || r == 0x2212 || r == 0xFE63 ||
		r == 0xFF0D
}
