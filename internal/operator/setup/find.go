package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/shellquote"
)

// CodeNoDocuments is the code of a folder in which no requirement document was found.
const CodeNoDocuments fault.Code = "no_documents"

// places are where projects keep their requirement documents. All that hold a requirement are taken.
var places = []string{
	"REQUIREMENTS.md", ".planning/REQUIREMENTS.md", "openspec/specs/*/spec.md", "openspec/specs/*/*/spec.md",
	"specs/*/spec.md", ".kiro/specs/*/requirements.md", "docs/REQUIREMENTS.md", "docs/requirements/*.md",
}

// guesses are looked through where none of the places has a document. Such a folder has other documents, too, so each
// file is taken by its own name, and only if all of it can be read.
var guesses = []string{"docs/*.md", "*.md"}

// Found is what was read in some documents.
type Found struct {
	Documents    []string       `json:"documents"` // paths and patterns
	Families     map[string]int `json:"families"`  // how many requirements each has
	Requirements int            `json:"requirements"`
	Skipped      int            `json:"skipped"` // definitions that were not taken
}

// String returns what was found, for people.
func (f Found) String() string {
	var families []string
	for name, n := range f.Families {
		families = append(families, fmt.Sprintf("%d %s", n, name))
	}
	slices.Sort(families)
	found := fmt.Sprintf("%s: requirements: %d (%s)", strings.Join(f.Documents, ", "), f.Requirements,
		strings.Join(families, ", "))
	if f.Skipped > 0 {
		found += fmt.Sprintf("; not taken: %d, which orchestrator import --check lists", f.Skipped)
	}
	return found
}

// Find reads the documents that are named, or looks for some in the working folder where none is. It writes nothing.
// Documents that cannot be imported are refused.
func Find(ctx context.Context, named []string, reading reqdoc.Options) (Found, error) {
	var empty []string
	if len(named) == 0 {
		named, empty = search(ctx, reading)
	}
	switch {
	case len(named) == 0 && len(empty) > 0:
		return Found{}, fault.New(fault.NotFound, CodeNoDocuments, "no requirement was found in %s",
			strings.Join(empty, ", ")).
			WithFix("orchestrator import --dry-run %s says why; other documents are named with --documents",
				quoted(empty))
	case len(named) == 0:
		return Found{}, fault.New(fault.NotFound, CodeNoDocuments,
			"no requirement document was found here; looked for %s",
			strings.Join(slices.Concat(places, guesses), ", ")).
			WithFix("name the documents, as in orchestrator init --documents 'docs/*.md'; a project without any " +
				"begins with a file REQUIREMENTS.md that has a line such as: - **REQ-001**: A customer can log in.")
	}
	return read(ctx, named, reading)
}

// search returns the places that hold requirements, and those that hold documents without any.
func search(ctx context.Context, reading reqdoc.Options) (all, empty []string) {
	for _, place := range places {
		switch {
		case !matches(place):
		case holdsSome(ctx, place, reading):
			all = append(all, place)
		default:
			empty = append(empty, place)
		}
	}
	for _, guess := range guesses {
		if len(all) > 0 {
			return all, nil
		}
		files, _ := filepath.Glob(guess) // fails for a bad pattern alone
		for _, file := range files {
			if found, err := read(ctx, []string{file}, reading); err == nil && found.Requirements > 0 {
				all = append(all, filepath.ToSlash(file))
			}
		}
	}
	return all, empty
}

// quoted returns patterns as words of a command line.
func quoted(patterns []string) string {
	words := make([]string, len(patterns))
	for i, p := range patterns {
		words[i] = shellquote.Quote(p)
	}
	return strings.Join(words, " ")
}

func matches(pattern string) bool {
	files, _ := filepath.Glob(pattern)
	return len(files) > 0
}

// holdsSome reports whether documents define a requirement, or would if they were mended: those that are broken are
// named by an error later, and not passed over.
func holdsSome(ctx context.Context, pattern string, reading reqdoc.Options) bool {
	found, err := read(ctx, []string{pattern}, reading)
	return err != nil || found.Requirements > 0
}

func read(ctx context.Context, named []string, reading reqdoc.Options) (Found, error) {
	if err := documents.CheckReading(reading); err != nil {
		return Found{}, err
	}
	files, err := documents.Read(ctx, named)
	if err != nil {
		return Found{}, err
	}
	set, err := reqdoc.Read(files, reading)
	if err != nil {
		return Found{}, err
	}
	found := Found{Documents: named, Families: map[string]int{}, Requirements: len(set.Requirements),
		Skipped: len(set.Skipped)}
	for _, d := range set.Documents {
		for family, n := range d.Families {
			found.Families[family] += n
		}
	}
	return found, nil
}
