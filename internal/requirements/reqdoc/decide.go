package reqdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/vocabulary"
)

// decide accepts candidates by rules 4 and 5 of the package comment, without those that only refer to a requirement,
// in document order, and reports accepted ids that are illegal.
func (c *collector) decide() (accepted []*candidate, problems []Problem) {
	likely := c.likely()
	kept := c.withoutReferences(c.withoutRegisters(c.withoutOwnID(likely)))
	defined := make(map[string]int, len(kept)) // id → number of the table, 0 outside of tables
	for _, cand := range kept {
		defined[cand.id] = 0
	}
	accepted = append(accepted, kept...)
	for _, traced := range []bool{false, true} { // tables that define before tables that trace
		for number, t := range c.tables {
			if t.traces == traced {
				accepted = append(accepted, c.decideTable(t, number+1, defined)...)
			}
		}
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

// likely returns the candidates outside of tables whose ids count.
func (c *collector) likely() []*candidate {
	c.series, c.runs = c.findSeries()
	var likely []*candidate
	for _, cand := range c.candidates {
		if cand.table != nil {
			continue
		}
		if why, fix := c.unlikely(cand, c.series[cand.form.Stem]); why != "" && !cand.certain {
			c.refused = append(c.refused, cand)
			c.pass(cand.reasonToDoubt(), cand.line, cand.id, why, fix)
			continue
		}
		likely = append(likely, cand)
	}
	return likely
}

// reasonToDoubt returns why an unlikely candidate is skipped.
func (cand *candidate) reasonToDoubt() string {
	if reqid.IsWellKnown(cand.form.Letters()) {
		return ReasonUnrelated
	}
	return ReasonNearMiss
}

// withoutOwnID drops the id of the document itself: one in its title that no other id is like, unless its letters are
// those of requirements.
func (c *collector) withoutOwnID(all []*candidate) []*candidate {
	for i, cand := range all {
		if !cand.titles || len(c.candidates) == 1 || vocabulary.IsUsual(cand.form.Letters()) {
			continue
		}
		like := func(other *candidate) bool {
			return other != cand &&
				(other.form.Stem == cand.form.Stem || strings.HasPrefix(other.id, cand.id+".") ||
					strings.HasPrefix(other.id, cand.id+"-"))
		}
		if !slices.ContainsFunc(c.candidates, like) {
			c.pass(ReasonUnrelated, cand.line, cand.id,
				"it is the id of the document: it stands in its title, and no other id is like it",
				"write it below the title if it is a requirement")
			return slices.Delete(all, i, i+1)
		}
	}
	return all
}

// withoutRegisters drops ids in sections of risks, questions and the like, if there are others elsewhere and none of
// those is like them.
func (c *collector) withoutRegisters(all []*candidate) []*candidate {
	c.outside = map[string]bool{}
	for _, cand := range c.candidates {
		if cand.certain || !cand.section.isRegister() {
			c.outside[cand.form.Stem] = true
		}
	}
	if len(c.outside) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(cand *candidate) bool {
		drop := !cand.certain && cand.section.isRegister() && !c.outside[cand.form.Stem]
		if drop {
			c.pass(ReasonUnrelated, cand.line, cand.id,
				fmt.Sprintf("it stands in the section %q, which is not of requirements", cand.section.name()),
				"move it to another section if it is a requirement")
		}
		return drop
	})
}

// withoutReferences drops labels that only refer to a requirement: weak ones of an id that something else defines, or
// an earlier weak one; those in a section that says so, of an id that another section defines; and those without a text
// of their own, of an id that is defined above.
func (c *collector) withoutReferences(all []*candidate) []*candidate {
	strong, home := make(map[string]bool, len(all)), make(map[string]bool, len(all))
	for _, cand := range c.candidates {
		if !cand.weak {
			strong[cand.id] = true
			home[cand.id] = home[cand.id] || !refersBySection(cand)
		}
	}
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(cand *candidate) bool {
		refers := cand.weak && (strong[cand.id] || seen[cand.id] || cand.section.isTrace()) ||
			!cand.certain && home[cand.id] && refersBySection(cand) || cand.bare && seen[cand.id]
		seen[cand.id] = true
		if refers {
			c.pass(ReasonReference, cand.line, cand.id, "it refers to a requirement",
				"write **ID**: text if it defines one")
		}
		return refers
	})
}

// refersBySection reports whether the section of a candidate is one that rather refers than defines.
func refersBySection(cand *candidate) bool {
	if cand.table != nil {
		return cand.table.traces || cand.section.isRegister()
	}
	return cand.section.mayRefer()
}

func illegal(cand *candidate) (Problem, bool) {
	if readAs, why := reqid.Mixed(cand.token); why != "" {
		return problem(Place{Line: cand.line}, shorten(readAs),
			fmt.Sprintf("the id %s on line %d mixes letters of several scripts: %s; did you mean %s?",
				shorten(cand.token), cand.line, why, shorten(readAs)),
			"write "+shorten(readAs)+" in one script"), true
	}
	if cand.token != cand.id {
		written, meant := strconv.QuoteToASCII(shorten(cand.token)), shorten(cand.id)
		return problem(Place{Line: cand.line}, meant,
			fmt.Sprintf("the id %s on line %d holds characters that only look like others or are invisible: did you mean %s?", written, cand.line, meant),
			"write "+meant), true
	}
	if err := fault.As(reqid.Valid(cand.id)); err != nil {
		return problem(Place{Line: cand.line}, shorten(cand.id), err.Detail, err.Fix), true
	}
	return Problem{}, false
}

// shorten keeps messages short whatever stands in the place of an id.
func shorten(id string) string { return shortenTo(id, reqid.MaxLength) }

func shortenTo(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// strong reports a label that needs no siblings.
func strong(cand *candidate) bool { return cand.bold || cand.table != nil && cand.table.headedID }

// findSeries finds the stems that count (see rule 4), and those with three numbers in a row.
func (c *collector) findSeries() (series, runs map[string]bool) {
	series, runs = map[string]bool{}, map[string]bool{}
	numbers := map[string][]int{}
	for _, cand := range c.candidates {
		if cand.certain {
			continue
		}
		f := cand.form
		n := f.Value()
		if f.Padded() || f.Joined && (strong(cand) || n == 0 || n == 1) || cand.bold && vocabulary.IsUsual(f.Letters()) {
			series[f.Stem] = true
		}
		if n >= 0 {
			numbers[f.Stem] = append(numbers[f.Stem], n)
		}
		if parent, child := strings.CutSuffix(f.Stem, "."); child {
			if of, ok := reqid.FormOf(parent); ok {
				series[of.Stem] = true // FR1 counts where there is an FR1.1
			}
		}
	}
	for stem, list := range numbers {
		slices.Sort(list)
		list = slices.Compact(list)
		longest := longestRun(list)
		series[stem] = series[stem] || longest > 1 || len(list) > 1 && vocabulary.IsUsual(reqid.Form{Stem: stem}.Letters())
		runs[stem] = longest > 2
	}
	return series, runs
}

// longestRun returns the most numbers in a row, each one higher than the one before.
func longestRun(sorted []int) int {
	longest, run := 0, 0
	for i, n := range sorted {
		if run++; i > 0 && n != sorted[i-1]+1 {
			run = 1
		}
		longest = max(longest, run)
	}
	return longest
}

// unlikely returns why a marked label is still not taken, or "".
func (c *collector) unlikely(cand *candidate, series bool) (why, fix string) {
	const needsPad = "if it is a requirement, write it in bold and with a leading zero"
	f := cand.form
	switch letters := f.Letters(); {
	case f.Small && !(strong(cand) && f.Padded()):
		return "it has small letters", "if it is a requirement, write it in capital letters"
	case f.Padded():
		return "", ""
	case cand.named || cand.table != nil && cand.table.defines:
		return "", ""
	case reqid.IsWellKnown(letters):
		return "names like it are standards or priorities", needsPad
	case len(letters) == 1 && !f.Joined && !strong(cand) && !(c.runs[f.Stem] && c.ofRequirements(cand.section)):
		return "a single letter and a number is taken in bold only, or below a heading of requirements", needsPad
	case !series:
		return "no other id continues its numbers", needsPad
	}
	return "", ""
}

// ofRequirements reports whether the heading of a section speaks of requirements, or where there is none the title of
// the document.
func (c *collector) ofRequirements(s *section) bool {
	if len(s.path()) > 1 {
		return s.requirements
	}
	return vocabulary.OfRequirements(strings.ToLower(shortenTo(c.title, maxHeading))) || s != nil && s.requirements
}
