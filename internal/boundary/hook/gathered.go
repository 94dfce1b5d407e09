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

// exemptFile returns a file below a folder of the project at root, in one of the exempt folders, that is not harmless
// by its name; "" where there is none.
func exemptFile(root string, exempt []string, below boundary.Target, harmless func(string) bool) (found string) {
	files := 0
	look := func(file string, entry fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
		if files++; files > mostExempt || err != nil && !errors.Is(err, fs.ErrNotExist) {
			found = name // what cannot be told may be harmful
			return fs.SkipAll
		}
		if err == nil && (!entry.IsDir() || entry.Name() == ".git") && !harmless(entry.Name()) {
			found = name
			return fs.SkipAll
		}
		return nil
	}
	for _, folder := range exempt {
		if found == "" && (within(folder, below.Path) || below.Real != "" && within(folder, below.Real)) {
			_ = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), look)
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
