package faithful

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/rules/planning"
)

// limits are words, besides the negations, by which an act is not meant, or not now, or not as a whole.
var limits = strings.Fields(
	"cannot unless except only until till before later tomorrow maybe perhaps probably almost partly")

// opposites stand before a verb whose opposite is meant.
var opposites = []string{"un", "dis", "de", "re"}

// leftOut returns a word of an utterance by which an obligation means something else, and which it has not; "" if it
// has all. An act has each negation and limit, and does not bring about what a verb undoes. What chooses among others
// chooses by what does not hold, too, where the utterance has a negation.
func leftOut(utterance string, o planning.Obligation) string {
	said := wordsOf(contracted().ReplaceAllString(signs.Replace(utterance), " not"))
	var has []string
	for name, value := range o.Payload {
		if name != "kind" { // the design may be signed off
			has = append(has, wordsOf(strings.Join(textsOf(value), " "))...)
		}
	}
	filters, chooses := o.Payload["filters"].(map[string]any)
	for _, word := range said {
		negates := slices.Contains(negations, word)
		switch {
		case slices.Contains(has, word):
		case o.Type.Reads():
			if negates && chooses && !excludes(filters) {
				return word
			}
		case negates, slices.Contains(limits, word), undoes(word, has):
			return word
		}
	}
	return ""
}

// excludes reports whether one of some filters is met by what is not so.
func excludes(filters map[string]any) bool {
	for name, value := range filters {
		text, _ := value.(string)
		if value == false || strings.HasPrefix(name, "not_") || strings.HasPrefix(text, "not_") {
			return true
		}
	}
	return false
}

// undoes reports whether a verb is the opposite of what stands in an obligation: unapprove, and approved.
func undoes(verb string, has []string) bool {
	for _, prefix := range opposites {
		if stem, is := strings.CutPrefix(verb, prefix); is && len(stem) > 3 &&
			slices.ContainsFunc(has, func(word string) bool { return strings.HasPrefix(word, stem) }) {
			return true
		}
	}
	return false
}

// textsOf returns the texts and other plain values of a payload.
func textsOf(value any) (all []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, each := range value {
			all = append(all, textsOf(each)...)
		}
	case []any:
		for _, each := range value {
			all = append(all, textsOf(each)...)
		}
	case string:
		return []string{strings.ReplaceAll(value, "_", " ")}
	default:
		return []string{fmt.Sprint(value)}
	}
	return all
}
