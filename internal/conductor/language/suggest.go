package language

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"orchestrator/internal/conductor/language/near"
	"orchestrator/internal/system/lazyregexp"
)

// listing is the request that lists all forms.
const listing = "GET /forms"

// maxCompared is how many bytes a sentence has that is compared with all forms, since who says something long is not
// one slip away from a form.
const maxCompared = 240

// maxNearest is how many forms are named to who says something that is near to none.
const maxNearest = 3

// helping matches who asks what can be said, and firstWords are what is answered.
var (
	helping    = lazyregexp.New(`(?i)^(?:help(?: me)?|what can (?:i|we) (?:say|ask|do)(?: here)?|what can you do|how does this work|usage)$`)
	firstWords = []string{"status of REQ-7", "what should I do next", "approve REQ-7", "what is 2+2"}
)

// aboutSchedules matches who asks for schedules, or wants to end one: both are requests of their own.
var aboutSchedules = lazyregexp.New(`(?i)^(?:which|what|list|show|stop|end|cancel|delete)(?: \S+){0,3}? schedules?\b`)

// asTwoWords are the contractions that the patterns write as two words.
var asTwoWords = strings.NewReplacer("what's", "what is", "What's", "What is", "who's", "who is", "Who's", "Who is",
	"how's", "how is", "How's", "How is", "where's", "where is", "Where's", "Where is")

// candidate is the wording of a form that is nearest to a sentence.
type candidate struct {
	form *form
	near.Wording
}

// suggestion says which forms may be meant by a sentence that is not understood: the one that is near to it alone or,
// where none is, the nearest.
//
// Implements: ORC-263
func suggestion(sentence string, now time.Time) string {
	if aboutSchedules().MatchString(sentence) {
		return "GET /schedules?active=true lists the schedules, and DELETE /schedules/{id} ends one"
	}
	if helping().MatchString(sentence) {
		return fmt.Sprintf("say for example: %s; %s lists all", strings.Join(firstWords, "; "), listing)
	}
	var all []candidate
	fits, said := fitting(), readings(sentence)
	for i, reading := range said {
		words := strings.Fields(asTwoWords.Replace(reading))
		if len(words) <= near.MaxWords && len(reading) <= maxCompared && !slices.Contains(said[:i], reading) {
			all = append(all, candidates(words, fits)...)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.Distance, b.Distance) })
	if meant := likely(all, now); len(meant) > 0 {
		return "did you mean: " + strings.Join(meant, "; or: ")
	}
	var nearest []string
	for _, c := range all {
		if example := c.form.Examples[0]; len(nearest) < maxNearest && !slices.Contains(nearest, example) {
			nearest = append(nearest, example)
		}
	}
	if len(nearest) == 0 {
		return fmt.Sprintf("say it in one of the forms that %s lists", listing)
	}
	return fmt.Sprintf("the nearest forms are: %s; %s lists all", strings.Join(nearest, "; "), listing)
}

// candidates returns the wording of each pattern that is nearest to some words, if they have any of its own.
func candidates(words []string, fits near.Slot) (all []candidate) {
	for _, c := range grammar() {
		if w, ok := c.words.Nearest(words, fits); ok {
			all = append(all, candidate{c.form, w})
		}
	}
	return all
}

// fitting returns what decides whether a text may stand in a slot, and decides it once for each text.
func fitting() near.Slot {
	known := map[[2]string]bool{}
	return func(typ, text string) bool {
		key := [2]string{typ, text}
		if fits, decided := known[key]; decided {
			return fits
		}
		found := wholeSlots[typ]().MatchString(text)
		if found {
			_, why := slotTypes[typ].read(text)
			found = why == ""
		}
		if typ == "reason" && (joins().MatchString(text) || beginsAnAct(text)) {
			found = false // it goes on with something else, and gives no reason
		}
		known[key] = found
		return found
	}
}

var joins = lazyregexp.New(`(?i)^(?:and|or|but|then|unless|except|without|if|not|because|since|as|for|until|when|after|before) `)

// beginsAnAct reports whether a text begins with the verb of an act, or a slip of it.
func beginsAnAct(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return slices.ContainsFunc(verbs(), func(verb string) bool { return near.Slips(first, verb) <= 1 })
}

// verbs are the first words of the acts.
var verbs = sync.OnceValue(func() (all []string) {
	for i := range acts {
		for _, example := range acts[i].Examples {
			if first, _, _ := strings.Cut(example, " "); !strings.ContainsFunc(first, unicode.IsDigit) {
				all = append(all, strings.ToLower(first))
			}
		}
	}
	return all
})

// likely returns the wordings that are near enough to be what was meant: those with the least distance, of which each
// is understood, and makes another obligation than those before.
func likely(sorted []candidate, now time.Time) (meant []string) {
	var made []string
	for _, c := range sorted {
		if c.Distance > near.Limit || len(meant) > 0 && c.Distance > sorted[0].Distance {
			break
		}
		found, _ := match(c.Text, now)
		if len(found) == 0 {
			continue
		}
		obligation := found[0].form.name() + compact(found[0].obligation.Payload)
		if !slices.Contains(made, obligation) && len(meant) < maxNearest {
			made, meant = append(made, obligation), append(meant, c.Text)
		}
	}
	return meant
}
