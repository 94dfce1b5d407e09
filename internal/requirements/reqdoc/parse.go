package reqdoc

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/placeholder"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqid"
)

// parsed is what one document holds by itself.
type parsed struct {
	Document

	source       markdown.Source
	requirements []Requirement // in document order
	entries      []Entry
	removed      []Entry // by a delta
	renamed      []Rename
	skipped      []Problem
	refused      []Entry // had a mark and an id, and were not taken
	warnings     []Problem
	problems     []Problem // with ids
	failed       error     // why it could not be read
}

// parse parses a document. The file of an open change is none.
func (o Options) parse(f File) (p parsed) {
	if f.Change == "" {
		p, p.failed = parse(f.Content, o)
	}
	return p
}

// parse reads one document. Its places have no path yet.
func parse(src []byte, o Options) (parsed, error) {
	s, err := markdown.New(src)
	if err != nil {
		return parsed{}, err
	}
	root, err := s.Parse()
	if err != nil {
		return parsed{}, err
	}
	c := collector{Source: s, only: o.Family, skipped: inFrontMatter(s.Front), shown: map[string]int{}}
	c.walk(root, scope{limit: s.Lines()})
	return c.parsed(o)
}

// maxDefinitions is how many ids of definitions one document may hold.
const maxDefinitions = 50_000

func (c *collector) parsed(o Options) (parsed, error) {
	if n := len(c.candidates); n > maxDefinitions {
		return parsed{}, fault.New(fault.Invalid, "document_too_large", "the document defines more than %d ids",
			maxDefinitions).WithFix("split it into several documents")
	}
	accepted, problems := c.decide()
	if o.Assign && len(accepted) == 0 && len(problems) == 0 && !placeholder.IsTemplate(c.title) {
		accepted = c.assign()
	}
	found := classify(c.requirements(accepted, o.Sparing), c.refused)
	if err := template(c.title, c.titleLine, c.hollow, len(found.requirements)); err != nil {
		return parsed{}, err
	}
	p := parsed{
		source: c.Source, requirements: found.requirements, entries: slices.Concat(found.entries, c.leftItems(accepted), c.entries),
		removed: c.removed, renamed: c.wholeRenames(), problems: problems,
	}
	p.Title, p.Found, p.Delta, p.Others = c.title, len(p.requirements), c.isDelta, found.counts
	for _, e := range p.entries {
		p.Others[e.Kind]++
	}
	for _, cand := range c.refused {
		p.refused = append(p.refused, Entry{Place: Place{Line: cand.line}, ID: cand.id})
	}
	p.takeRemoved()
	p.Family, p.Mark, p.Families = c.describe(p.requirements)
	skipped, nearMisses := c.skippedBeside(p.requirements)
	p.skipped, p.Rows = skipped, p.Found+nearMisses
	p.warnings = append(c.warnings, checkCounts(c.counts, p.requirements, nearMisses)...)
	if p.isEmpty() {
		p.warnings = append(p.warnings, remark(ReasonEmpty, Place{Line: 1}, "",
			"no requirement was read of this document", emptyFix(nearMisses)))
	}
	p.warnings = listed(p.warnings)
	return p, nil
}

func emptyFix(missed int) string {
	if missed > 0 {
		return "mend what was not taken, which is listed too"
	}
	return "give its requirements ids"
}

// isEmpty reports that a document defines nothing and changes nothing.
func (p *parsed) isEmpty() bool { return len(p.requirements)+len(p.removed)+len(p.renamed) == 0 }

// takeRemoved sets aside what a delta lists under REMOVED.
func (p *parsed) takeRemoved() {
	kept := p.requirements[:0]
	for _, r := range p.requirements {
		if r.Change != DeltaRemoved {
			kept = append(kept, r)
			continue
		}
		p.removed = append(p.removed, Entry{r.Place, r.ID, r.Kind, cmp.Or(r.Title, r.ID)})
	}
	p.requirements = kept
	p.Found = len(kept)
}

// place writes the path of the document into all that was read of it.
func (p *parsed) place(path string) {
	p.Path = path
	for i := range p.requirements {
		p.requirements[i].Path = path
	}
	for _, entries := range [][]Entry{p.entries, p.removed, p.refused} {
		for i := range entries {
			entries[i].Path = path
		}
	}
	for i := range p.renamed {
		p.renamed[i].Path = path
	}
	for _, problems := range [][]Problem{p.skipped, p.warnings, p.problems} {
		for i := range problems {
			problems[i].Path = path
		}
	}
}

// qualify puts the folder of the document in front of its ids, where they have it in a form. An id that cannot have it
// is a problem.
func (p *parsed) qualify(form string) {
	perFolder := slices.ContainsFunc(slices.Collect(maps.Keys(p.Families)), qualify.PerFolder) || p.Delta
	folder := qualify.FolderOf(form, p.Path, perFolder)
	if folder == "" {
		return
	}
	for i := range p.requirements {
		r := &p.requirements[i]
		if err := fault.As(reqid.Valid(qualify.Whole(folder, r.ID))); err != nil {
			p.problems = append(p.problems, unfit(*r, folder, err))
		}
		r.ID = qualify.Whole(folder, r.ID)
	}
	for _, entries := range [][]Entry{p.removed, p.refused} {
		for i := range entries {
			entries[i].ID = qualify.Whole(folder, entries[i].ID)
		}
	}
	for i := range p.renamed {
		p.renamed[i].From = qualify.Whole(folder, p.renamed[i].From)
		p.renamed[i].To = qualify.Whole(folder, p.renamed[i].To)
	}
	for i := range p.warnings {
		if p.warnings[i].ID != "" {
			p.warnings[i].ID = qualify.Whole(folder, p.warnings[i].ID)
		}
	}
}

// unfit reports a requirement whose id is none with its folder.
func unfit(r Requirement, folder string, err *fault.Error) Problem {
	id, left := shorten(r.ID), reqid.MaxLength-utf8.RuneCountInString(folder)-1
	length := utf8.RuneCountInString(qualify.Whole(folder, r.ID))
	if length <= reqid.MaxLength {
		return problem(r.Place, id, fmt.Sprintf("%s cannot be an id together with its folder %q: %s", id, shorten(folder),
			err.Detail), "rename the folder")
	}
	fix := "give the folder a shorter name"
	if left >= usualName {
		fix = fmt.Sprintf("shorten %s to %d characters, and write the rest below it", id, left)
	}
	return problem(r.Place, id, fmt.Sprintf("%s has %d characters together with its folder %s, and an id has at most %d",
		id, length, shorten(folder), reqid.MaxLength), fix)
}

// usualName is how many characters a folder should leave for the name of a requirement.
const usualName = 64

// template refuses a document that is to be filled in yet: its title is a placeholder, or most definitions are.
func template(title string, line int, hollow []Problem, real int) error {
	titled := placeholder.Is(afterColon(title)) && len(hollow)+real > 0 || real == 0 && placeholder.IsTemplate(title)
	if !titled && len(hollow) <= real {
		return nil
	}
	why := fmt.Sprintf("%d of its %d definitions are placeholders", len(hollow), len(hollow)+real)
	if titled {
		why = fmt.Sprintf("its title is %q", shorten(title))
		hollow = append([]Problem{problem(Place{Line: line}, "", why, "write what the document is about")}, hollow...)
	}
	err := fault.New(fault.Invalid, codeUnfinished, "the document is a template: %s", why).
		WithFix("fill it in, title included, and import it again")
	for _, p := range listed(hollow) {
		err.Fields = append(err.Fields, fault.Field{Pointer: p.pointer(), Detail: p.Message, Fix: p.Fix})
	}
	return err
}

func afterColon(title string) string {
	if _, name, found := strings.Cut(title, ":"); found {
		return name
	}
	return title
}
