package projection

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"orchestrator/internal/system/tree"
)

// Displaced is what stood in the place of a file that the service writes, and was replaced: somebody put it there.
type Displaced struct {
	Path  string
	What  string // such as "a symbolic link to state.db"; of the last time
	Times int
}

// replace writes a file of the folder that was opened, whatever its path has come to name, and waits for the disk.
func (x *Exporter) replace(path string, write func(io.Writer) error) error {
	return x.put(path, func() (string, error) {
		return x.folder.Replace(filepath.Base(path), tree.Write{Perm: 0o644, Content: write})
	})
}

// replaceUnsynced writes the export, and does not wait for the disk.
func (x *Exporter) replaceUnsynced(snap *Snapshot) error {
	return x.put(x.Path, func() (string, error) {
		if x.recycler == nil {
			return x.folder.Replace(filepath.Base(x.Path), tree.Write{Perm: 0o644, Content: snap.Write, Unsynced: true})
		}
		return x.recycler.Replace(tree.Version{Perm: 0o644, Whole: snap.Write, Content: snap,
			Over: func(to io.WriterAt, held any) (int64, error) { return snap.WriteOver(to, held.(*Snapshot)) }})
	})
}

// put writes a file, and reports what stood in its place.
func (x *Exporter) put(path string, write func() (displaced string, err error)) error {
	if err := x.open(); err != nil {
		return err
	}
	what, err := write()
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if what != "" {
		x.report(path, what)
	}
	return nil
}

func (x *Exporter) open() (err error) {
	if x.folder == nil {
		x.folder, err = tree.OpenFolder(filepath.Dir(x.Path))
	}
	if err == nil && x.recycler == nil && x.Spares != "" {
		x.recycle()
	}
	return err
}

// recycle keeps the files that are replaced, if it can.
func (x *Exporter) recycle() {
	spares, err := tree.OpenFolder(x.Spares)
	if err == nil {
		x.recycler = tree.NewRecycler(x.folder, filepath.Base(x.Path), spares, spareName)
	}
}

// spareName is the name of the export that was replaced, in the folder of spares.
const spareName = "export.spare"

// Close lets go of the folder of the export, and removes the one that was replaced. Run does so at its end.
func (x *Exporter) Close() {
	x.turn.Lock()
	defer x.turn.Unlock()
	if x.recycler != nil {
		_ = x.recycler.Close() // a file that is left is removed when its place is needed
	}
	if x.folder != nil {
		_ = x.folder.Close() // it was only the way to its files
	}
	x.folder, x.recycler = nil, nil
}

// removeStale removes what a crash left.
func (x *Exporter) removeStale() {
	for _, path := range []string{x.Path, CheckpointPath(x.Path)} {
		err := x.open()
		if err == nil {
			err = x.folder.RemoveStale(filepath.Base(path))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			x.fail(err, true)
		}
	}
}

// report keeps what stood in the place of a file, and tells of it.
func (x *Exporter) report(path, what string) {
	x.mu.Lock()
	all := slices.Clone(x.state.Displaced) // others hold the old one
	at, found := slices.BinarySearchFunc(all, path,
		func(d Displaced, path string) int { return strings.Compare(d.Path, path) })
	if !found {
		all = slices.Insert(all, at, Displaced{Path: path})
	}
	all[at].What = what
	all[at].Times++
	x.state.Displaced = all
	x.mu.Unlock()
	if x.OnDisplaced != nil {
		x.OnDisplaced(all[at])
	}
}
