// Package faithful compares a text with the draft that it says in other words.
package faithful

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/lazyregexp"
)

// class is what a mark of a text is.
type class string

const (
	number   class = "number"
	id       class = "id"
	status   class = "status word"
	name     class = "name"    // a word with a capital letter inside a sentence; an address
	initial  class = "initial" // a word with a capital letter that begins a sentence
	negation class = "negation"
	operator class = "operator"
)

// mark is a part of a text that a rephrasing must not touch.
type mark struct {
	class class
	value string
}

// Check returns why a text does not say the same as a draft, or nil. Every number, id, status word and name of the
// draft has to stand in the text, and none that does not; there are as many negations, and no other operators between
// numbers. What there is several of (numbers, ids, status words, names) stands in the same order, so that no value goes
// over to another id. 1,000 is 1000, and three is 3; but 1.50 is not 1.5, req-7 not REQ-7, and 1/3 not 3/1. It refuses
// rather than judges, since the draft is there to be used; but what has none of these marks, such as a verb, it cannot
// see.
//
// Implements: ORC-287
func Check(draft, text string) error {
	if strings.TrimSpace(text) == "" && strings.TrimSpace(draft) != "" {
		return errors.New("the text is empty")
	}
	if err := sameCharacters(draft, text); err != nil {
		return err
	}
	want, got := settle(marksOf(draft), marksOf(text))
	has, had := setOf(got), setOf(want)
	for _, m := range want {
		if m.class != operator && !has[m] {
			return fmt.Errorf("the text lacks the %s %q", m.class, m.value)
		}
	}
	for _, m := range got {
		if !had[m] {
			return fmt.Errorf("the text has the %s %q, which the draft has not", m.class, m.value)
		}
	}
	if was, is := count(want, negation), count(got, negation); was != is {
		return fmt.Errorf("the text has %d negations, the draft %d", is, was)
	}
	if was, is := ordered(want, want), ordered(got, want); !slices.Equal(was, is) {
		return fmt.Errorf("the text has %q in this order, the draft %q", is, was)
	}
	return nil
}

func setOf(marks []mark) map[mark]bool {
	set := make(map[mark]bool, len(marks))
	for _, m := range marks {
		set[m] = true
	}
	return set
}

// settle decides which words at the beginning of a sentence are names: those that are one elsewhere in the draft.
// Others may come and go.
func settle(draft, text []mark) (want, got []mark) {
	names, free := map[string]bool{}, map[string]bool{}
	for _, m := range draft {
		names[m.value] = names[m.value] || m.class == name
		free[m.value] = free[m.value] || m.class == initial
	}
	keep := func(marks []mark) (kept []mark) {
		for _, m := range marks {
			switch {
			case m.class != initial && m.class != name:
				kept = append(kept, m)
			case names[m.value], m.class == name && !free[m.value]:
				kept = append(kept, mark{name, m.value})
			}
		}
		return kept
	}
	return keep(draft), keep(text)
}

const (
	typographic = "“”‘’–—…•"      // may come in freely
	markup      = "<>~[]{}|\\^`$" // may strike out, hide or compare
)

// sameCharacters refuses characters that can look like others, or like nothing, or that can change what is shown,
// unless the draft has them.
func sameCharacters(draft, text string) error {
	for _, r := range text {
		free := r == '\n' || r >= ' ' && r <= '~' && !strings.ContainsRune(markup, r) ||
			strings.ContainsRune(typographic, r)
		if !free && !strings.ContainsRune(draft, r) {
			return fmt.Errorf("the text has the character %+q, which the draft has not", r)
		}
	}
	return nil
}

func count(marks []mark, c class) int {
	n := 0
	for _, m := range marks {
		if m.class == c {
			n++
		}
	}
	return n
}

// ordered returns the marks whose order counts: those of classes of which the draft has several values, and the
// negations between them.
func ordered(marks, draft []mark) []string {
	values := map[class]map[string]bool{}
	for _, m := range draft {
		if values[m.class] == nil {
			values[m.class] = map[string]bool{}
		}
		values[m.class][m.value] = true
	}
	several := func(c class) bool { return c != negation && c != operator && len(values[c]) > 1 }
	if !slices.ContainsFunc([]class{number, id, status, name}, several) {
		return nil
	}
	var order []string
	for _, m := range marks {
		if several(m.class) || m.class == negation {
			order = append(order, m.value)
		}
	}
	return order
}

var (
	// parts finds, in this order, what can be a mark: e-mail addresses and words with what is joined to them; numbers
	// with their sign, groups, decimals, exponent, and what is written onto them; operators.
	parts = lazyregexp.New(`\pL[\pL\pM\pN]*(?:(?:://|[-_./@])[\pL\pM\pN]+)*` +
		`|\pN[\pN\pL_]*(?:[.,/:]\pN[\pN\pL_]*)*(?:[eE][-+]\pN+)?%?` +
		`|\*\*|[-+*/^<>≤≥≠×÷%]`)
	grouped    = lazyregexp.New(`^\d{1,3}(?:,\d{3})+(?:\.\d+)?$`)
	idWithout  = lazyregexp.New(`^\p{Lu}{2,}(?:[-_]\p{Lu}+)+$`)
	contracted = lazyregexp.New(`(?i)n't\b`)
	cannot     = lazyregexp.New(`(?i)\bcannot\b`)
	signs      = strings.NewReplacer("\u2212", "-", "\u2013", "-", "\u2014", "-", "\u2019", "'")
)

// marksOf finds the marks of a text, in their order.
func marksOf(text string) []mark {
	text = signs.Replace(text)
	text = cannot().ReplaceAllString(contracted().ReplaceAllString(text, " not"), "can not")
	text = spokenStatuses().ReplaceAllStringFunc(text, underscored)
	var marks []mark
	end := 0
	for _, at := range parts().FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		begins := end == 0 || strings.ContainsAny(text[end:at[0]], ".!?\n")
		switch first, _ := utf8.DecodeRuneInString(part); {
		case unicode.IsNumber(first):
			marks = append(marks, numbersOf(text, at[0], part)...)
		case !unicode.IsLetter(first):
			if isOperator(text, at[0], at[1]) {
				marks = append(marks, mark{operator, part})
			}
		default:
			marks = append(marks, wordMarks(part, begins)...)
		}
		end = at[1]
	}
	return marks
}

// numbersOf returns a number with its sign; a list without spaces, such as 1,2,3, is several.
func numbersOf(text string, at int, part string) []mark {
	sign := ""
	if at > 0 && text[at-1] == '-' && !operandBefore(text[:at-1]) {
		sign = "-"
	}
	if grouped().MatchString(part) {
		return []mark{{number, sign + strings.ReplaceAll(part, ",", "")}}
	}
	var marks []mark
	for i, n := range strings.Split(part, ",") {
		if i > 0 {
			sign = ""
		}
		marks = append(marks, mark{number, sign + n})
	}
	return marks
}

// operandBefore reports whether a text ends with what an operator may follow without a space: 2- or )-.
func operandBefore(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsNumber(r) || r == ')'
}

// isOperator reports whether a sign stands between two operands, or is a percent sign; the sign of a number and a dash
// between words are not operators.
func isOperator(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:from], " "))
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[to:], " "))
	return (unicode.IsNumber(before) || before == ')') &&
		(text[from:to] == "%" || unicode.IsNumber(after) || after == '(' || after == '-')
}

// wordMarks returns the marks of one word, or of words joined to one.
func wordMarks(word string, begins bool) []mark {
	switch {
	case strings.ContainsAny(word, "@") || strings.Contains(word, "://"):
		return []mark{{name, word}}
	case strings.ContainsFunc(word, unicode.IsNumber), idWithout().MatchString(word):
		return []mark{{id, word}}
	}
	if m, found := plainMark(word); found {
		return []mark{m}
	}
	if pieces := strings.FieldsFunc(word, func(r rune) bool {
		return strings.ContainsRune("-./:_", r)
	}); len(pieces) > 1 {
		var marks []mark
		for i, piece := range pieces {
			marks = append(marks, wordMarks(piece, begins && i == 0)...)
		}
		return marks
	}
	switch first, _ := utf8.DecodeRuneInString(word); {
	case !unicode.IsUpper(first) || word == "I":
		return nil
	case begins:
		return []mark{{initial, word}}
	}
	return []mark{{name, word}}
}

// plainMark looks a word up in the lists.
func plainMark(word string) (mark, bool) {
	lower := strings.ToLower(word)
	if value, found := numberWords[lower]; found {
		return mark{number, value}, true
	}
	switch {
	case statusWords[lower]:
		return mark{status, lower}, true
	case slices.Contains(negations, lower):
		return mark{negation, "not"}, true
	}
	return mark{}, false
}

// negations are the words that turn a sentence round.
var negations = strings.Fields("not no non never none nothing nobody neither nor without minus negative hardly")

// numberWords are numbers in words.
var numberWords = map[string]string{
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9",
	"ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
	"seventeen": "17",
	"eighteen":  "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60",
	"seventy": "70",
	"eighty":  "80", "ninety": "90", "hundred": "100", "thousand": "1000", "million": "1000000",
	"billion": "1000000000",
	"half":    "1/2", "quarter": "1/4", "dozen": "12", "twice": "2", "double": "2", "percent": "%",
}

// statusWords are the statuses of requirements and obligations, the outcomes of runs, and the words of a verdict.
var statusWords = func() map[string]bool {
	words := map[string]bool{}
	for _, s := range lifecycle.Statuses() {
		words[string(s)] = true
	}
	for _, s := range []planning.Status{planning.Active, planning.Resolved, planning.Failed, planning.Escalated} {
		words[string(s)] = true
	}
	for _, word := range strings.Fields("truncated true false yes passed pass fail valid invalid verified unverified suspect stale retired") {
		words[word] = true
	}
	return words
}()

// spokenStatuses finds the statuses of several words, however these are joined.
var spokenStatuses = sync.OnceValue(func() *regexp.Regexp {
	var all []string
	for _, s := range lifecycle.Statuses() {
		if strings.Contains(string(s), "_") {
			all = append(all, strings.ReplaceAll(string(s), "_", "[ _-]"))
		}
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
})

// underscored returns a word as statuses are written: design_ready for "Design ready".
func underscored(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(s))
}
