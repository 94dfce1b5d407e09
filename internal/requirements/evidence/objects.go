package evidence

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"path"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

const (
	modeFolder = "40000"
	maxKept    = 1 << 16 // places, and paths of changes, that are kept between calls
)

// facts are what never changes: what a commit has at a path, and which paths a commit changed. They are kept between
// calls, so that looking again reads no object twice, and dropped when they become many.
type facts struct {
	turn    turn
	places  map[string]entry    // by commit, colon and path
	changes map[string][]string // by commit
	paths   int                 // in changes
}

// place returns what a commit has at path: a file, a link or a submodule; the zero entry where it has nothing, or a
// folder.
func (c *check) place(ctx context.Context, commit, path string) (entry, error) {
	f := &c.r.facts
	if err := f.turn.take(ctx); err != nil {
		return entry{}, err
	}
	defer f.turn.give()
	key := commit + ":" + path
	if e, known := f.places[key]; known {
		return e, nil
	}
	e, err := c.walk(ctx, commit, path)
	if err != nil {
		return entry{}, err
	}
	if len(f.places) >= maxKept {
		clear(f.places)
	}
	f.places[key] = e
	return e, nil
}

// walk reads the folders on the way to path.
func (c *check) walk(ctx context.Context, commit, path string) (entry, error) {
	root, _, err := c.commitObject(ctx, commit)
	if err != nil {
		return entry{}, err
	}
	e := entry{modeFolder, root}
	for part := range strings.SplitSeq(path, "/") {
		if e.mode != modeFolder {
			return entry{}, nil
		}
		folder, err := c.folder(ctx, e.id)
		if err != nil {
			return entry{}, err
		}
		e = folder[part]
	}
	if e.mode == modeFolder {
		return entry{}, nil
	}
	return e, nil
}

// changedBy returns the paths that a commit changed against its first parent, all of them for a commit without parent.
func (c *check) changedBy(ctx context.Context, commit string) ([]string, error) {
	f := &c.r.facts
	if err := f.turn.take(ctx); err != nil {
		return nil, err
	}
	defer f.turn.give()
	if paths, known := f.changes[commit]; known {
		return paths, nil
	}
	now, parent, err := c.commitObject(ctx, commit)
	before := ""
	if err == nil && parent != "" {
		before, _, err = c.commitObject(ctx, parent)
	}
	var paths []string
	if err == nil {
		err = c.compareFolders(ctx, before, now, "", &paths)
	}
	if err != nil {
		return nil, err
	}
	if f.paths += len(paths); f.paths > maxKept {
		clear(f.changes)
		f.paths = len(paths)
	}
	slices.Sort(paths)
	f.changes[commit] = paths
	return paths, nil
}

// compareFolders adds the paths under dir that differ between two folders; "" is one without content.
func (c *check) compareFolders(ctx context.Context, a, b, dir string, differ *[]string) error {
	before, err := c.folder(ctx, a)
	if err != nil {
		return err
	}
	after, err := c.folder(ctx, b)
	if err != nil {
		return err
	}
	for name := range both(before, after) {
		was, is := before[name], after[name]
		if was == is {
			continue
		}
		full := path.Join(dir, name)
		if was.isPlain() || is.isPlain() {
			*differ = append(*differ, full)
		}
		if err := c.compareFolders(ctx, was.folderID(), is.folderID(), full, differ); err != nil {
			return err
		}
	}
	return nil
}

func both(a, b map[string]entry) map[string]bool {
	names := make(map[string]bool, len(a))
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	return names
}

// isPlain reports whether there is something else than a folder.
func (e entry) isPlain() bool { return e.mode != "" && e.mode != modeFolder }

func (e entry) folderID() string {
	if e.mode != modeFolder {
		return ""
	}
	return e.id
}

// commitObject returns the ids of the folder and of the first parent of a commit, "" where it has none. They are what
// the commit itself says, also where a clone is cut off there.
func (c *check) commitObject(ctx context.Context, id string) (root, parent string, err error) {
	content, err := c.object(ctx, id, "commit")
	if err != nil {
		return "", "", err
	}
	for line := range bytes.Lines(content) {
		word, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch {
		case word == "tree" && root == "":
			root = value
		case word == "parent":
			return root, value, nil
		default:
			return root, "", nil
		}
	}
	return root, "", nil
}

// folder returns what is in a folder by its id, by name.
func (c *check) folder(ctx context.Context, id string) (map[string]entry, error) {
	if id == "" {
		return nil, nil
	}
	if known, ok := c.folders[id]; ok {
		return known, nil
	}
	content, err := c.object(ctx, id, "tree")
	if err != nil {
		return nil, err
	}
	folder, err := parseFolder(content, c.r.idLength/2)
	if err == nil {
		c.folders[id] = folder
	}
	return folder, err
}

// parseFolder reads entries of the form "mode SPACE name NUL id", where the id has so many bytes.
func parseFolder(content []byte, idBytes int) (map[string]entry, error) {
	folder := map[string]entry{}
	for len(content) > 0 {
		head, rest, ended := bytes.Cut(content, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ended || !spaced || len(rest) < idBytes {
			return nil, fault.New(fault.Unavailable, failed, "git cat-file answered something else than a folder")
		}
		folder[name] = entry{mode, hex.EncodeToString(rest[:idBytes])}
		content = rest[idBytes:]
	}
	return folder, nil
}

// object reads a commit or a folder.
func (c *check) object(ctx context.Context, id, kind string) ([]byte, error) {
	content, err := c.r.batch.object(ctx, id, kind, maxOutput)
	if errors.Is(err, context.DeadlineExceeded) {
		c.failure = err
	}
	return content, err
}
