package faithful

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/lazyregexp"
)

// Said returns why an obligation is not what an utterance says, or nil. Every id, number, name and text of its payload
// has to stand in the utterance, in any case and with any signs between its words; three is 3. Of an expression it is
// the numbers. The words that the product gives its own values need not stand there, since "finished" says done. What
// the obligation does with the values it cannot see, so an act needs more than that; but none may leave out a word that
// negates or limits it.
//
// Implements: ORC-286
func Said(utterance string, o planning.Obligation) error {
	if o.Type == planning.Clarify {
		return nil // it asks, in its own words
	}
	h := heard{words: wordsOf(utterance)}
	h.numbers = numbersIn(h.words)
	if strange := h.strange("", o.Payload); strange != "" {
		return fmt.Errorf("%s has %q, which the user did not say", o, strange)
	}
	if left := leftOut(utterance, o); left != "" {
		return fmt.Errorf("%s leaves out %q, which the user said", o, left)
	}
	return nil
}

// heard is an utterance in words, and the numbers among them.
type heard struct {
	words   []string
	numbers map[string]bool
}

// strange returns the first value of a member that was not said, or "".
func (h heard) strange(member string, value any) string {
	switch value := value.(type) {
	case map[string]any:
		return h.strangeIn(value)
	case []any:
		for _, each := range value {
			if found := h.strange(member, each); found != "" {
				return found
			}
		}
	case string:
		if !h.said(member, value) {
			return value
		}
	case bool, nil:
	default:
		if n := numeral(value); !h.numbers[n] && !h.has(wordsOf(n)) {
			return n
		}
	}
	return ""
}

func (h heard) strangeIn(members map[string]any) string {
	if from, is := members["from"].(string); is && len(members) == 1 && from != "" {
		return "" // the result of another obligation, which its tool finds
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if found := h.strange(name, members[name]); found != "" {
			return found
		}
	}
	return ""
}

var (
	taken    = lazyregexp.New(`\{\{[^{}]*\}\}`) // what a text takes from another obligation
	digits   = lazyregexp.New(`\d+(?:\.\d+)?`)
	dayWords = lazyregexp.New(`^(?:\d.*|now|today|tonight|yesterday|tomorrow|morning|noon|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day|` +
		`(?:hour|day|week|month|year)s?|weekend|january|february|march|april|may|june|july|august|september|october|november|december)$`)
)

// ownWords are the members whose values are words of the product.
var ownWords = map[string]bool{"kind": true, "decision": true, "outcome": true, "predicate": true, "relation": true,
	"capability": true, "cause": true}

// said reports whether the text of a member stands in the utterance.
func (h heard) said(member, text string) bool {
	switch {
	case ownWords[member], lifecycle.Status(text).Valid(), slices.Contains(lifecycle.Roles(), lifecycle.Role(text)):
		return true
	case member == "expr":
		return !slices.ContainsFunc(digits().FindAllString(text, -1), func(n string) bool {
			return !h.numbers[n] && !h.has(wordsOf(n))
		})
	case member == "zone":
		text = text[strings.LastIndexByte(text, '/')+1:] // Berlin says Europe/Berlin
	case isTime(text) && slices.ContainsFunc(h.words, dayWords().MatchString):
		return true // of a day that has another name
	}
	return !slices.ContainsFunc(taken().Split(text, -1), func(part string) bool { return !h.has(wordsOf(part)) })
}

func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// has reports whether words stand in the utterance, one after the other.
func (h heard) has(words []string) bool {
	for at := 0; at+len(words) <= len(h.words); at++ {
		if slices.Equal(h.words[at:at+len(words)], words) {
			return true
		}
	}
	return len(words) == 0
}

// wordsOf returns the words of a text in small letters, with numbers in digits.
func wordsOf(text string) (words []string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(ungrouped(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		if value, is := numberWords[word]; is {
			words = append(words, strings.FieldsFunc(value, func(r rune) bool { return r == '/' })...)
		} else {
			words = append(words, word)
		}
	}
	return words
}

var groups = lazyregexp.New(`\b\d{1,3}(?:,\d{3})+\b`)

// ungrouped writes 1,000 as 1000.
func ungrouped(text string) string {
	return groups().ReplaceAllStringFunc(text, func(n string) string { return strings.ReplaceAll(n, ",", "") })
}

// numbersIn returns the whole numbers among words, and those of two words, such as twenty-one.
func numbersIn(words []string) map[string]bool {
	numbers := map[string]bool{}
	before := 0
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			before = 0
			continue
		}
		numbers[strconv.Itoa(n)] = true
		if before >= 20 && before < 100 && before%10 == 0 && n > 0 && n < 10 {
			numbers[strconv.Itoa(before+n)] = true
		}
		before = n
	}
	return numbers
}

// numeral writes a number of JSON as people do.
func numeral(value any) string {
	if f, is := value.(float64); is {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
