package hook

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/boundary/shell"
	"orchestrator/internal/rules/boundary"
)

// running returns where the code lies that a part of a command runs. Of a folder in which code is looked for, it says
// what a main session may have written there.
func (r resolver) running(code []shell.Target) []boundary.Target {
	all := r.targets(code)
	for i, t := range code {
		if t.Tree && !all[i].Unknown {
			all[i].Holds = r.exemptCode(all[i])
		}
	}
	return all
}

// mostExempt is how many files of an exempt folder are looked at.
const mostExempt = 2000

// exemptCode returns a file below a folder, in one of the exempt folders, that may be code; "" where there is none.
func (r resolver) exemptCode(below boundary.Target) (found string) {
	files := 0
	look := func(file string, entry fs.DirEntry, err error) error {
		name, _ := r.place(file)
		if files++; files > mostExempt || err != nil && !errors.Is(err, fs.ErrNotExist) {
			found = name // what cannot be told may be code
			return fs.SkipAll
		}
		if err == nil && !entry.IsDir() && !isText(entry.Name()) {
			found = name
			return fs.SkipAll
		}
		return nil
	}
	for _, folder := range r.exempt {
		if found == "" && (within(folder, below.Path) || below.Real != "" && within(folder, below.Real)) {
			_ = filepath.WalkDir(filepath.Join(r.root, filepath.FromSlash(folder)), look)
		}
	}
	return found
}

// within reports whether one folder of the project is another one, or lies below it.
func within(folder, above string) bool {
	return above == "." || folder == above || strings.HasPrefix(folder, above+"/")
}

// textEndings are those of files that no tool takes for code, or for settings that name code.
var textEndings = []string{".csv", ".diff", ".gif", ".jpeg", ".jpg", ".json", ".jsonl", ".log", ".md", ".patch", ".pdf",
	".png", ".svg", ".tsv", ".txt"}

// isText reports whether no tool runs a file of the name.
func isText(name string) bool {
	settings := strings.HasPrefix(name, ".") || name == "package.json" || strings.HasPrefix(name, "tsconfig")
	return !settings && slices.Contains(textEndings, strings.ToLower(filepath.Ext(name)))
}
