package evidence

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"orchestrator/internal/fault"
)

const (
	modeLink      = "120000"
	modeSubmodule = "160000"
	maxTrees      = 4 // listings that are kept
	maxGuesses    = 3
)

// entry is what a commit has at a path: the mode, and the id of the content or, for a submodule, of its commit.
type entry struct{ mode, id string }

func (e entry) isFile() bool { return e.mode != "" && e.mode != modeLink && e.mode != modeSubmodule }

// tree lists everything at one commit but folders.
type tree struct {
	commit  string
	paths   []string // as git lists them
	entries map[string]entry
	byID    func() map[string][]string // paths of files by the id of their content
}

// trees keeps the listings that were used last, the newest at the end.
type trees struct {
	turn turn
	kept []*tree
}

// tree lists a commit, given by its full id.
func (r *Repository) tree(ctx context.Context, commit string) (*tree, error) {
	if err := r.trees.turn.take(ctx); err != nil {
		return nil, err
	}
	defer r.trees.turn.give()
	kept := r.trees.kept
	if i := slices.IndexFunc(kept, func(t *tree) bool { return t.commit == commit }); i >= 0 {
		t := kept[i]
		r.trees.kept = append(slices.Delete(kept, i, i+1), t)
		return t, nil
	}
	out, err := r.git.run(ctx, "", "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	t, err := parseTree(commit, out)
	if err != nil {
		return nil, err
	}
	r.trees.kept = append(kept[max(0, len(kept)-maxTrees+1):], t)
	return t, nil
}

// parseTree reads entries of the form "mode type id TAB path NUL".
func parseTree(commit, out string) (*tree, error) {
	n := strings.Count(out, "\x00")
	t := &tree{commit: commit, paths: make([]string, 0, n), entries: make(map[string]entry, n)}
	t.byID = sync.OnceValue(t.invert) // only what has moved asks for it
	for out != "" {
		line, rest, ended := strings.Cut(out, "\x00")
		about, name, tab := strings.Cut(line, "\t")
		part := strings.Fields(about)
		if !ended || !tab || len(part) != 3 {
			return nil, fault.New(fault.Unavailable, failed,
				"git ls-tree answered something else than the files of %s", short(commit))
		}
		t.paths, t.entries[name], out = append(t.paths, name), entry{part[0], part[2]}, rest
	}
	return t, nil
}

func (t *tree) invert() map[string][]string {
	byID := make(map[string][]string, len(t.paths))
	for _, name := range t.paths {
		if e := t.entries[name]; e.isFile() {
			byID[e.id] = append(byID[e.id], name)
		}
	}
	return byID
}

// find returns the file at name. Where there is none the error is fault.NotFound; what is there and is no file of this
// repository is refused.
func (t *tree) find(name string) (entry, error) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		switch e := t.entries[name[:i]]; {
		case e.mode == modeLink:
			return entry{}, refuseLink(name[:i], "at "+short(t.commit))
		case e.mode == modeSubmodule:
			return entry{}, refuse("in_submodule", "%s at %s is a submodule: its files belong to its own repository",
				name[:i], short(t.commit)).
				WithFix("cite a file of this repository")
		case e.mode != "" && i == len(name):
			return e, nil
		}
	}
	if slices.ContainsFunc(t.paths, func(p string) bool { return strings.HasPrefix(p, name+"/") }) {
		return entry{}, refuseFolder(name, "at "+short(t.commit))
	}
	return entry{}, fault.New(fault.NotFound, "file_missing", "there is no %s at %s", name, short(t.commit))
}

func refuseLink(name, where string) error {
	return refuse("symbolic_link", "%s %s is a symbolic link", name, where).WithFix("name the file itself")
}

func refuseFolder(name, where string) error {
	return refuse("is_folder", "%s %s is a folder", name, where).WithFix("name a file in it")
}

// guess returns a fix for a missing file: the paths that differ in case alone, then those with the same last part,
// those in the likest folders first.
func (t *tree) guess(name string) string {
	var like []string
	for _, p := range t.paths {
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
