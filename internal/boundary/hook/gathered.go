package hook

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/rules/boundary"
)

// isRepository reports whether a folder that holds a file of the name may be a repository of git, whose settings may
// name programs.
func isRepository(name string) bool {
	return strings.EqualFold(name, "HEAD") || strings.EqualFold(name, ".git")
}

// mostExempt is how many files of an exempt folder are looked at.
const mostExempt = 2000

// held notes on a target that a folder of the project holds a file in one of the exempt folders which is not harmless
// by its name, or a link, which may lead to anything.
func (r resolver) held(t *boundary.Target, below boundary.Target, harmless func(string) bool) {
	files := 0
	look := func(file string, entry fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(file, r.root+string(filepath.Separator)))
		if files++; files > mostExempt || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Holds = name // what cannot be told may be harmful
			return fs.SkipAll
		}
		if err == nil && (!entry.IsDir() || entry.Name() == ".git") && !harmless(entry.Name()) {
			t.Holds = name
			if entry.Type()&fs.ModeSymlink != 0 {
				t.Link = boundary.SymbolicLink
			}
			return fs.SkipAll
		}
		return nil
	}
	for _, folder := range r.exempt {
		if t.Holds == "" && (isOrBelow(folder, below.Path) || below.Real != "" && isOrBelow(folder, below.Real)) {
			_ = filepath.WalkDir(filepath.Join(r.root, filepath.FromSlash(folder)), look)
		}
	}
}

// isOrBelow reports whether a file is another one, or lies below it.
func isOrBelow(name, above string) bool {
	return above == "." || name == above || strings.HasPrefix(name, above+"/")
}

// textEndings are those of files that no tool takes for code, or for settings that name code.
var textEndings = []string{".csv", ".diff", ".gif", ".jpeg", ".jpg", ".json", ".jsonl", ".log", ".md", ".patch", ".pdf",
	".png", ".svg", ".tsv", ".txt"}

// isText reports whether no tool runs a file of the name.
func isText(name string) bool {
	settings := strings.HasPrefix(name, ".") || name == "package.json" || strings.HasPrefix(name, "tsconfig")
	return !settings && slices.Contains(textEndings, strings.ToLower(filepath.Ext(name)))
}
