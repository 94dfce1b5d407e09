package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
)

// The most that is read of open changes. What is beyond is named, and not read.
const (
	maxChangeFiles = 1_000
	maxChangeFile  = 1 << 20  // bytes of one file
	maxChangeAll   = 16 << 20 // of all of them
)

// archive holds the changes that were made: they are history.
const archive = "archive"

// depths is how deep a capability can lie below the folder specs of a change.
const depths = 3

// changesBeside returns the patterns of the files of open changes: those of openspec/changes where documents lie in
// openspec/specs. The last letter of the folder is a wildcard, so that it may come later: a pattern is watched from the
// folder before its first wildcard.
func changesBeside(paths []string) (patterns []string) {
	for _, path := range paths {
		base, found := openspecOf(path)
		if !found {
			continue
		}
		for depth := range depths {
			names := append([]string{base, "change[s]", "*", "specs"}, slices.Repeat([]string{"*"}, depth+1)...)
			patterns = append(patterns, filepath.Join(append(names, "spec.md")...))
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// openspecOf returns the folder openspec that a document lies in, below specs.
func openspecOf(path string) (base string, found bool) {
	for at := filepath.Dir(filepath.Clean(path)); at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) != "specs" {
			continue
		}
		base = filepath.Dir(at)
		absolute, err := filepath.Abs(base)
		return base, err == nil && filepath.Base(absolute) == "openspec"
	}
	return "", false
}

// readChanges reads the files of open changes that are no documents themselves. What cannot be read is told in the
// file: it never keeps documents from being read.
func (s Set) readChanges(ctx context.Context, documents []reqdoc.File) (files []reqdoc.File, err error) {
	known := map[string]bool{}
	for _, d := range documents {
		known[d.Path] = true
	}
	left := int64(maxChangeAll)
	for _, p := range s.changes {
		matches, err := p.Match(ctx)
		if err != nil {
			files = append(files, reqdoc.File{Path: filepath.ToSlash(p.Given), Change: "*",
				Unread: "open changes cannot be looked for: " + err.Error()})
		}
		for _, path := range matches {
			f := reqdoc.File{Path: filepath.ToSlash(filepath.Clean(path)), Change: changeOf(path)}
			if f.Change == archive || known[f.Path] {
				continue
			}
			if len(files) == maxChangeFiles {
				f.Unread = fmt.Sprintf("no more than %d files of open changes are read", maxChangeFiles)
				return append(files, f), ctx.Err()
			}
			f.Content, f.Unread = readChange(ctx, p, path, min(left, maxChangeFile))
			left -= int64(len(f.Content))
			files = append(files, f)
		}
	}
	return files, ctx.Err()
}

// changeOf returns the name of the change that a file belongs to: of the folder that specs lies in.
func changeOf(path string) string {
	names := strings.Split(filepath.ToSlash(path), "/")
	for i := len(names) - 1; i > 1; i-- {
		if names[i] == "specs" && names[i-2] == "changes" {
			return names[i-1]
		}
	}
	return archive
}

// readChange returns the content of a file, or why it has none.
func readChange(ctx context.Context, p *tree.Path, path string, most int64) (content []byte, unread string) {
	file, err := p.Open(ctx, path, most)
	if err == nil {
		defer file.Close()
		content, err = file.ReadAll()
	}
	if err == nil {
		return content, ""
	}
	if led, is := errors.AsType[*tree.LinkError](err); is {
		return nil, "it is a symbolic link that leads out of " + led.Folder
	}
	switch {
	case errors.Is(err, tree.ErrTooLarge):
		return nil, fmt.Sprintf("it has more than %d bytes, or all files of open changes have more than %d",
			maxChangeFile, maxChangeAll)
	case errors.Is(err, fs.ErrNotExist):
		return nil, "it is not there"
	}
	return nil, "it cannot be read"
}
