package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
)

// plain maps typographic characters to those of the forms.
var plain = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`,
	"\u037e", "?", "\u061f", "?", "\u203d", "?", "\u2047", "?", "\u2048", "?", "\u2049", "?", "\ufe56", "?", "\uff1f", "?")

// spoken is a sentence of an utterance, and whether a question mark ends it.
type spoken struct {
	text  string
	asked bool
}

// sentences parts an utterance. The words of each are one space apart, but for those in quotes.
func sentences(utterance string) ([]spoken, error) {
	var all []spoken
	var words []string
	end := func(asked bool) {
		if text := trim(strings.Join(words, " ")); text != "" {
			all = append(all, spoken{text, asked || asks(text)})
		}
		words = nil
	}
	tokens, closed := tokenize(plain.Replace(utterance))
	if !closed {
		return nil, notUnderstood("a double quote is not closed")
	}
	for i, token := range tokens {
		switch {
		case token == stop, token == mark:
			end(token == mark)
		case strings.EqualFold(token, "then") && i > 0 && strings.EqualFold(tokens[i-1], "and"):
			words = words[:len(words)-1]
			end(false)
		default:
			words = append(words, token)
		}
	}
	end(false)
	switch {
	case len(all) == 0:
		return nil, notUnderstood("the utterance says nothing")
	case len(all) > MaxSentences:
		return nil, fault.New(fault.Invalid, "utterance_too_long", "the utterance has %d sentences, more than %d",
			len(all), MaxSentences).
			WithFix("ask for less at once")
	}
	return all, nil
}

// The tokens that end a sentence: a semicolon, and a question mark. No token of a sentence is one of them.
const (
	stop = ""
	mark = "?"
)

// asks reports whether a question mark ends a text although other signs follow it, such as in "is it late?)".
func asks(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, " .,:!)]}'*_\u2026"), "?")
}

// tokenize parts a text at white space, and at the signs that end a sentence. What stands in double quotes is never
// parted. It reports whether every quote is closed.
func tokenize(text string) (tokens []string, closed bool) {
	quoted := false
	from := -1 // where the current token began
	flush := func(to int) {
		if from >= 0 && to > from {
			tokens = append(tokens, text[from:to])
		}
		from = -1
	}
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
			if from < 0 {
				from = i
			}
		case quoted:
		case unicode.IsSpace(r):
			flush(i)
		case r == ';':
			flush(i)
			tokens = append(tokens, stop)
		case r == '?' && endsWord(text[i+1:]):
			flush(i)
			tokens = append(tokens, mark)
		case from < 0:
			from = i
		}
	}
	flush(len(text))
	return tokens, !quoted
}

// endsWord reports whether a question mark before the rest of a text ends a sentence; in a URL it does not.
func endsWord(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r) || strings.ContainsRune("?!;", r)
}

// questioned refuses an act that is asked for with a question mark: whoever asks has not said that it is to be done.
func questioned(act string) error {
	return notUnderstood("%q is a question, and nothing is done for a question", fault.Clip(act+"?", 200)).
		WithFix("to have it done, say it without the question mark: %s", fault.Clip(act, maxCompared))
}
