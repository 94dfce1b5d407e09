package words

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

// Status returns a status as people say it: "tested pass".
func Status(status string) string { return strings.ReplaceAll(status, "_", " ") }

// Part returns the word that people use for a field of a requirement.
func Part(field string) string {
	if field == lifecycle.FieldDesignSpec {
		return "design"
	}
	return strings.ReplaceAll(field, "_", " ")
}

// pointer is how a detail begins that names a place in a requirement (RFC 6901).
var pointer = lazyregexp.New(`^/[a-z_]+(/[a-z_0-9]+)*: `)

// Plain returns a detail of an answer as people read it, without the pointer at its beginning and the request that
// programs would send.
func Plain(detail string) string {
	return strings.ReplaceAll(pointer().ReplaceAllString(detail, ""), " with PUT /workflow", "")
}

// By returns whom something waits for, as a sentence says it: "the PM", "the coder".
func By(party string) string {
	switch party {
	case "pm":
		return "the PM"
	case "document":
		return "who writes the documents"
	}
	return "the " + party
}

// Number returns a number with commas: 1,204.
func Number(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// small are numbers that are written out in sentences.
var small = []string{
	"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
}

// Count returns a number as a sentence has it: written out up to twelve.
func Count(n int) string {
	if n >= 0 && n < len(small) {
		return small[n]
	}
	return Number(n)
}

// Upper returns a sentence whose first letter is a capital.
func Upper(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}

// Plural returns one or many, by a number.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Counted returns how many there are of something, as a sentence has it: "three lines", "one line", "no lines".
func Counted(n int, one, many string) string {
	if n == 0 {
		return "no " + many
	}
	return Count(n) + " " + Plural(n, one, many)
}

// SomeOf begins a clause about a part of a whole: "eleven of 40 are", "none of 40 is".
func SomeOf(n, of int) string {
	return Count(n) + " of " + Count(of) + " " + Plural(max(n, 1), "is", "are")
}

// And joins words as a sentence does: "a, b and c".
func And(words ...string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Age returns a time that has passed, short, as lists have it: 40 s, 12 min, 5 h, 9 d.
func Age(d time.Duration) string {
	n, unit := ageOf(d)
	return Number(n) + " " + [...]string{"s", "min", "h", "d"}[unit]
}

// For returns a time that has passed as a sentence has it: "nine days".
func For(d time.Duration) string {
	n, unit := ageOf(d)
	if n == 0 {
		return "less than a second"
	}
	name := [...]string{"second", "minute", "hour", "day"}[unit]
	return Count(n) + " " + Plural(n, name, name+"s")
}

func ageOf(d time.Duration) (n, unit int) {
	switch {
	case d < time.Minute:
		return max(0, int(d/time.Second)), 0
	case d < time.Hour:
		return int(d / time.Minute), 1
	case d < 24*time.Hour:
		return int(d / time.Hour), 2
	}
	return int(d / (24 * time.Hour)), 3
}

// Clock returns a time of day: 14:50.
func Clock(t time.Time) string { return t.UTC().Format("15:04") }

// Day returns a date, without the year where that is the present one: 22 Nov.
func Day(t, now time.Time) string {
	if t.UTC().Year() == now.UTC().Year() {
		return t.UTC().Format("2 Jan")
	}
	return t.UTC().Format("2 Jan 2006")
}

// Moment returns a date and a time of day: 22 Nov 14:50.
func Moment(t, now time.Time) string { return Day(t, now) + " " + Clock(t) }
