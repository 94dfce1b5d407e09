package gitrepo

import (
	"bytes"
	"context"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// maxKept bounds what is kept between calls: places, paths of changes, and what is in folders.
const maxKept = 1 << 16

// objects reads commits and folders. What it finds never changes: it is kept, so that who asks again reads no object
// twice, and dropped when it becomes much.
type objects struct {
	batch    *batch
	idLength int // in bytes
	turn     Turn
	places   map[string]Entry            // by commit, colon and path
	changes  map[string][]string         // paths by commit
	folders  map[string]map[string]Entry // by id
	commits  map[string]commit           // by id
	paths    int                         // in changes
	entries  int                         // in folders
}

func newObjects(b *batch, idLength int) *objects {
	return &objects{batch: b, idLength: idLength, turn: NewTurn(), places: map[string]Entry{},
		changes: map[string][]string{}, folders: map[string]map[string]Entry{}, commits: map[string]commit{}}
}

// place returns what a commit has at path, and the zero Entry where it has nothing or a folder.
func (o *objects) place(ctx context.Context, commit, path string) (Entry, error) {
	if err := o.turn.Take(ctx); err != nil {
		return Entry{}, err
	}
	defer o.turn.Give()
	key := commit + ":" + path
	if e, known := o.places[key]; known {
		return e, nil
	}
	e, err := o.walk(ctx, commit, path)
	if err != nil {
		return Entry{}, err
	}
	if len(o.places) >= maxKept {
		clear(o.places)
	}
	o.places[key] = e
	return e, nil
}

// read reads a commit by its id.
func (o *objects) read(ctx context.Context, id string) (commit, error) {
	if err := o.turn.Take(ctx); err != nil {
		return commit{}, err
	}
	defer o.turn.Give()
	return o.commit(ctx, id)
}

// walk reads the folders on the way to path.
func (o *objects) walk(ctx context.Context, commit, path string) (Entry, error) {
	at, err := o.commit(ctx, commit)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{modeFolder, at.root}
	for part := range strings.SplitSeq(path, "/") {
		if e.mode != modeFolder {
			return Entry{}, nil
		}
		folder, err := o.folder(ctx, e.ID)
		if err != nil {
			return Entry{}, err
		}
		e = folder[part]
	}
	if e.mode == modeFolder {
		return Entry{}, nil
	}
	return e, nil
}

// changedBy returns the paths that a commit changed against its first parent, all of them for a commit without parent.
func (o *objects) changedBy(ctx context.Context, id string) ([]string, error) {
	if err := o.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer o.turn.Give()
	if paths, known := o.changes[id]; known {
		return paths, nil
	}
	now, err := o.commit(ctx, id)
	var before commit
	if err == nil && now.parent != "" {
		before, err = o.commit(ctx, now.parent)
	}
	var differ difference
	if err == nil {
		err = o.compareFolders(ctx, before.root, now.root, "", &differ)
	}
	paths := differ.paths
	if err != nil {
		return nil, err
	}
	if o.paths += len(paths); o.paths > maxKept {
		clear(o.changes)
		o.paths = len(paths)
	}
	slices.Sort(paths)
	o.changes[id] = paths
	return paths, nil
}

// difference is what was found of two commits so far.
type difference struct {
	paths   []string
	folders int // that were compared
}

// maxChanged is how many paths one commit may change: folders that contain one another many times over make any number
// of few objects.
const maxChanged = 100_000

// compareFolders adds the paths under dir that differ between two folders; "" is one without content.
func (o *objects) compareFolders(ctx context.Context, a, b, dir string, differ *difference) error {
	if differ.folders++; differ.folders+len(differ.paths) > maxChanged || ctx.Err() != nil {
		return fault.New(fault.Unavailable, CodeFailed,
			"the commit changes more than %d files and folders, or takes too long to compare", maxChanged).
			WithFix("cite the files themselves instead of the commit").Because(ctx.Err())
	}
	before, err := o.folder(ctx, a)
	if err != nil {
		return err
	}
	after, err := o.folder(ctx, b)
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
			differ.paths = append(differ.paths, full)
		}
		if err := o.compareFolders(ctx, was.folderID(), is.folderID(), full, differ); err != nil {
			return err
		}
	}
	return nil
}

func both(a, b map[string]Entry) map[string]bool {
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
func (e Entry) isPlain() bool { return e.mode != "" && e.mode != modeFolder }

func (e Entry) folderID() string {
	if e.mode != modeFolder {
		return ""
	}
	return e.ID
}

// commit is what a commit says of itself, also where a clone is cut off there: the ids of its folder and of its first
// parent, "" where it has none.
type commit struct{ root, parent string }

// commit reads a commit by its id.
func (o *objects) commit(ctx context.Context, id string) (commit, error) {
	if known, ok := o.commits[id]; ok {
		return known, nil
	}
	content, err := o.batch.object(ctx, id, "commit", maxOutput)
	if err != nil {
		return commit{}, err
	}
	if len(o.commits) >= maxKept {
		clear(o.commits)
	}
	o.commits[id] = parseCommit(string(content))
	return o.commits[id], nil
}

// parseCommit reads the first lines: "tree ID", and "parent ID" for each parent.
func parseCommit(content string) (c commit) {
	tree, rest, _ := strings.Cut(content, "\n")
	first, _, _ := strings.Cut(rest, "\n")
	c.root, _ = strings.CutPrefix(tree, "tree ")
	if parent, has := strings.CutPrefix(first, "parent "); has {
		c.parent = parent
	}
	return c
}

// folder returns what is in a folder by its id, by name.
func (o *objects) folder(ctx context.Context, id string) (map[string]Entry, error) {
	if id == "" {
		return nil, nil
	}
	if known, ok := o.folders[id]; ok {
		return known, nil
	}
	content, err := o.batch.object(ctx, id, "tree", maxOutput)
	if err != nil {
		return nil, err
	}
	folder, err := parseFolder(content, o.idLength)
	if err != nil {
		return nil, err
	}
	if o.entries += len(folder) + 1; o.entries > maxKept {
		clear(o.folders)
		o.entries = len(folder)
	}
	o.folders[id] = folder
	return folder, nil
}

// parseFolder reads entries of the form "mode SPACE name NUL id", where the id has so many bytes.
func parseFolder(content []byte, idBytes int) (map[string]Entry, error) {
	folder := map[string]Entry{}
	for len(content) > 0 {
		head, rest, ended := bytes.Cut(content, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ended || !spaced || len(rest) < idBytes {
			return nil, fault.New(fault.Unavailable, CodeFailed, "git cat-file answered something else than a folder")
		}
		folder[name] = Entry{mode, hex.EncodeToString(rest[:idBytes])}
		content = rest[idBytes:]
	}
	return folder, nil
}
