package reqdoc

import (
	"slices"
	"strings"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/vocabulary"
)

// kindOf returns what a candidate is: what its family says, what its letters say, or what its section says.
func (c *collector) kindOf(cand *candidate) string {
	switch letters := strings.ToUpper(cand.form.Letters()); {
	case cand.kind != "":
		return cand.kind
	case cand.certain:
		return KindRequirement
	case letters == "AC":
		return KindAcceptance
	case letters == "SC" && c.shown["spec-kit"] > 0:
		return KindSuccessCriterion
	default:
		if kind := cand.section.kindOf(); kind != "" {
			return kind
		}
		if letters == "US" || letters == "UJ" {
			return KindStory
		}
		return KindRequirement
	}
}

// classified is a document's definitions by what becomes of them.
type classified struct {
	requirements []Requirement
	entries      []Entry
	counts       map[string]int // of what is no requirement
}

// classify gives criteria to the requirement in whose text they stand, and sets aside what is not tracked.
func classify(all []built, refused []*candidate) classified {
	s := classified{requirements: make([]Requirement, 0, len(all)), counts: map[string]int{}}
	functional := slices.ContainsFunc(all, func(b built) bool {
		return b.r.Kind == KindRequirement && isFunctional(b.form)
	}) || slices.ContainsFunc(refused, func(cand *candidate) bool {
		return cand.place == inHeading && isFunctional(cand.form)
	})
	type owner struct{ at, limit int }
	var owners []owner
	owed := map[int]bool{} // requirements that need a new fingerprint
	for _, b := range all {
		for len(owners) > 0 && owners[len(owners)-1].limit < b.r.Line {
			owners = owners[:len(owners)-1]
		}
		r := b.r
		if r.Kind == KindAcceptance && len(owners) > 0 {
			of := &s.requirements[owners[len(owners)-1].at]
			of.Text = withoutLabel(of.Text)
			if of.written != nil {
				of.written.text = withoutLabel(of.written.text)
			}
			of.Acceptance = append(of.Acceptance, Criterion{r.ID, KindAcceptance, criterionText(r)})
			owed[owners[len(owners)-1].at] = true
			s.counts[KindAcceptance]++
			continue
		}
		for _, criterion := range r.Acceptance {
			s.counts[criterion.Kind]++
		}
		if tracked(r, b.unnamed, functional) {
			owners = append(owners, owner{len(s.requirements), b.limit})
			s.requirements = append(s.requirements, r)
			continue
		}
		s.entries = append(s.entries, Entry{r.Place, r.ID, r.Kind, r.Title})
	}
	for at := range owed {
		s.requirements[at].sign()
	}
	return s
}

// tracked reports whether something goes through the lifecycle. A story does where it has an id of its own and
// no functional requirements stand beside it.
func tracked(r Requirement, unnamed, functional bool) bool {
	switch r.Kind {
	case KindRequirement, KindFuture, KindGoal:
		return true
	case KindStory:
		return !unnamed && !functional
	}
	return false
}

func isFunctional(f reqid.Form) bool {
	return slices.Contains([]string{"FR", "REQ", "F", "R", "SRS", "SYS"}, strings.ToUpper(f.Letters()))
}

// criterionText returns a criterion that was written as a definition, on one line and without the marks of code blocks.
func criterionText(r Requirement) string {
	text := filterLines(r.Text, func(line string) bool {
		line = strings.TrimSpace(line)
		return !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~")
	})
	if title := firstSentence(r.Text); title != r.Title {
		text = r.Title + " " + text
	}
	return markdown.Fold(text)
}

// withoutLabel drops a label of criteria from the end of a text, when they all have ids and stand elsewhere.
func withoutLabel(text string) string {
	start := strings.LastIndexByte(text, '\n') + 1
	last := strings.TrimLeft(text[start:], "# ")
	if announces(last, strings.HasPrefix(text[start:], "#")) == "" {
		return text
	}
	return strings.TrimRight(text[:start], "\n ")
}

// filterLines keeps the lines that keep accepts, without empty ones at the ends and more than one in a row where a
// line was dropped.
func filterLines(text string, keep func(string) bool) string {
	var kept []string
	dropped := false
	for line := range strings.SplitSeq(text, "\n") {
		empty := strings.TrimSpace(line) == ""
		switch {
		case !keep(line):
			dropped = true
			continue
		case empty && dropped && (len(kept) == 0 || strings.TrimSpace(kept[len(kept)-1]) == ""):
			continue
		}
		dropped = dropped && empty
		kept = append(kept, line)
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// priority returns what a document says of the priority of a requirement: a column, a title that ends with "(Priority:
// P1)" or "(P1)" or is nothing else, or a line "Priority: P1" in its text.
func priority(cand *candidate, r *Requirement) string {
	if cand.table != nil {
		if i := slices.Index(cand.table.roles, rolePriority); i >= 0 {
			return markdown.Plain(cand.row[i])
		}
		return ""
	}
	if vocabulary.IsPriorityValue(r.Title) {
		value := r.Title
		r.Title = ""
		return value
	}
	if open := strings.LastIndexByte(r.Title, '('); open >= 0 && strings.HasSuffix(r.Title, ")") {
		inner := r.Title[open+1 : len(r.Title)-1]
		word, value, found := strings.Cut(strings.ReplaceAll(inner, "：", ":"), ":")
		switch {
		case found && vocabulary.IsPriority(word):
			r.Title = strings.TrimSpace(r.Title[:open])
			return strings.TrimSpace(value)
		case vocabulary.IsPriorityValue(inner):
			r.Title = strings.TrimSpace(r.Title[:open])
			return inner
		}
	}
	for line := range strings.SplitSeq(r.Text, "\n") {
		word, value, found := strings.Cut(strings.TrimLeft(strings.ReplaceAll(line, "：", ":"), " \t-*_"), ":")
		if found && len(word) < 40 && vocabulary.IsPriority(word) {
			return strings.Trim(markdown.Plain(value), " *_")
		}
	}
	return ""
}
