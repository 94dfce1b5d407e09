package gitrepo

import (
	"context"
	"slices"
	"strings"
	"sync"

	"orchestrator/internal/fault"
)

const (
	modeFolder    = "40000" // in objects; listings of whole commits have no folders
	modeLink      = "120000"
	modeSubmodule = "160000"
	maxTrees      = 4 // listings that are kept
)

// Entry is what a commit has at a path: the mode, and the id of the content or, for a submodule, of its commit. The
// zero Entry is nothing.
type Entry struct{ mode, ID string }

// There reports whether there is anything.
func (e Entry) There() bool { return e.mode != "" }

// IsLink reports whether it is a symbolic link.
func (e Entry) IsLink() bool { return e.mode == modeLink }

// IsSubmodule reports whether it is a commit of another repository.
func (e Entry) IsSubmodule() bool { return e.mode == modeSubmodule }

// IsFile reports whether it is a file of this repository.
func (e Entry) IsFile() bool {
	return e.There() && e.mode != modeFolder && !e.IsLink() && !e.IsSubmodule()
}

// Like reports whether both have the same content, whoever may execute it.
func (e Entry) Like(other Entry) bool { return e.ID == other.ID && e.IsFile() == other.IsFile() }

// Tree lists everything at one commit but folders. The zero Tree is that of no commit.
type Tree struct {
	Commit  string
	Paths   []string // as git lists them
	entries map[string]Entry
	byID    func() map[string][]string // paths of files by the id of their content
}

// At returns what is at a path.
func (t *Tree) At(path string) Entry { return t.entries[path] }

// Holding returns the paths of the files that have the content id. They must not be changed.
func (t *Tree) Holding(id string) []string {
	if t.byID == nil {
		return nil
	}
	return t.byID()[id]
}

// trees keeps the listings that were used last, the newest at the end.
type trees struct {
	git  *command
	turn Turn
	kept []*Tree
}

// list lists a commit, given by its full id.
func (all *trees) list(ctx context.Context, commit string) (*Tree, error) {
	if err := all.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer all.turn.Give()
	kept := all.kept
	if i := slices.IndexFunc(kept, func(t *Tree) bool { return t.Commit == commit }); i >= 0 {
		t := kept[i]
		all.kept = append(slices.Delete(kept, i, i+1), t)
		return t, nil
	}
	out, err := all.git.run(ctx, "", "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	t, err := parseTree(commit, out)
	if err != nil {
		return nil, err
	}
	all.kept = append(kept[max(0, len(kept)-maxTrees+1):], t)
	return t, nil
}

// parseTree reads entries of the form "mode type id TAB path NUL".
func parseTree(commit, out string) (*Tree, error) {
	n := strings.Count(out, "\x00")
	t := &Tree{Commit: commit, Paths: make([]string, 0, n), entries: make(map[string]Entry, n)}
	t.byID = sync.OnceValue(t.invert) // only what has moved asks for it
	for out != "" {
		line, rest, ended := strings.Cut(out, "\x00")
		about, name, tab := strings.Cut(line, "\t")
		part := strings.Fields(about)
		if !ended || !tab || len(part) != 3 {
			return nil, fault.New(fault.Unavailable, CodeFailed,
				"git ls-tree answered something else than the files of %s", Short(commit))
		}
		t.Paths, t.entries[name], out = append(t.Paths, name), Entry{part[0], part[2]}, rest
	}
	return t, nil
}

func (t *Tree) invert() map[string][]string {
	byID := make(map[string][]string, len(t.Paths))
	for _, name := range t.Paths {
		if e := t.entries[name]; e.IsFile() {
			byID[e.ID] = append(byID[e.ID], name)
		}
	}
	return byID
}
