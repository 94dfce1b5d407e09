package moving

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/successor"
)

// Place is where a log is, or is to be: a file of a data folder, or else a store that open opens.
type Place struct {
	name   string // as people may read it
	folder datadir.Dir
	file   string // where the log is now, if not in its place in the folder
	open   Opener
}

// Opener opens a store. One that only looks does not make a store where there is none, and does not write.
type Opener func(ctx context.Context, looks bool) (store.Store, error)

// InFolder returns the place of the file in a data folder.
func InFolder(data datadir.Dir) Place { return Place{name: data.Database(), folder: data} }

// InFile returns the place of a file that was made for a data folder, and has not been put into its place there.
func InFile(data datadir.Dir, path string) Place { return Place{name: path, folder: data, file: path} }

// Shared returns the place of a store that several processes can have open. The name has no secrets.
func Shared(name string, open Opener) Place {
	return Place{name: name, open: open}
}

// isShared reports whether several processes can have the store open.
func (p Place) isShared() bool { return p.open != nil }

// String returns the place as people may read it.
func (p Place) String() string { return p.name }

// openToLook opens what stands at the place, to look whether a log is there; nil where nothing does.
func (p Place) openToLook(ctx context.Context) (store.Store, error) {
	if p.open != nil {
		return p.open(ctx, true)
	}
	if _, err := os.Lstat(p.folder.Database()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s, err := boltstore.Open(p.folder.Database(), boltstore.Options{ReadOnly: true, LockTimeout: database.LockPatience})
	if err != nil {
		return nil, database.InUse(ctx, err, p.folder, stopFirst)
	}
	return s, nil
}

// end is an open end of a move.
type end struct {
	store store.Store
	under context.Context         // what is written there is written under it
	size  int64                   // bytes of the file; 0 where nobody knows
	place func() error            // puts a new file in its place; nil where nothing need be done
	own   func(path string) error // gives a file beside it the owner of the data folder
	keep  func(path string) error // gives a file beside it a second name, under which it stays
	kept  func() []string         // what was there before, under its new names
	close func() error
}

// openSource opens the place that has a log. Until it is closed no service writes there.
func (p Place) openSource(ctx context.Context, lease time.Duration) (*end, error) {
	if p.open != nil {
		there, err := p.open(ctx, true)
		if err != nil {
			return nil, err
		}
		if err := there.Close(); err != nil {
			return nil, err
		}
		return p.openShared(ctx, lease)
	}
	path := p.file
	if path == "" {
		var err error
		if path, err = database.Existing(ctx, storage.InFolder(p.folder)); err != nil {
			return nil, err
		}
	}
	s, err := boltstore.Open(path, boltstore.Options{LockTimeout: database.LockPatience})
	if err != nil {
		return nil, database.InUse(ctx, err, p.folder, stopFirst)
	}
	return &end{store: s, under: ctx, size: s.Stats().Size, close: s.Close}, nil
}

// openShared opens a store that others can have open, and keeps them from being on duty.
func (p Place) openShared(ctx context.Context, lease time.Duration) (*end, error) {
	s, err := p.open(ctx, false)
	if err != nil {
		return nil, err
	}
	under, release, err := hold(ctx, s, p.name, lease)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &end{store: s, under: under, close: func() error {
		release()
		return s.Close()
	}}, nil
}

// openTarget opens the place that a log is to be moved to. A file is built beside its place.
func (p Place) openTarget(ctx context.Context, o Options) (*end, error) {
	if p.open != nil {
		return p.openShared(ctx, o.lease)
	}
	if err := os.MkdirAll(string(p.folder), 0o700); err != nil {
		return nil, unusable(p.folder, err)
	}
	s, err := successor.Open(string(p.folder), "migrate", o.Now())
	if errors.Is(err, successor.ErrBusy) {
		return nil, fault.New(fault.Conflict, codeBusy, "another process is replacing the database in %s", p.folder).
			WithFix("wait until it has ended")
	}
	if err != nil {
		return nil, unusable(p.folder, err)
	}
	s.Resumable = true
	opened, err := p.openBeside(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return opened, nil
}

// openBeside opens the file that is to take the place of the one there, which must have moved away.
func (p Place) openBeside(ctx context.Context, s *successor.Successor) (*end, error) {
	free, replaced, err := p.claim(ctx, s.Place)
	if err != nil {
		return nil, err
	}
	building, err := boltstore.Open(s.Temp, boltstore.Options{})
	if err != nil && s.RemoveTemp() == nil { // a power cut may have damaged what an earlier run left
		building, err = boltstore.Open(s.Temp, boltstore.Options{})
	}
	if err != nil {
		return nil, errors.Join(err, free())
	}
	return &end{store: building, under: ctx,
		place: func() error {
			if err := building.Close(); err != nil {
				return err
			}
			return put(s, replaced)
		},
		own:   s.OwnAsFolder,
		keep:  s.Keep,
		kept:  func() []string { return s.Kept },
		close: func() error { return errors.Join(building.Close(), free(), s.Close()) },
	}, nil
}

// claim makes sure that nothing is lost when a new file takes the place of what is at a path, and locks that.
func (p Place) claim(ctx context.Context, path string) (free func() error, replaced bool, err error) {
	free = func() error { return nil }
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return free, false, nil
	}
	there, err := boltstore.Open(path, boltstore.Options{ReadOnly: true, LockTimeout: database.LockPatience})
	if err != nil {
		return free, false, database.InUse(ctx, err, p.folder, stopFirst)
	}
	if to, err := movedTo(ctx, there); err != nil || to == "" {
		return free, false, errors.Join(
			cmp.Or(err, notEmpty(p, "give a data folder without a database")),
			there.Close(),
		)
	}
	return there.Close, true, nil
}

// put puts the new file in its place; the one that was there is kept.
func put(s *successor.Successor, replaced bool) error {
	if !replaced {
		return cmp.Or(s.OwnAsFolder(s.Temp), s.Put(), s.Sync())
	}
	err := cmp.Or(s.OwnAsPlace(), s.RemoveStale(), s.Replace(func() error { return nil }))
	if err != nil {
		s.Undo()
		return err
	}
	return s.Sync()
}

// movedTo returns where the log of a store goes on; "" if it goes on there, or there is none.
func movedTo(ctx context.Context, s store.Store) (to string, err error) {
	head, err := moved.Look(ctx, s)
	return head.Moved, err
}
