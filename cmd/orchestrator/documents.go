package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/tree"
)

// readingFlags are how documents are read, the same for every command that reads some.
func readingFlags(cmd *cobra.Command, o *reqdoc.Options) {
	families := reqdoc.Families()
	cmd.Flags().StringVar(&o.Family, "family", "",
		"read every document as this family, and look for no marks: "+strings.Join(families, ", "))
	cmd.Flags().BoolVar(&o.Assign, "assign", false, "where a document has no ids, make them from section and item")
	_ = cmd.RegisterFlagCompletionFunc("family", cobra.FixedCompletions(families, cobra.ShellCompDirectiveNoFileComp))
}

func checkReading(o reqdoc.Options) error {
	if o.Family == "" || slices.Contains(reqdoc.Families(), o.Family) {
		return nil
	}
	return fault.New(fault.Invalid, "unknown_family", "there is no family %q of requirement documents", o.Family).
		WithFix("use %s, or leave --family out, and the family is found by its marks",
			strings.Join(reqdoc.Families(), ", "))
}

// documents are the paths and patterns of requirement documents, each with the folder that it is confined to.
type documents []*tree.Path

// openDocuments opens the folders that documents may not lead out of. Links on the way to them are resolved now, and
// never again.
func openDocuments(paths []string) (documents, error) {
	var all documents
	for _, path := range paths {
		p, err := tree.OpenPath(path)
		if err != nil {
			all.close()
			return nil, fault.New(fault.Conflict, "requirements_unreadable",
				"the folder of the requirement documents %s cannot be opened", path).
				WithFix("make it readable for this user, or name other documents").Because(err)
		}
		all = append(all, p)
	}
	return all, nil
}

func (d documents) close() {
	for _, p := range d {
		_ = p.Close() // it was only read
	}
}

// found is a document, and the path or pattern that stands for it.
type found struct {
	path string
	in   *tree.Path
}

// find returns the files that paths and patterns stand for now, each once. A path is written in one way
// only, since it is part of the state.
func (d documents) find(ctx context.Context) ([]found, error) {
	var all []found
	seen := map[string]bool{}
	for _, p := range d {
		files, err := p.Match(ctx)
		if errors.Is(err, tree.ErrTooMany) {
			return nil, tooManyDocuments(p.Given, err)
		}
		if err != nil && !errors.Is(err, tree.ErrPattern) {
			return nil, unreadableDocument(p.Given, err)
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "requirements_pattern", "the pattern %s cannot be read: %v",
				p.Given, err).
				WithFix("mend the pattern; *, ? and [a-z] match within one name")
		}
		if len(files) == 0 {
			return nil, fault.New(fault.Conflict, "requirements_unreadable", "no file matches %s", p.Given).
				WithFix("start in the folder that the pattern is meant for, or mend the pattern; nothing was changed")
		}
		for _, file := range files {
			if file = filepath.Clean(file); !seen[file] {
				seen[file] = true
				all = append(all, found{file, p})
			}
		}
		if len(all) > tree.MaxFiles {
			return nil, tooManyDocuments(p.Given, tree.ErrTooMany)
		}
	}
	return all, nil
}

// read reads what paths and patterns stand for now, of at most maxDocuments bytes together.
func (d documents) read(ctx context.Context) ([]reqdoc.File, error) {
	all, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	var files []reqdoc.File
	left := int64(maxDocuments)
	for _, one := range all {
		content, err := one.read(ctx, min(left, maxDocument))
		if errors.Is(err, tree.ErrTooLarge) && left < maxDocument {
			return nil, tooLargeTogether(one.path, err)
		}
		if err != nil {
			return nil, unreadableDocument(one.path, err)
		}
		left -= int64(len(content))
		files = append(files, reqdoc.File{Path: filepath.ToSlash(one.path), Content: content})
	}
	return files, nil
}

func (f found) read(ctx context.Context, most int64) ([]byte, error) {
	file, err := f.in.Open(ctx, f.path, most)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.ReadAll()
}

// unreadableDocument says what can be done about a document that is not read.
func unreadableDocument(path string, err error) error {
	err = &fs.PathError{Op: "read", Path: path, Err: err} // the review looks for the path as it is written
	if led, is := errors.AsType[*tree.LinkError](err); is {
		return fault.New(fault.Conflict, "requirements_unreadable",
			"the requirement document %s is not read: it is a symbolic link to %s, and leads out of %s",
			path, led.Target, led.Folder).WithFix("name %s itself in --requirements, or put the document there",
			led.Target).Because(err)
	}
	if errors.Is(err, tree.ErrTooLarge) {
		return fault.New(fault.Invalid, "document_too_large", "the requirement document %s has more than %d bytes",
			path, maxDocument).
			WithFix("split it into several documents").Because(err)
	}
	return fault.New(fault.Conflict, "requirements_unreadable", "the requirement document %s cannot be read", path).
		WithFix("put it back, or name another document").Because(err)
}

// tooLargeTogether says that a document is beyond what all of them may have.
func tooLargeTogether(path string, err error) error {
	return fault.New(fault.Invalid, "document_too_large",
		"the requirement documents have together more than %d bytes", maxDocuments).
		WithFix("shorten or remove documents, or name fewer of them in --requirements; the limit is reached at %s", path).
		Because(&fs.PathError{Op: "read", Path: path, Err: err})
}

func tooManyDocuments(pattern string, err error) error {
	return fault.New(fault.Conflict, "requirements_unreadable",
		"%s stands for too many files: of requirement documents no more than %d are read, in folders that are not much larger", pattern, tree.MaxFiles).
		WithFix("remove files that are no requirement documents, or give a narrower pattern").Because(err)
}

// readDocuments reads what paths and patterns stand for now, once.
func readDocuments(ctx context.Context, paths []string) ([]reqdoc.File, error) {
	all, err := openDocuments(paths)
	if err != nil {
		return nil, err
	}
	defer all.close()
	return all.read(ctx)
}

// systemActor is who imports when nobody asked by name.
func systemActor() lifecycle.Actor {
	system := ledger.System()
	return lifecycle.Actor{Name: system.Name, Role: lifecycle.Role(system.Role)}
}

// hintAssign adds to what is wrong with documents without ids how they can be read all the same.
func hintAssign(err *fault.Error, o reqdoc.Options) *fault.Error {
	if err.Code != requirements.CodeNoRequirements || o.Assign || strings.Contains(err.Fix, "--assign") {
		return err
	}
	hinted := *err
	hinted.Fix += "; or let --assign make ids from section and item"
	return &hinted
}
