package reqdoc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/markdown"
	"orchestrator/internal/requirements/qualify"
)

// File is a requirement document as it was read from disk.
type File struct {
	Path    string // as the user wrote it
	Content []byte
}

// Options are the choices of whoever reads.
type Options struct {
	Family  string // one of Families(); "" takes each block by the family whose marks it bears
	Assign  bool   // where a document has no ids, make them from section and item
	Qualify string // form of the ids, as package qualify names them; "" is qualify.Families
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
}

// Rename is a new name for a requirement that a document itself declares.
type Rename struct {
	Place

	From, To string
}

// Read reads documents that belong together. Ids are unique over all of them. The error is a *fault.Error of kind
// Invalid; for problems with ids it has one field for each, with the pointer "<path>#L<line>".
func Read(files []File, o Options) (Set, error) {
	if o.Family != "" && !known(o.Family) {
		return Set{}, fault.New(fault.Invalid, "unknown_family", "there is no family %q of requirement documents",
			shorten(o.Family)).
			WithFix("use one of %v, or none, and the family is found by its marks", Families())
	}
	o.Qualify = cmp.Or(o.Qualify, qualify.Families)
	set := Set{Qualify: o.Qualify}
	var whole []Requirement
	var deltas []parsed
	var refused []Entry
	var problems []Problem
	var unread []error
	sources := make(map[string]markdown.Source, len(files))
	for _, f := range files {
		p, err := parse(f.Content, o)
		if err != nil {
			unread = append(unread, inFile(f.Path, err))
			continue
		}
		p.place(f.Path)
		p.qualify(o.Qualify)
		p.SHA256 = digest(f.Content)
		sources[f.Path] = p.source
		set.Title = cmp.Or(set.Title, p.Title)
		set.Documents = append(set.Documents, p.Document)
		set.Others = append(set.Others, p.entries...)
		set.Skipped, set.Warnings = append(set.Skipped, p.skipped...), append(set.Warnings, p.warnings...)
		refused, problems = append(refused, p.refused...), append(problems, p.problems...)
		if p.Delta {
			deltas = append(deltas, p)
		} else if whole == nil {
			whole = p.requirements
		} else {
			whole = append(whole, p.requirements...)
		}
	}
	set.Partial = len(deltas) > 0 && len(deltas) == len(files)
	problems = append(problems, set.combine(whole, deltas, refused)...)
	quote(set.Skipped, sources)
	quote(set.Warnings, sources)
	return set.unless(unread, problems)
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
func (set *Set) combine(whole []Requirement, deltas []parsed, refused []Entry) []Problem {
	kept, warnings, problems := unique(whole)
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
		if p.Excerpt == "" {
			problems[i].Excerpt = excerpt(sources[p.Path].LineText(p.Line))
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

// inFile names the file in what is wrong with it as a whole.
func inFile(path string, err error) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	named := *f
	named.Detail = path + ": " + f.Detail
	named.Fields = slices.Clone(f.Fields)
	for i := range named.Fields {
		named.Fields[i].Pointer = path + named.Fields[i].Pointer
	}
	return &named
}
