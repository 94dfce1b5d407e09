package backup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

// codeHalf is the code of the error that the database was restored, and not all that belongs to it.
const codeHalf fault.Code = "restore_incomplete"

// staged is a private file that is written and synced, and waits to be put in its place.
type staged struct {
	name, temp, path string
	early            bool // it takes no other's place, and helps whoever starts the service before all is done
	keep             bool // what is there is kept beside
}

// place puts the new database in its place, and the private files. All is written before anything is moved. The
// database is moved before the key: a log whose key is missing cannot be served, a key without its log could sign
// another.
func (r *restorer) place(ctx context.Context) error {
	if err := r.stage(ctx); err != nil {
		return err
	}
	if err := cmp.Or(r.successor.OwnAsFolder(r.successor.Temp), r.reached("staged")); err != nil {
		return err
	}
	err := r.putPrivate(true)
	if err == nil {
		err = r.reached("early")
	}
	if err == nil {
		err = r.swap(ctx)
	}
	if err != nil {
		r.undo()
		return err
	}
	err = r.reached("swapped")
	if err == nil {
		err = r.putPrivate(false)
	}
	if err == nil {
		err = cmp.Or(r.reached("late"), r.successor.Sync())
	}
	if err != nil {
		return fault.New(fault.Unavailable, codeHalf, "%s was restored, but not all that belongs to it",
			r.done.Database).
			WithFix("look at the cause, and restore again with --replace").Because(err)
	}
	return nil
}

// swap puts the new database in its place in one step; at every moment there is a whole one, or none as before.
func (r *restorer) swap(ctx context.Context) error {
	if r.Store.IsShared() {
		return r.moveTo(ctx, r.Store)
	}
	if r.release == nil {
		return r.successor.Put()
	}
	return r.successor.Replace(func() error { return r.reached("kept") })
}

// undo takes away what was put before the database could be.
func (r *restorer) undo() {
	r.successor.Undo()
	for _, s := range r.staged {
		if s.early && s.temp == "" {
			_ = os.Remove(s.path)
		}
	}
}

// stage decides which private files are to be put back, and writes them beside their places.
func (r *restorer) stage(ctx context.Context) error {
	key, err := r.private(ctx, datadir.Key)
	if err != nil {
		return err
	}
	there, err := r.stageKey(ctx, key)
	if err != nil {
		return err
	}
	r.done.KeyMissing = !there
	public := []byte(r.done.Key + "\n")
	if was, err := tree.ReadFile(ctx, datadir.Dir(r.Folder).PublicKey(), maxPrivate); err != nil ||
		!bytes.Equal(was, public) {
		if err := r.stageFile(staged{name: datadir.PublicKey}, public, 0o644); err != nil {
			return err
		}
	}
	return r.stageTokens(ctx)
}

// private returns a private file of the backup, and nil when it has none, or is not asked for it.
func (r *restorer) private(ctx context.Context, name string) ([]byte, error) {
	if r.WithoutKeys {
		return nil, nil
	}
	content, err := r.bundle.Read(ctx, inBackup[name])
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// stageKey reports whether the folder will have the key that signs the log.
func (r *restorer) stageKey(ctx context.Context, backedUp []byte) (there bool, err error) {
	path := datadir.Dir(r.Folder).Key()
	if backedUp != nil && !signs(backedUp, r.done.Key) {
		return false, fault.New(fault.Conflict, "backup_key_differs", "the key in %s is not that of the log in it",
			r.bundle.Name()).
			WithFix("do not trust this file; to take the log alone, give --without-keys")
	}
	inFolder, err := tree.ReadFile(ctx, path, maxPrivate)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return false, err
	}
	switch {
	case !missing && signs(inFolder, r.done.Key):
		return true, nil
	case backedUp == nil:
		return false, nil
	case !missing && !r.Replace:
		return false, fault.New(fault.Conflict, "restore_another_key",
			"there is a key %s, which is not that of the log in the backup", path).
			WithFix("give another --data, or --replace, which keeps the key that is there under another name")
	}
	return true, r.stageFile(staged{name: datadir.Key, keep: !missing}, backedUp, 0o600)
}

// stageTokens leaves tokens that are there alone, unless it is told not to: with older ones, revoked tokens would come
// back.
func (r *restorer) stageTokens(ctx context.Context) error {
	backedUp, err := r.private(ctx, datadir.Tokens)
	if err != nil || backedUp == nil {
		return err
	}
	inFolder, err := tree.ReadFile(ctx, datadir.Dir(r.Folder).Tokens(), maxPrivate)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return err
	case !missing && bytes.Equal(inFolder, backedUp):
		return nil
	case !missing && !r.ReplaceTokens:
		r.done.Left = append(r.done.Left, datadir.Tokens)
		return nil
	}
	return r.stageFile(staged{name: datadir.Tokens, early: missing, keep: !missing}, backedUp, 0o600)
}

func (r *restorer) stageFile(s staged, content []byte, perm os.FileMode) error {
	s.path = filepath.Join(r.Folder, s.name)
	s.temp = filepath.Join(r.Folder, "."+s.name+".restore")
	if err := os.Remove(s.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(s.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	r.staged = append(r.staged, s)
	_, err = f.Write(content)
	return cmp.Or(errors.Join(err, f.Sync(), f.Close()), r.successor.OwnAsFolder(s.temp))
}

// putPrivate moves the staged files to their places: those that are early, or the others.
func (r *restorer) putPrivate(early bool) error {
	for i, s := range r.staged {
		if s.early != early {
			continue
		}
		if s.keep {
			if err := r.successor.Keep(s.path); err != nil {
				return err
			}
		}
		if err := os.Rename(s.temp, s.path); err != nil {
			return err
		}
		r.staged[i].temp = ""
		r.done.Put = append(r.done.Put, s.name)
	}
	return nil
}
