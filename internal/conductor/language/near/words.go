package near

import (
	"slices"
	"strings"
	"unicode"
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

var (
	// turning are words without which a sentence means something else: they turn it round, limit it, or join another
	// to it.
	turning = set(`not no never don't dont cannot can't won't unless except without nothing and or but nor
		neither none nobody hardly barely scarcely only until till before after since later
		yesterday tomorrow tonight last maybe perhaps probably possibly almost nearly partly if when
		once while`)

	// idle are the words that say nothing: those alone may be left out, since what may limit a sentence has no end.
	idle = set(`a an the this that our just simply really finally please now hereby go ahead requirement
		item`)

	// idleWhenAsked are those that may be left out of a question besides.
	idleWhenAsked = set(`me us you tell say know so ok well hey actual actually current currently exactly right all
		already yet still there been very full whole complete overall here now i we`)

	// linking are the words that may be put into an act: they do not say what is to be done.
	linking = set(`a and as deviation for from in is of on requirement status text that the to with`)

	// forBecause are the words that people say for because.
	forBecause = set("since as cause cos")

	// finite are verbs by which words are known as a reason that because was not said for: the supplier is late.
	finite = set(`am is are was were be been has have had does did can cannot could will would must needs need
		lacks lack fails failed waits wants works isn't aren't wasn't weren't hasn't haven't doesn't
		didn't can't won't`)

	// limiting are words by which a reason is none, but says when or for how much the act is meant.
	limiting = set(`because of if when whenever once while until till unless except without before after provided assuming
		later soon yesterday today tomorrow tonight now then next last week day month year hour
		minutes hours days weeks months years only partly maybe perhaps in for but`)
)

// prefixes turn a verb into another one.
var prefixes = strings.Fields("un re dis de non mis pre out over under counter")

// reason reports whether words are a reason without a because.
func reason(words []string) bool {
	has := func(of map[string]bool) bool {
		return slices.ContainsFunc(words, func(word string) bool { return of[bare(word)] })
	}
	return has(finite) && !has(limiting)
}

// bare returns a word as the lists have it.
func bare(word string) string { return strings.ToLower(strings.TrimRight(word, ",:.!")) }

// kept reports whether a word is never left out of a sentence: it turns the meaning, or may be a value, as what is
// quoted, has other signs than letters, or a capital letter behind the first word.
func kept(word string, at int) bool {
	lower := bare(word)
	first := []rune(word)[0]
	return turning[lower] || strings.HasSuffix(lower, "n't") || at > 0 && unicode.IsUpper(first) ||
		strings.ContainsFunc(lower, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '-'
		})
}

// another reports whether a word is another one than that which is meant, and no slip of it: it turns the meaning, or
// differs in what stands before the same verb, such as approve and unapprove.
func another(said, meant string) bool {
	if turning[said] || turning[meant] {
		return true
	}
	root, ending := tense(said)
	if stem, at := tense(meant); root == stem && ending != at && ending != "s" && ending != "" {
		return true
	}
	stems := append(stemsOf(said), stemsOf(meant)...)
	slices.Sort(stems)
	return len(slices.Compact(stems)) < len(stemsOf(said))+len(stemsOf(meant))
}

// stemsOf returns a word, and what is left of it without its prefixes.
func stemsOf(word string) []string {
	all := []string{word}
	for _, prefix := range prefixes {
		if stem, has := strings.CutPrefix(strings.Replace(word, "-", "", 1), prefix); has && len(stem) > 2 {
			all = append(all, stem)
		}
	}
	return all
}

// tense returns a verb without its ending, and the ending if it tells a time: who lived somewhere does not live there.
func tense(verb string) (root, ending string) {
	for _, ending := range []string{"ing", "ed", "d", "s", ""} {
		if root, has := strings.CutSuffix(verb, ending); has && len(root) > 2 {
			return strings.TrimSuffix(root, "e"), strings.TrimPrefix(ending, "e")
		}
	}
	return verb, ""
}

// begins reports whether a word begins as the one that is meant, perhaps with the first two letters swapped: who
// mistypes a verb hardly ever misses its beginning, and eject is not reject.
func begins(said, meant string) bool {
	a, b := []rune(said), []rune(meant)
	return a[0] == b[0] || len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
}
