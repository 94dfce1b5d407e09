// Package documents finds the requirement documents that paths and patterns stand for, and reads them from the disk,
// within bounds: a document may not lead out of the folder that it was named in, and neither one nor all of them
// together may be larger than the service can hold.
package documents

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/system/watch"
)

// CodeNoRequirements is the code of documents that define no requirement.
const CodeNoRequirements fault.Code = "no_requirements"

// CheckReading refuses a family of documents, or a form of their ids, that there is not.
func CheckReading(o reqdoc.Options) error {
	if err := qualify.Check(o.Qualify); err != nil {
		return err
	}
	if o.Family == "" || slices.Contains(reqdoc.Families(), o.Family) {
		return nil
	}
	return fault.New(fault.Invalid, "unknown_family", "there is no family %q of requirement documents", o.Family).
		WithFix("use %s, or leave --family out, and the family is found by its marks",
			strings.Join(reqdoc.Families(), ", "))
}

// The most bytes that are read.
const (
	MaxFile = 16 << 20                 // of one document
	maxAll  = watch.MostFull * MaxFile // of all documents together
)

// GCPercent is by how many per cent the heap may grow between collections where documents are imported: less would cost
// an import half of its time, and more would cost memory.
const GCPercent = 50

// Set is the paths and patterns of requirement documents, each with the folder that it is confined to, and those of the
// open changes that lie beside them.
type Set struct {
	documents []*tree.Path
	changes   []*tree.Path
}

// Open opens the folders that documents may not lead out of. Links on the way to them are resolved now, and never
// again. Close the set after use.
func Open(paths []string) (Set, error) {
	var all Set
	for _, path := range paths {
		p, err := tree.OpenPath(path)
		if err != nil {
			all.Close()
			return Set{}, fault.New(fault.Conflict, "requirements_unreadable",
				"the folder of the requirement documents %s cannot be opened", path).
				WithFix("make it readable for this user").Because(err)
		}
		all.documents = append(all.documents, p)
	}
	for _, pattern := range changesBeside(paths) {
		if p, err := tree.OpenPath(pattern); err == nil { // else the documents, which lie beside them, cannot be opened
			all.changes = append(all.changes, p)
		}
	}
	return all, nil
}

// Watched returns all paths and patterns.
func (s Set) Watched() []*tree.Path { return slices.Concat(s.documents, s.changes) }

// Close closes the folders.
func (s Set) Close() {
	for _, p := range s.Watched() {
		_ = p.Close() // it was only read
	}
}

// Document is one document, and the path or pattern that stands for it.
type Document struct {
	Path string
	in   *tree.Path
}

// Find returns the files that paths and patterns stand for now, each once. A path is written in one way
// only, since it is part of the state.
func (s Set) Find(ctx context.Context) ([]Document, error) {
	var all []Document
	seen := map[string]bool{}
	for _, p := range s.documents {
		files, err := p.Match(ctx)
		if errors.Is(err, tree.ErrTooMany) {
			return nil, tooMany(p.Given, err)
		}
		if err != nil && !errors.Is(err, tree.ErrPattern) {
			return nil, Unreadable(p.Given, err)
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "requirements_pattern", "the pattern %s cannot be read: %v",
				p.Given, err).
				WithFix("mend the pattern; *, ? and [a-z] match within one name")
		}
		if len(files) == 0 {
			return nil, fault.New(fault.Conflict, "requirements_unreadable", "no file matches %s", p.Given).
				WithFix("mend the pattern, which begins at the folder of the start; nothing was changed")
		}
		for _, file := range files {
			if file = filepath.Clean(file); !seen[file] {
				seen[file] = true
				all = append(all, Document{file, p})
			}
		}
		if len(all) > tree.MaxFiles {
			return nil, tooMany(p.Given, tree.ErrTooMany)
		}
	}
	return all, nil
}

// Read reads what the paths and patterns stand for now, and then the files of open changes.
func (s Set) Read(ctx context.Context) ([]reqdoc.File, error) {
	all, err := s.Find(ctx)
	if err != nil {
		return nil, err
	}
	var files []reqdoc.File
	left := int64(maxAll)
	for _, one := range all {
		content, err := one.read(ctx, min(left, MaxFile))
		if errors.Is(err, tree.ErrTooLarge) && left < MaxFile {
			return nil, tooLargeTogether(one.Path, err)
		}
		if err != nil {
			return nil, Unreadable(one.Path, err)
		}
		left -= int64(len(content))
		files = append(files, reqdoc.File{Path: filepath.ToSlash(one.Path), Content: content})
	}
	changes, err := s.readChanges(ctx, files)
	return append(files, changes...), err
}

// Check reports why the document cannot be read as far as its place is concerned: that it is missing, or that it is a
// link that leads out of the folder it is confined to.
func (d Document) Check() error {
	_, err := d.in.Stat(d.Path)
	return err
}

func (d Document) read(ctx context.Context, most int64) ([]byte, error) {
	file, err := d.in.Open(ctx, d.Path, most)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.ReadAll()
}

// Unreadable returns the error of a document that is not read, with what can be done about it.
func Unreadable(path string, err error) error {
	err = &fs.PathError{Op: "read", Path: path, Err: err} // the review looks for the path as it is written
	if led, is := errors.AsType[*tree.LinkError](err); is {
		return fault.New(fault.Conflict, "requirements_unreadable",
			"the requirement document %s is not read: it is a symbolic link to %s, and leads out of %s",
			path, led.Target, led.Folder).WithFix("name %s itself in --requirements",
			led.Target).Because(err)
	}
	if errors.Is(err, tree.ErrTooLarge) {
		return fault.New(fault.Invalid, "document_too_large", "the requirement document %s has more than %d bytes",
			path, MaxFile).
			WithFix("split it into several documents").Because(err)
	}
	fix := "put it back, or name another document"
	if errors.Is(err, fs.ErrPermission) {
		fix = "let this user read it, or name another document"
	}
	return fault.New(fault.Conflict, "requirements_unreadable", "the requirement document %s cannot be read", path).
		WithFix("%s", fix).Because(err)
}

// tooLargeTogether returns the error of a document that is beyond what all of them may have.
func tooLargeTogether(path string, err error) error {
	return fault.New(fault.Invalid, "document_too_large",
		"the requirement documents have together more than %d bytes", maxAll).
		WithFix("name fewer of them in --requirements; the limit is reached at %s", path).
		Because(&fs.PathError{Op: "read", Path: path, Err: err})
}

func tooMany(pattern string, err error) error {
	return fault.New(fault.Conflict, "requirements_unreadable",
		"%s stands for too many files: of requirement documents no more than %d are read, in folders that are not "+
			"much larger", pattern, tree.MaxFiles).
		WithFix("give a narrower pattern").Because(err)
}

// Read reads what paths and patterns stand for now, once.
func Read(ctx context.Context, paths []string) ([]reqdoc.File, error) {
	all, err := Open(paths)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	return all.Read(ctx)
}

// HintAssign adds to an error of documents without ids how they can be read all the same.
func HintAssign(err *fault.Error, o reqdoc.Options) *fault.Error {
	if err.Code != CodeNoRequirements || o.Assign || strings.Contains(err.Fix, "--assign") {
		return err
	}
	hinted := *err
	hinted.Fix += "; or let --assign make ids from section and item"
	return &hinted
}
