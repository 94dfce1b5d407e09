package reqdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/requirements/vocabulary"
	"orchestrator/internal/system/lazyregexp"
)

// The changes that a section of an OpenSpec delta makes, as its heading names them.
const (
	DeltaAdded    = "ADDED"
	DeltaModified = "MODIFIED"
	DeltaRemoved  = "REMOVED"
	DeltaRenamed  = "RENAMED"
)

// deltaWords begin the headings of the sections of a delta.
var deltaWords = map[string]string{
	"added requirement": DeltaAdded, "modified requirement": DeltaModified, "removed requirement": DeltaRemoved,
	"renamed requirement": DeltaRenamed,
	"新增需求":                DeltaAdded, "修改需求": DeltaModified, "移除需求": DeltaRemoved, "删除需求": DeltaRemoved,
	"重命名需求": DeltaRenamed,
}

// scenarioWords is what a scenario is called, by language.
var scenarioWords = []string{
	"scenario", "场景", "場景", "情境", "シナリオ", "시나리오", "cenário", "escenario", "scénario", "szenario", "сценарий",
	"scenariusz",
}

// readOpenSpec reads a heading "Requirement: name", in any of its languages; the name is the id.
func readOpenSpec(c *collector, b block) (label, bool) {
	if b.place != inHeading || b.node.(*ast.Heading).Level < 2 {
		return label{}, false
	}
	name, found := cutRequirement(b.text)
	if dashed, is := cutDashed(b.text); is {
		id := reqid.FromName(dashed)
		return label{id: id, token: id, rest: len(b.text), title: dashed, change: c.delta,
			flaw: "a dash stands where a colon belongs", fix: "write Requirement: " + dashed}, true
	}
	id := reqid.FromName(name)
	if !found || id == "" && !strings.Contains(strings.ToLower(b.text), "requirement") { // "需求：" heads a section
		return label{}, false
	}
	l := label{id: id, token: id, rest: len(b.text), title: name, change: c.delta}
	switch n := utf8.RuneCountInString(id); {
	case n == 0:
		l.id, l.flaw, l.fix = "Requirement:", "it has no name", "write its name behind the colon"
	case n > reqid.MaxLength:
		l.flaw = fmt.Sprintf("its name has %d characters, and an id has at most %d", n, reqid.MaxLength)
		l.fix = "shorten the name, and write the rest below it"
	}
	return l, true
}

// cutRequirement returns the name in "Requirement: name".
func cutRequirement(heading string) (name string, found bool) {
	text := strings.TrimLeft(vocabulary.CutSymbols(strings.TrimSpace(heading)), "*_")
	emphasised := len(text) < len(strings.TrimSpace(heading))
	for _, word := range vocabulary.RequirementNames {
		if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
			continue
		}
		rest := strings.TrimLeft(text[len(word):], " ")
		for _, colon := range []string{":", "："} {
			if name, found := strings.CutPrefix(rest, colon); found {
				name = markdown.Fold(name)
				if emphasised || strings.HasPrefix(name, "**") && strings.HasSuffix(name, "**") {
					name = strings.Trim(name, "*_ ")
				}
				return name, true
			}
		}
	}
	return "", false
}

var dashedRequirement = lazyregexp.New(`^(?i:requirement) ?[-–—] (\S.*)$`)

// cutDashed returns the name in "Requirement – name", which is no form of the family.
func cutDashed(heading string) (name string, found bool) {
	m := dashedRequirement().FindStringSubmatch(strings.TrimSpace(strings.Trim(heading, "*_ ")))
	if m == nil || len(m[1]) > reqid.MaxLength {
		return "", false
	}
	return markdown.Fold(m[1]), true
}

// deltaOf returns the change that a section heading of a delta announces, or "".
func deltaOf(heading string) string {
	heading = strings.ReplaceAll(strings.ToLower(strings.Trim(heading, "*_ ")), "的", "")
	for part := range strings.FieldsFuncSeq(heading, func(r rune) bool { return strings.ContainsRune("()（）/", r) }) {
		if change := deltaWords[strings.TrimSuffix(markdown.Fold(part), "s")]; change != "" {
			return change
		}
	}
	return ""
}

var unmarked = strings.NewReplacer("**", "", "：", ":")

// deltaLines reads what a delta lists without headings: names to remove, and the two names of a renaming.
func (c *collector) deltaLines(text string, line int) {
	for part := range strings.SplitSeq(text, "\n") {
		part = strings.TrimSpace(unmarked.Replace(strings.TrimLeft(part, " \t-*+")))
		word, rest, _ := strings.Cut(part, ":")
		switch last := len(c.renamed) - 1; {
		case c.delta == DeltaRemoved && deltaName(part) != "":
			name := deltaName(part)
			c.removed = append(c.removed, Entry{Place: Place{Line: line}, ID: name, Kind: KindRequirement, Title: name})
		case c.delta == DeltaRenamed && (strings.EqualFold(word, "from") || word == "从"):
			c.renamed = append(c.renamed, Rename{Place: Place{Line: line},
				From: cmp.Or(deltaName(rest), reqid.FromName(quoted(rest)))})
		case c.delta == DeltaRenamed && (strings.EqualFold(word, "to") || word == "到") && last >= 0 &&
			c.renamed[last].To == "":
			c.renamed[last].To = cmp.Or(deltaName(rest), reqid.FromName(quoted(rest)))
		}
		line++
	}
}

// wholeRenames drops renamings that lack a name, with a warning.
func (c *collector) wholeRenames() []Rename {
	if c.renames > 0 && len(c.renamed) == 0 {
		c.warnings = append(c.warnings, remark(ReasonDelta, Place{Line: c.renames}, "",
			"no renaming was read below this heading",
			"write - FROM: `### Requirement: old` and - TO: `### Requirement: new`"))
	}
	return slices.DeleteFunc(c.renamed, func(r Rename) bool {
		lacking := r.From == "" || r.To == ""
		if lacking {
			c.warnings = append(c.warnings, remark(ReasonDelta, r.Place, "",
				"a renaming lacks one of its two names",
				"write FROM: `### Requirement: old` and TO: `### Requirement: new`"))
		}
		return lacking
	})
}

// deltaName returns the id of the name in "`### Requirement: name`", or "".
func deltaName(text string) string {
	name, _ := cutRequirement(strings.TrimLeft(quoted(text), "# \t"))
	return reqid.FromName(name)
}

// quoted returns a text without the back quotes around it.
func quoted(text string) string { return strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "`")) }

// scenario returns the name in a heading "Scenario: name" or "Scenario 1: name".
func scenario(heading string) (string, bool) {
	text := bare(strings.TrimSpace(heading))
	for _, word := range scenarioWords {
		if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
			continue
		}
		rest := strings.TrimLeft(text[len(word):], " 0123456789.")
		for _, colon := range []string{":", "："} {
			if name, found := strings.CutPrefix(rest, colon); found {
				return markdown.Plain(strings.Trim(name, "*_ ")), true
			}
		}
	}
	return "", false
}
