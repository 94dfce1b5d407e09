// Package language turns sentences into obligations and results into sentences.
//
// Without a model it does so by a grammar: reads.go and acts.go have the sentences it knows, each with the obligation
// that it makes. It never guesses. A sentence that no form covers is refused with the form that is near to it or, where
// none is, with the nearest ones; one that two forms read differently is refused with both. With a model (LLM), what
// the model makes of a sentence counts only when the schema accepts it and package faithful finds its values in the
// sentence, and what it makes of an answer only when that finds every number, id and status in it, and no other.
package language

import (
	"reflect"
	"time"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// The codes of what no obligation was made of.
const (
	CodeNotUnderstood fault.Code = "not_understood"      // by the grammar
	CodeInvalid       fault.Code = "translation_invalid" // by the language model
)

// The limits of an utterance.
const (
	MaxUtterance = 2_000 // characters
	MaxSentences = 32    // sentences, each of which makes one obligation
)

// In reads an utterance by the grammar in the box: one obligation for each of its sentences, in their order. Sentences
// are parted by "?", ";" or "and then", outside of double quotes. Days that the words name, such as today, are those of
// now. Budgets and key are left empty. An error is a *fault.Error of kind Invalid: not_understood, whose fix has the
// forms that may be meant, or utterance_too_long.
//
// Implements: ORC-261, ORC-285
func In(utterance string, now time.Time) (planning.Request, error) {
	if err := CheckUtterance(utterance); err != nil {
		return planning.Request{}, err
	}
	all, err := sentences(utterance)
	if err != nil {
		return planning.Request{}, err
	}
	var request planning.Request
	for _, sentence := range all {
		o, err := read(sentence.text, now)
		if err == nil && sentence.asked && !o.Type.Reads() {
			err = questioned(sentence.text)
		}
		if err != nil {
			return planning.Request{}, err
		}
		request.Obligations = append(request.Obligations, flow.Literal(o)) // what is said refers to nothing
	}
	return request, nil
}

// CheckUtterance refuses what neither the grammar nor a model is to see.
func CheckUtterance(utterance string) error {
	if len(utterance) > MaxUtterance*utf8.UTFMax || utf8.RuneCountInString(utterance) > MaxUtterance {
		return fault.New(fault.Invalid, "utterance_too_long", "the utterance has more than %d characters",
			MaxUtterance).
			WithFix("ask for less at once; obligations of any size go in as JSON")
	}
	if !utf8.ValidString(utterance) {
		return notUnderstood("the utterance is not valid UTF-8")
	}
	for _, r := range utterance {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return notUnderstood("the utterance has the invisible character %U", r)
		}
	}
	return nil
}

func notUnderstood(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, CodeNotUnderstood, format, args...).
		WithFix("say it in one of the forms that %s lists", listing)
}

// read makes the obligation of one sentence.
func read(sentence string, now time.Time) (planning.Obligation, error) {
	var first misfit
	for _, reading := range readings(sentence) {
		found, refused := match(reading, now)
		if first.why == "" {
			first = refused
		}
		for _, other := range found[min(1, len(found)):] {
			if !reflect.DeepEqual(found[0].obligation, other.obligation) {
				return planning.Obligation{}, ambiguous(sentence, found[0], other)
			}
		}
		if len(found) > 0 {
			return found[0].obligation, nil
		}
	}
	if apart := apart(sentence, now); apart != "" {
		return planning.Obligation{}, notUnderstood("%q is more than one sentence: ?, ; and 'and then' alone part sentences",
			fault.Clip(sentence, 200)).WithFix("say: %s", apart)
	}
	if first.why != "" {
		return planning.Obligation{}, notUnderstood("%q is not understood: %s", fault.Clip(sentence, 200), first.why).
			WithFix("say it as in: %s", first.form.Examples[0])
	}
	return planning.Obligation{}, notUnderstood("%q is not understood", fault.Clip(sentence, 200)).
		WithFix("%s", suggestion(sentence, now))
}

// ambiguous refuses a sentence that two forms read differently.
func ambiguous(sentence string, one, other reading) error {
	return notUnderstood("%q can be read as %s and as %s", fault.Clip(sentence, 200), one.form.name(),
		other.form.name()).
		WithFix("say which is meant: %s, or %s", one, other)
}
