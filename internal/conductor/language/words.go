package language

import (
	"strings"

	"orchestrator/internal/system/lazyregexp"
)

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// trim takes the signs off the end of a sentence. "3!" is left: it could be a factorial.
func trim(sentence string) string {
	for {
		short := strings.TrimRight(sentence, " .,")
		if bare := strings.TrimRight(short, "!"); bare == "" ||
			!strings.ContainsAny(bare[len(bare)-1:], "0123456789)") {
			short = bare
		}
		if short == sentence {
			return short
		}
		sentence = short
	}
}

var (
	courtesyBefore = lazyregexp.New(
		`(?i)^(?:(?:please|kindly|hey|hi|hello|ok|okay|so|now|and|then|also|(?:can|could|would|will) you|tell me|let me know)[,:]? )+`)
	courtesyAfter = lazyregexp.New(`(?i)(?:,? (?:please|thanks|thank you|now|for me))+$`)
)

// readings returns a sentence as it stands, and without its courtesies. The first that a form covers counts, so that
// courtesies which are meant ("count e in please") are kept.
func readings(sentence string) []string {
	after := trim(courtesyAfter().ReplaceAllString(sentence, ""))
	return []string{sentence, courtesyBefore().ReplaceAllString(sentence, ""), after,
		courtesyBefore().ReplaceAllString(after, "")}
}
