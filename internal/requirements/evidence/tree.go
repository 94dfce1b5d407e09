package evidence

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence/gitrepo"
)

const maxGuesses = 3

// findIn returns the file at name. Where there is none the error is fault.NotFound; what is there and is no file of
// this repository is refused.
func findIn(t *gitrepo.Tree, name string) (gitrepo.Entry, error) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		switch e := t.At(name[:i]); {
		case e.IsLink():
			return gitrepo.Entry{}, refuseLink(name[:i], "at "+short(t.Commit))
		case e.IsSubmodule():
			return gitrepo.Entry{}, refuse("in_submodule", "%s at %s is a submodule: its files belong to its own repository",
				name[:i], short(t.Commit)).
				WithFix("cite a file of this repository")
		case e.There() && i == len(name):
			return e, nil
		}
	}
	if slices.ContainsFunc(t.Paths, func(p string) bool { return strings.HasPrefix(p, name+"/") }) {
		return gitrepo.Entry{}, refuseFolder(name, "at "+short(t.Commit))
	}
	return gitrepo.Entry{}, fault.New(fault.NotFound, "file_missing", "there is no %s at %s", name, short(t.Commit))
}

func refuseLink(name, where string) error {
	return refuse("symbolic_link", "%s %s is a symbolic link", name, where).WithFix("name the file itself")
}

func refuseFolder(name, where string) error {
	return refuse("is_folder", "%s %s is a folder", name, where).WithFix("name a file in it")
}

// guess returns a fix for a missing file: the paths that differ in case alone, then those with the same last part,
// those in the likest folders first.
func guess(t *gitrepo.Tree, name string) string {
	var like []string
	for _, p := range t.Paths {
		if strings.EqualFold(path.Base(p), path.Base(name)) {
			like = append(like, p)
		}
	}
	nearestFirst(like, name)
	if len(like) == 0 {
		return fromRoot
	}
	return "did you mean " + orList(like) + "?"
}

// nearestFirst puts the paths first that end most like name.
func nearestFirst(paths []string, name string) {
	slices.SortStableFunc(paths, func(a, b string) int { return commonTail(b, name) - commonTail(a, name) })
}

// commonTail counts the parts at the end that two paths share, without regard to case.
func commonTail(a, b string) (n int) {
	x, y := strings.Split(strings.ToLower(a), "/"), strings.Split(strings.ToLower(b), "/")
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// orList names at most maxGuesses of all.
func orList(all []string) string {
	list := strings.Join(all[:min(len(all), maxGuesses)], " or ")
	if more := len(all) - maxGuesses; more > 0 {
		list += fmt.Sprintf(" (or %d more)", more)
	}
	return list
}
