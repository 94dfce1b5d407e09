// Package trace finds which lines of a project's files name which requirements.
//
// Two things name a requirement:
//
//   - a mark: one of Keywords, a colon and ids, as the first words of a comment, or of a line: "// Covers: REQ-7, REQ-8".
//     The ids end at the first word that is none. The list goes on in the next line after a comma, or when the keyword
//     stands alone in its line.
//   - the name of a test with an id in it, as package idmatch finds them; languages (names.go) are those that are known.
//
// Files are read line by line, without knowing more of their language. A line counts up to its first 4,096 bytes.
//
// The files are those that git knows or would add; without git all below the folder, but for hidden folders and those
// of dependencies and builds. Binary files, symbolic links and submodules are left out. Equal files give an equal
// Report.
package trace

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/idmatch"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
)

// The kinds of a place.
const (
	KindMark = "mark"
	KindTest = "test"
)

// Requirement is one that files may name.
type Requirement struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Path  string `json:"-"` // of its document, which tells the short form of the id

	Former []string `json:"-"` // ids that it had
}

// Place is a line that names a requirement.
type Place struct {
	Path    string `json:"path"`              // in the folder, with slashes
	Line    int    `json:"line"`              // 1-based
	Kind    string `json:"kind"`              // KindMark or KindTest
	Keyword string `json:"keyword,omitempty"` // mark: as Keywords has it
	Name    string `json:"name,omitempty"`    // test: its name, as the line has it
	Former  string `json:"former,omitempty"`  // mark: the id that the line has, which the requirement had before
}

// What returns what names the requirement: the keyword of a mark, or a test with its name.
func (p Place) What() string {
	if p.Kind == KindTest {
		return "test " + p.Name
	}
	if p.Former != "" {
		return p.Keyword + " " + p.Former
	}
	return p.Keyword
}

// Verifies reports whether a mark says that the place verifies the requirement, as a test does.
func (p Place) Verifies() bool { return p.Keyword == verifies }

// Traced is a requirement and the places that name it.
type Traced struct {
	Requirement

	Places []Place `json:"places"` // by path, line and kind
}

// Unknown is an id in a mark that no requirement has.
type Unknown struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Keyword string   `json:"keyword"`
	ID      string   `json:"id"`
	Similar []string `json:"did_you_mean,omitempty"` // ids that differ in case, separators or leading zeros alone
}

// Ambiguous is a short form in a mark, or in the name of a test, that several requirements have.
type Ambiguous struct {
	Place

	ID    string   `json:"id"`       // as the line has it
	Of    int      `json:"of"`       // how many requirements have it
	Could []string `json:"could_be"` // their whole ids, sorted; at most maxCould
}

// maxCould is how many requirements are listed that a short form could stand for.
const maxCould = 10

// CouldBe returns in words which requirements the short form could stand for.
func (a Ambiguous) CouldBe() string {
	const named = 3
	if a.Of <= named {
		return strings.Join(a.Could, " or ")
	}
	return fmt.Sprintf("%s or one of %d more", strings.Join(a.Could[:named], ", "), a.Of-named)
}

// Skipped is a file or folder that was not looked at.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Summary counts. A requirement is marked when a place names it, and tested when the name of a test or a mark
// "Verifies" does.
type Summary struct {
	Requirements int `json:"requirements"`
	Marked       int `json:"marked"`
	Tested       int `json:"tested"`
	Unknown      int `json:"unknown"`   // marks that name no requirement
	Ambiguous    int `json:"ambiguous"` // short forms of several requirements
	Files        int `json:"files"`     // that were read
}

// Report is what a tree says about requirements.
type Report struct {
	Requirements []Traced    `json:"requirements"`   // as they were given
	Unknown      []Unknown   `json:"unknown"`        // by path and line
	Ambiguous    []Ambiguous `json:"ambiguous"`      // by path and line
	Skipped      []Skipped   `json:"skipped"`        // by path
	Gitignore    bool        `json:"gitignore"`      // the files are those that git knows or would add
	Note         string      `json:"note,omitempty"` // why git was not asked
	Summary      Summary     `json:"summary"`
}

// Options are the choices of whoever asks.
type Options struct {
	Paths  []string // files and folders to look at, in the folder; none is all
	Except []string // files to leave out, in the folder, with slashes
	// patterns of files and folders to leave out; one without a slash fits a name anywhere
	Exclude  []string
	Progress func(done, total int) // is told of every file, from several goroutines; may be nil
}

// Run looks through the files of a folder. The error is a *fault.Error for a folder or path that cannot be looked at,
// else that of ctx.
//
// Implements: ORC-085
func Run(ctx context.Context, folder string, all []Requirement, o Options) (Report, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return Report{}, fault.New(fault.NotFound, "repo_unreadable", "the folder %s cannot be opened", folder).
			WithFix("name the folder of the project").Because(err)
	}
	defer root.Close()
	wanted, err := cleaned(root, o.Paths)
	if err != nil {
		return Report{}, err
	}
	for _, pattern := range o.Exclude {
		if _, err := path.Match(pattern, ""); err != nil {
			return Report{}, fault.New(fault.Invalid, "exclude_pattern", "the pattern %q cannot be read", pattern).
				WithFix("mend it; *, ? and [a-z] match within one name")
		}
	}
	t, err := listFiles(ctx, folder, root)
	if err != nil {
		return Report{}, err
	}
	files := slices.DeleteFunc(t.files, func(file string) bool {
		return path.Base(file) == projection.DefaultExport || slices.Contains(o.Except, file) ||
			!within(wanted, file) || o.excludes(file)
	})
	r := newReader(root, all)
	read, err := r.readAll(ctx, files, o.Progress)
	if err != nil {
		return Report{}, err
	}
	report := r.assemble(all, read)
	report.Gitignore, report.Note = t.why == "", t.why
	for _, s := range t.skipped {
		if within(wanted, s.Path) && !o.excludes(s.Path) {
			report.Skipped = append(report.Skipped, s)
		}
	}
	slices.SortFunc(report.Skipped, func(a, b Skipped) int { return cmp.Compare(a.Path, b.Path) })
	return report, nil
}

// cleaned returns the paths as files are named.
func cleaned(root *os.Root, paths []string) ([]string, error) {
	var all []string
	for _, p := range paths {
		if !filepath.IsLocal(p) {
			return nil, fault.New(fault.Invalid, "path_outside",
				"the path %s does not lie in the folder that is looked through", p).
				WithFix("name it from that folder on, or name another folder")
		}
		if _, err := root.Lstat(p); err != nil {
			return nil, fault.New(fault.NotFound, "path_missing", "the path %s cannot be looked at", p).
				WithFix("name a file or a folder in the folder that is looked through").Because(err)
		}
		all = append(all, filepath.ToSlash(filepath.Clean(p)))
	}
	return all, nil
}

// within reports whether a file is one of those wanted, or lies in one.
func within(wanted []string, file string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(p string) bool {
		return p == "." || p == file || strings.HasPrefix(file, p+"/")
	})
}

// excludes reports whether a pattern fits a file, or a folder that it lies in.
func (o Options) excludes(file string) bool {
	return slices.ContainsFunc(o.Exclude, func(pattern string) bool {
		pattern = strings.TrimSuffix(pattern, "/")
		for at := file; at != "."; at = path.Dir(at) {
			name := at
			if !strings.Contains(pattern, "/") {
				name = path.Base(at)
			}
			if fits, _ := path.Match(pattern, name); fits {
				return true
			}
		}
		return false
	})
}

func newReader(root *os.Root, all []Requirement) *reader {
	ids, ones := make([]string, len(all)), make([]qualify.One, len(all))
	for i, r := range all {
		ids[i], ones[i] = r.ID, qualify.One{ID: r.ID, Path: r.Path, Former: r.Former}
	}
	short := qualify.NamesOf(ones).Shorts()
	return &reader{root: root, marks: newBook(ids, short).remember(all), names: idmatch.Named(ids, short), hint: newHint(ids, short)}
}

// assemble puts what was found in each file, in their order, to the requirements.
func (r *reader) assemble(all []Requirement, read []fileRead) Report {
	report := Report{Requirements: make([]Traced, len(all)), Unknown: []Unknown{},
		Ambiguous: []Ambiguous{}, Skipped: []Skipped{}}
	at := make(map[string]int, len(all))
	for i, one := range all {
		report.Requirements[i] = Traced{one, []Place{}}
		at[one.ID] = i
	}
	for _, f := range read {
		if f.skipped != "" {
			report.Skipped = append(report.Skipped, Skipped{visible(f.path), f.skipped})
		} else if f.text {
			report.Summary.Files++
		}
		for _, h := range f.hits {
			if could := r.marks.short[h.id]; len(could) > 1 && !h.exact {
				report.Ambiguous = append(report.Ambiguous, Ambiguous{h.place(f.path), h.id, len(could), could[:min(len(could), maxCould)]})
			} else if i, known := at[h.id]; known {
				report.Requirements[i].add(h.place(f.path))
			} else {
				report.Unknown = append(report.Unknown,
					Unknown{visible(f.path), h.number, h.keyword, visible(h.id), r.marks.similar(h.id)})
			}
		}
	}
	report.count()
	return report
}

func (t *Traced) add(p Place) {
	if n := len(t.Places); n == 0 || t.Places[n-1] != p {
		t.Places = append(t.Places, p)
	}
}

func (h lineHit) place(file string) Place {
	p := Place{Path: visible(file), Line: h.number, Kind: KindMark, Keyword: h.keyword, Name: visible(h.name),
		Former: visible(h.former)}
	if h.keyword == "" {
		p.Kind = KindTest
	}
	return p
}

func (r *Report) count() {
	r.Summary.Requirements, r.Summary.Unknown, r.Summary.Ambiguous = len(r.Requirements), len(r.Unknown), len(r.Ambiguous)
	for _, t := range r.Requirements {
		if len(t.Places) > 0 {
			r.Summary.Marked++
		}
		if slices.ContainsFunc(t.Places, func(p Place) bool { return p.Kind == KindTest || p.Verifies() }) {
			r.Summary.Tested++
		}
	}
}

// visible returns s as valid UTF-8.
func visible(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
