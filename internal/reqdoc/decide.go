package reqdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// decide accepts candidates by rules 4 and 5 of the package comment, in document order, and reports
// accepted ids that are illegal.
func (c *collector) decide() (accepted []*candidate, problems []Problem) {
	series := c.series()
	defined := map[string]int{} // id → number of the table, 0 outside of tables
	for _, cand := range c.candidates {
		if cand.table != nil {
			continue
		}
		why, fix := unlikely(cand, series[cand.form.family])
		if why != "" {
			c.refused = append(c.refused, cand)
			c.skip(cand.line, cand.id, why, fix)
			continue
		}
		accepted = append(accepted, cand)
		defined[cand.id] = 0
	}
	for number, t := range c.tables {
		accepted = append(accepted, c.decideTable(t, number+1, series, defined)...)
	}
	slices.SortStableFunc(accepted, func(a, b *candidate) int { return cmp.Compare(a.line, b.line) })
	legal := accepted[:0]
	for _, cand := range accepted {
		if p, ok := illegal(cand); ok {
			problems = append(problems, p)
			continue
		}
		legal = append(legal, cand)
	}
	return legal, problems
}

func illegal(cand *candidate) (Problem, bool) {
	if cand.token != cand.id {
		written, meant := strconv.QuoteToASCII(shorten(cand.token)), shorten(cand.id)
		return Problem{cand.line, meant,
			fmt.Sprintf("the id %s on line %d holds characters that only look like others or are invisible: did you mean %s?", written, cand.line, meant),
			"write " + meant}, true
	}
	if err := ValidID(cand.id); err != nil {
		return Problem{cand.line, shorten(cand.id), err.Error(), "shorten the id"}, true
	}
	return Problem{}, false
}

// shorten keeps messages short whatever stands in the place of an id.
func shorten(id string) string {
	if utf8.RuneCountInString(id) <= maxID {
		return id
	}
	return string([]rune(id)[:maxID]) + "…"
}

// strong reports a label that needs no siblings.
func strong(cand *candidate) bool { return cand.bold || cand.table != nil && cand.table.headedID }

// series finds the families that count: see rule 4.
func (c *collector) series() map[string]bool {
	series := map[string]bool{}
	numbers := map[string][]int{}
	for _, cand := range c.candidates {
		f := cand.form
		n := f.value()
		if f.padded() || f.joined && (strong(cand) || n == 0 || n == 1) {
			series[f.family] = true
		}
		if n >= 0 {
			numbers[f.family] = append(numbers[f.family], n)
		}
	}
	for family, list := range numbers {
		slices.Sort(list)
		for i := 1; i < len(list); i++ {
			if list[i] == list[i-1]+1 {
				series[family] = true
			}
		}
	}
	return series
}

// unlikely says why a marked label is still not taken, or "".
func unlikely(cand *candidate, series bool) (why, fix string) {
	const needsPad = "if it is a requirement, write it in bold and with a leading zero"
	f := cand.form
	switch letters := f.letters(); {
	case f.small && !(strong(cand) && f.padded()):
		return "it has small letters", needsPad + ", or in capital letters"
	case f.padded():
		return "", ""
	case wellKnown[upper(letters)]:
		return "names like it are standards or priorities", needsPad
	case len(letters) == 1 && !f.joined && !strong(cand):
		return "a single letter and a number is taken in bold only", needsPad
	case !series:
		return "no other id continues its numbers", needsPad
	}
	return "", ""
}
