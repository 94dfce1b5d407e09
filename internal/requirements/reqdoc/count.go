package reqdoc

import (
	"fmt"
	"strconv"
	"strings"
)

// maxCounts is how many stated numbers of a document are checked.
const maxCounts = 100

// stated is the number of requirements that a document says it has.
type stated struct {
	line  int
	count int
	of    string // the word before "requirements", such as a version; small letters
}

// statedCount reads "v1 requirements: 14 total", "Total requirements: 25", "25 requirements in total", "25 total" and
// "This document contains 25 requirements".
func statedCount(text string) (s stated, found bool) {
	if len(text) > 200 || !strings.ContainsAny(text, "0123456789") {
		return s, false
	}
	words := strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return strings.ContainsRune(" \t*_:|,;()-–—", r) })
	number, noun, total, says := -1, -1, false, false
	for i, word := range words {
		word = strings.TrimSuffix(word, ".")
		switch n, err := strconv.Atoi(word); {
		case err == nil && number >= 0:
			return s, false // two numbers: "12 of 25"
		case err == nil:
			number, s.count = i, n
		case word == "requirement" || word == "requirements":
			noun = i
		case word == "total":
			total = true
		case word == "contains" || word == "has" || word == "defines" || word == "lists":
			says = true
		}
	}
	if number < 0 || len(words) > 7 {
		return s, false
	}
	if bare := total && (len(words) == 2 || words[0] == "coverage" && len(words) == 3); bare {
		return s, true
	}
	if noun < 0 || !total && !(says && words[0] == "this" && noun == number+1) {
		return s, false
	}
	if noun > 0 && noun-1 != number && words[noun-1] != "total" {
		s.of = words[noun-1]
	}
	return s, true
}

// checkCounts holds what a document says of its number of requirements against what was read: all of them, those
// that are not for the future, or those of the version that it names.
func checkCounts(counts []stated, all []Requirement, missed int) []Problem {
	if len(counts) == 0 {
		return nil
	}
	present, below := 0, map[string]int{} // by the first word of a heading above
	for _, r := range all {
		if r.Kind != KindFuture {
			present++
		}
		for _, heading := range r.Section {
			first, _, _ := strings.Cut(heading, " ")
			below[strings.ToLower(first)]++
		}
	}
	var problems []Problem
	fix := "mend the number"
	if missed > 0 {
		fix = "mend what was not taken, which is listed too"
	}
	for _, s := range counts {
		versioned := 0
		if s.of != "" {
			versioned = below[s.of]
		}
		if s.count == versioned || versioned == 0 && (s.count == present || s.count == len(all)) {
			continue
		}
		read := fmt.Sprintf("%d were read, %d of them not for the future", len(all), present)
		if versioned > 0 {
			read = fmt.Sprintf("%d were read below the heading of %s", versioned, s.of)
		}
		problems = append(problems, remark(ReasonTotal, Place{Line: s.line}, "",
			fmt.Sprintf("the document says that it has %d requirements; %s", s.count, read),
			fix))
	}
	return problems
}
