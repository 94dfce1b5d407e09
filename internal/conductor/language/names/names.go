// Package names tells names of people and places from other words. It is pure, and refuses rather than guesses, since
// what is no name in quotes is a name within them.
package names

import (
	"fmt"
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
	// never are the words that stand in no name: those around names in sentences and courtesies; who is meant by what
	// was said before, or nobody; how often, how surely, how much and when something holds.
	never = set(`is are was were be been has have had does did can could may might must shall should will
		would my your his her their our its me him us them you yours mine i it he she we they myself
		himself herself themselves for and or but nor not no that which who whom whose what how why
		when where because if unless except without then in at live lives lived living used become
		became please thanks thank none nobody no-one noone everybody everyone somebody someone
		anybody anyone nothing everything something anything all each both either neither any some
		every many few most several half other others another else nowhere somewhere everywhere
		anywhere elsewhere abroad here there never ever hardly barely scarcely rarely seldom often
		sometimes usually always again once twice maybe perhaps probably possibly allegedly
		reportedly certainly surely apparently presumably supposedly likely currently formerly
		previously recently temporarily permanently officially actually really mostly mainly partly
		nearly almost only just still already yet now today yesterday tomorrow tonight later soon
		until till since before after during alone together longer more less anymore too also`)

	// notPeople are the small words that stand in names of places, but in none of people: my name is not important.
	notPeople = set("a am an the of to from with on unknown very so this")

	// namesToo are those that are names as well, where they are written as such.
	namesToo = set("may will")

	// particles are the words in small letters that stand within names beside words with capitals.
	particles = set(`van von vom der den de del della di da do dos das du la le las los el al bin ibn ben y e und
		zu zum zur ter ten the of upon on under am an im bei ob sur sous les aux af av til jr jr. sr
		sr.`)
)

// What a name may be of.
const (
	Person = "a name"
	Place  = "a place"
)

// Of reads a name of a Person or a Place, or returns why a text is none. Where a word of it has a capital letter, each
// has one, or is a particle; without capitals, words count that are not known to be others.
func Of(text, what string) (name any, why string) {
	words := strings.Fields(text)
	capitals := slices.ContainsFunc(words, func(word string) bool { return !small(word) })
	for i, word := range words {
		lower := strings.ToLower(word)
		if never[lower] && !(namesToo[lower] && title(word)) || adverb(lower, i) && !title(word) ||
			strings.HasSuffix(lower, "n't") || what == Person && notPeople[lower] ||
			capitals && small(word) && !particles[lower] {
			return nil, fmt.Sprintf("%q does not look like %s; put it in double quotes if it is", text, what)
		}
	}
	return text, ""
}

// small reports whether a word is written in small letters.
func small(word string) bool { return word == strings.ToLower(word) && word != strings.ToUpper(word) }

// title reports whether a word is written as names are: a capital letter, and small ones.
func title(word string) bool {
	return unicode.IsUpper([]rune(word)[0]) && word != strings.ToUpper(word)
}

// adverb reports whether a word behind the first one ends as adverbs do.
func adverb(lower string, at int) bool { return at > 0 && strings.HasSuffix(lower, "ly") }
