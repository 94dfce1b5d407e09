// Package actorname reports when two names of actors are the same: two spellings that a person would read as the same
// must not pass for two people where a rule wants two.
package actorname

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Fold returns the form in which names are compared. Names that differ only in case, in the width of their characters
// (as "ａｄａ" and "ada"), or in how an accent is encoded, fold to the same; Fold(Fold(name)) is Fold(name).
//
// It is the comparison of user names of RFC 8265 (UsernameCaseMapped), with case folding in place of lower case: width
// mapping, case, canonical normalization. Canonical normalization belongs to it: the half-width form of a Japanese
// letter is two characters where the full-width one is one, and Unicode defines caseless matching on decomposed text
// alone (definition D145). Characters that merely look alike, as Latin and Cyrillic a, stay distinct, and so do
// compatibility forms other than width.
//
// Implements: ORC-015
func Fold(name string) string {
	decomposed := norm.NFD.String(width.Fold.String(name))
	return norm.NFC.String(cases.Fold().String(strings.Map(leastCase, decomposed)))
}

// leastCase returns the first of the characters that differ from r in case alone. Fold needs it for Cherokee, whose
// upper and lower case cases.Fold exchanges.
func leastCase(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
