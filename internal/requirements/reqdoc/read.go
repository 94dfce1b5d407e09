package reqdoc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/ahead"
	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/placeholder"
	"orchestrator/internal/requirements/qualify"
)

// File is a requirement document as it was read from disk.
type File struct {
	Path    string // as the user wrote it
	Content []byte

	Change string // of OpenSpec, open: the file proposes something, and is no document
	Unread string // why the file of a change could not be read; "" if it was
}

// Options are the choices of whoever reads.
type Options struct {
	Family  string // one of Families(); "" takes each block by the family whose marks it bears
	Assign  bool   // where a document has no ids, make them from section and item
	Qualify string // form of the ids, as package qualify names them; "" is qualify.Families
	Strict  bool   // refuse templates and drafts, which are left out where other documents define requirements

	InForce map[string]bool // documents that requirements in force come from: none of them is left out

	Sparing bool                  // parse one document at a time, which takes longer and less memory
	OnRead  func(done, total int) // told how many files have been read; nil tells nobody
}

// Set is what several documents amount to together.
type Set struct {
	Title        string     // of the first document that has one
	Qualify      string     // form of the ids, as package qualify names them
	Documents    []Document // as they were given
	Requirements []Requirement
	Others       []Entry // what was read and is no requirement: criteria, stories without ids, what is out of scope
	Partial      bool    // all documents are deltas: requirements that they do not name stay as they are
	Removed      []Entry // deltas: what they take away
	Renamed      []Rename
	Skipped      []Problem // looked like a definition and was not taken
	Warnings     []Problem

	Pending []pending.Delta // what open changes propose; Read leaves it to package deltas
}

// Rename is a new name for a requirement that a document itself declares.
type Rename struct {
	Place

	From, To string
}

// Read reads documents that belong together, and passes over the files of open changes. Ids are unique over all of
// them. The error is a *fault.Error of kind Invalid; for problems with ids it has one field for each, with the pointer
// "<path>#L<line>".
func Read(files []File, o Options) (Set, error) {
	if o.Family != "" && !known(o.Family) {
		return Set{}, fault.New(fault.Invalid, "unknown_family", "there is no family %q of requirement documents",
			shorten(o.Family)).
			WithFix("use one of %v, or none, and the family is found by its marks", Families())
	}
	o.Qualify = cmp.Or(o.Qualify, qualify.Families)
	r := reading{Set: Set{Qualify: o.Qualify}, options: o, sources: make(map[string]markdown.Source, len(files))}
	i := 0
	for p := range ahead.Of(files, o.Sparing, o.parse) {
		r.take(files[i], p)
		if i++; o.OnRead != nil {
			o.OnRead(i, len(files))
		}
	}
	r.leaveOut()
	r.Partial = len(r.deltas) > 0 && len(r.deltas) == len(r.Documents)+len(r.unread)
	r.problems = append(r.problems, r.combine(r.whole, r.deltas, r.refused, len(r.options.InForce) > 0)...)
	quote(r.Skipped, r.sources)
	quote(r.Warnings, r.sources)
	return r.unless(r.unread, r.problems)
}

// reading is a set while its documents are read.
type reading struct {
	Set

	options    Options
	sources    map[string]markdown.Source
	whole      []Requirement
	deltas     []parsed
	refused    []Entry
	problems   []Problem
	unread     []error
	unfinished []unfinished
}

// take adds what a document holds to that of those before it.
func (r *reading) take(f File, p parsed) {
	if f.Change != "" {
		return
	}
	err := p.failed
	if err == nil && placeholder.IsDraft(p.source.Front) && (r.options.Strict || !r.options.InForce[f.Path]) {
		err = fault.New(fault.Invalid, codeUnfinished, isDraft).
			WithFix("take the draft mark out of the front matter, or do not name the document")
	}
	if r.leavesOut(f, err) {
		return
	}
	if err != nil {
		r.unread = append(r.unread, markdown.InFile(f.Path, err))
		return
	}
	p.place(f.Path)
	p.qualify(r.options.Qualify)
	p.SHA256 = digest(f.Content)
	r.sources[f.Path] = p.source
	r.Title = cmp.Or(r.Title, p.Title)
	r.Documents = append(r.Documents, p.Document)
	r.Others = append(r.Others, p.entries...)
	r.Skipped, r.Warnings = append(r.Skipped, p.skipped...), append(r.Warnings, p.warnings...)
	r.refused, r.problems = append(r.refused, p.refused...), append(r.problems, p.problems...)
	if p.Delta {
		r.deltas = append(r.deltas, p)
	} else if r.whole == nil {
		r.whole = p.requirements
	} else {
		r.whole = append(r.whole, p.requirements...)
	}
}

// codeUnfinished is the code of documents that are not meant to be read yet.
const codeUnfinished fault.Code = "document_template"

const isDraft = "the document is a draft, as its front matter says"

// unfinished is a template or a draft that is left out, if other documents define requirements.
type unfinished struct {
	document Document
	place    int // among all documents
	why      *fault.Error
}

// leavesOut reports whether a document may be left out for what is wrong with it. One that requirements in force come
// from is not: they would be retired.
func (r *reading) leavesOut(f File, err error) bool {
	if !fault.Is(err, codeUnfinished) || r.options.Strict || r.options.InForce[f.Path] {
		return false
	}
	document := Document{Path: f.Path, SHA256: digest(f.Content)}
	r.unfinished = append(r.unfinished, unfinished{document, len(r.Documents) + len(r.unfinished), fault.As(err)})
	return true
}

// leaveOut warns of unfinished documents if others define requirements; else it refuses them.
func (r *reading) leaveOut() {
	found := len(r.deltas)
	for _, d := range r.Documents {
		found += d.Found
	}
	for _, u := range r.unfinished {
		if found == 0 {
			r.unread = append(r.unread, markdown.InFile(u.document.Path, u.why))
			continue
		}
		r.Documents = slices.Insert(r.Documents, min(u.place, len(r.Documents)), u.document)
		reason, fix := ReasonTemplate, "fill it in, title included, when its requirements are to count"
		if u.why.Detail == isDraft {
			reason, fix = ReasonDraft, "take the draft mark out of the front matter when its requirements are to count"
		}
		r.Warnings = append(r.Warnings,
			remark(reason, Place{u.document.Path, 1}, "", "it was left out: "+u.why.Detail, fix))
	}
}

// unless returns the set, or why there is none: the one document that cannot be read, or all problems of all documents.
func (set Set) unless(unread []error, problems []Problem) (Set, error) {
	if len(unread)+len(problems) == 0 {
		return set, nil
	}
	if len(unread) == 1 && len(problems) == 0 {
		return Set{}, unread[0]
	}
	refused := refusal(problems)
	if len(unread) == 0 {
		return Set{}, refused
	}
	for _, err := range unread {
		if f := fault.As(err); f != nil {
			refused.Fields = append(refused.Fields, f.Fields...)
			if len(f.Fields) == 0 {
				refused.Fields = append(refused.Fields, fault.Field{Detail: f.Detail, Fix: f.Fix})
			}
		}
	}
	refused.Detail = fmt.Sprintf("problems in the documents: %d", len(refused.Fields))
	return Set{}, refused
}

// combine makes one set of the requirements of all documents, and returns what is wrong with their ids.
func (set *Set) combine(whole []Requirement, deltas []parsed, refused []Entry, imported bool) []Problem {
	kept, warnings, problems := unique(whole, imported)
	after := apply(kept, deltas, set.Partial)
	set.Requirements, set.Removed, set.Renamed = after.requirements, after.removed, after.renamed
	set.Warnings = slices.Concat(set.Warnings, warnings, after.warnings)
	problems = slices.Concat(problems, after.problems, nearMisses(set.Requirements, refused))
	names := resolveLinks(set.Requirements)
	if !set.Partial {
		set.Warnings = append(set.Warnings, checkLinks(set.Requirements, names)...)
	}
	return problems
}

// maxExcerpt is how many characters of a line an excerpt has.
const maxExcerpt = 120

// quote adds to each remark what stands on its line.
func quote(problems []Problem, sources map[string]markdown.Source) {
	for i, p := range problems {
		if source, read := sources[p.Path]; read && p.Excerpt == "" {
			problems[i].Excerpt = excerpt(source.LineText(p.Line))
		}
	}
}

func excerpt(line string) string {
	line = strings.ToValidUTF8(line[:min(len(line), 8*maxExcerpt)], "")
	return shortenTo(markdown.Fold(line), maxExcerpt)
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
