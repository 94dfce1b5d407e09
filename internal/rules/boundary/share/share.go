// Package share tells which part of a whole something is, where there is a whole. It is pure.
package share

import "fmt"

// Share is a part of a whole. Where the whole is nothing it is not measured, and neither above a limit nor below it.
type Share struct{ Part, Whole int }

// Rate returns the part as a number from 0 to 1; 0 where it is not measured.
func (s Share) Rate() float64 {
	if s.Whole <= 0 {
		return 0
	}
	return float64(s.Part) / float64(s.Whole)
}

// Above reports whether it is measured and more than a limit.
func (s Share) Above(limit float64) bool { return s.Whole > 0 && s.Rate() > limit }

// AtMost reports whether it is measured and no more than a limit.
func (s Share) AtMost(limit float64) bool { return s.Whole > 0 && s.Rate() <= limit }

// Percent returns it for people.
func (s Share) Percent() string {
	if s.Whole <= 0 {
		return "not measured"
	}
	return fmt.Sprintf("%.1f %%", s.Rate()*100)
}
