package backup

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/successor"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
)

// RestoreOptions of Restore.
type RestoreOptions struct {
	auditor.Options // how the backup is verified

	Folder        string // the data folder; made with mode 0700 where there is none
	Replace       bool   // take the place of a database that is there, and of another log's key; both are kept beside
	ReplaceTokens bool   // and of the tokens that are there
	WithoutKeys   bool   // take the log alone
	Export        string // that may remember, as the checkpoint beside it, what came after the backup; "" is none
	Now           func() time.Time

	Store storage.Place // where the log goes; the zero value is the file in the folder

	known   []choices.Moment        // that are remembered elsewhere; Restore adds those of Export
	reached func(step string) error // is called after every step; in tests, an error makes the next step fail
}

// Restored is what was restored.
type Restored struct {
	auditor.Report // on the backup

	Database     string    // made of it; it has one record more, which says so
	SHA256       string    // of the backup, in hexadecimal
	TakenAt      time.Time // as the backup says; zero where it does not
	Put          []string  // private files that were put back
	Left         []string  // private files of the folder that are others than in the backup, and stayed
	Kept         []string  // what was there before, under its new name
	KeyMissing   bool      // the folder does not have the key that signs the log
	Lost         []Loss    // the known moments that the log has not gone through, newest first
	StartRefused bool      // the next start will be refused for one that lies beside the database
}

// Loss is a moment that a backup has not gone through.
type Loss struct {
	choices.Moment

	Later bool // the backup ends before it; otherwise it is of another log, or of one that went another way
}

// Restore verifies a backup, or a bundle, and puts a database made of it into a data folder. It refuses a folder that a
// service uses. What it rebuilds lies beside its place until it has been read back whole; an error, a crash or a kill
// before that leaves everything as it was, and one after it leaves the new database, and the old one under its new
// name.
//
// Implements: ORC-104
func Restore(ctx context.Context, path string, o RestoreOptions) (done Restored, err error) {
	if o.Export != "" {
		remembered, err := exportfile.Remembered(ctx, o.Export)
		if err != nil {
			return done, err
		}
		o.known = append(o.known, remembered...)
	}
	bundle, err := auditor.OpenBundle(path)
	if missing := fault.As(err); missing != nil && errors.Is(err, fs.ErrNotExist) {
		return done, missing.WithFix("name a file that orchestrator backup -o FILE wrote")
	}
	if err != nil {
		return done, err
	}
	defer bundle.Close()
	r := &restorer{RestoreOptions: o, bundle: bundle, done: Restored{Put: []string{}, Left: []string{}, Kept: []string{}}}
	if r.reached == nil {
		r.reached = func(string) error { return nil }
	}
	if err := r.remember(ctx); err != nil {
		return r.done, err
	}
	if err := r.open(ctx); err != nil {
		return r.done, errors.Join(err, r.close())
	}
	if err = r.rebuild(ctx); err == nil {
		err = r.place(ctx)
	}
	r.done.Kept = append(r.done.Kept, r.successor.Kept...)
	return r.done, errors.Join(notRestored(r.done.Database, err), r.close())
}

// restorer is one restore under way.
type restorer struct {
	RestoreOptions

	bundle *auditor.Bundle
	done   Restored

	made      bool // the folder was made
	successor *successor.Successor
	release   func() error     // gives up the lock of the old database; nil where there is none
	was       []choices.Moment // of the old database, where it can be read
	staged    []staged
}

// open makes sure that nobody uses the folder, and keeps it so.
func (r *restorer) open(ctx context.Context) (err error) {
	_, err = os.Stat(r.Folder)
	r.made = errors.Is(err, fs.ErrNotExist)
	if err = os.MkdirAll(r.Folder, 0o700); err != nil {
		return notOpened(r.Folder, err)
	}
	r.done.Database = datadir.Dir(r.Folder).Database()
	r.successor, err = successor.Open(r.Folder, "restore", r.Now())
	if errors.Is(err, successor.ErrBusy) {
		return lockedBy(r.Folder)
	}
	if err != nil {
		return notOpened(r.Folder, err)
	}
	if r.Store.IsShared() {
		return r.openShared(ctx)
	}
	_, err = os.Lstat(r.successor.Place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.reached("opened")
	case err != nil:
		return notOpened(r.Folder, err)
	}
	if err := r.claim(ctx); err != nil {
		return err
	}
	if err := r.successor.RemoveStale(); err != nil {
		return notOpened(r.Folder, err)
	}
	if !r.Replace {
		return fault.New(fault.Conflict, "restore_not_empty", "there is a database %s", r.successor.Place).
			WithFix("give another --data, or --replace, which keeps the database that is there under another name")
	}
	return r.reached("opened")
}

// claim takes the lock of the database that is there. It may be damaged: that is what backups are for.
func (r *restorer) claim(ctx context.Context) error {
	s, err := boltstore.Open(r.successor.Place, boltstore.Options{ReadOnly: true})
	if err == nil {
		r.release = s.Close
		if l, err := ledger.OpenToReplay(ctx, s); err == nil {
			head := l.Head()
			r.was = append(r.was, choices.Moment{Where: "the database that was there", Size: head.Size,
				Root: head.Root})
		}
		return nil
	}
	if fault.Is(err, store.CodeNotFile) {
		return fault.As(err)
	}
	r.release, err = boltstore.Claim(r.successor.Place)
	return database.InUse(ctx, err, datadir.Dir(r.Folder),
		"stop it first, such as with orchestrator down: a restore takes the place of its database")
}

func (r *restorer) close() error {
	for _, s := range r.staged {
		_ = os.Remove(s.temp)
	}
	var err error
	if r.release != nil {
		err = r.release()
	}
	if r.successor != nil {
		err = errors.Join(err, r.successor.Close())
	}
	if r.made {
		_ = os.Remove(r.Folder) // only where nothing was put into it
	}
	return err
}

// rebuild verifies the backup, makes the new database of it, and reads that back.
func (r *restorer) rebuild(ctx context.Context) error {
	// what a crash left; the lock keeps others out
	if err := r.successor.RemoveTemp(); err != nil {
		return err
	}
	s, err := boltstore.Open(r.successor.Temp, boltstore.Options{})
	if err != nil {
		return err
	}
	rebuilt, err := auditor.Rebuild(ctx, r.bundle, s, r.Options)
	r.done.Report = rebuilt.Report
	if err == nil {
		err = r.reached("rebuilt")
	}
	if err == nil {
		err = r.putOnRecord(ctx, s)
	}
	if failed := s.Close(); err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if err := r.reached("recorded"); err != nil {
		return err
	}
	return r.check(ctx, rebuilt)
}

// putOnRecord lets the log say that it goes on from a copy.
func (r *restorer) putOnRecord(ctx context.Context, s *boltstore.Store) (err error) {
	if r.done.SHA256, _, err = r.bundle.SHA256(); err != nil {
		return err
	}
	if raw, err := r.bundle.Read(ctx, auditor.PathAbout); err == nil {
		var a about
		if json.Unmarshal(raw, &a) == nil {
			r.done.TakenAt = a.TakenAt
		}
	}
	l, err := ledger.Open(ctx, s, r.Now)
	if err != nil {
		return err
	}
	return choices.PutRestored(ctx, l, record.Restored{Size: r.done.Records, Root: r.done.Root,
		SHA256: r.done.SHA256, TakenAt: r.done.TakenAt})
}

// check opens the new database anew, and reads all of it.
func (r *restorer) check(ctx context.Context, rebuilt auditor.Rebuilt) (err error) {
	s, err := boltstore.Open(r.successor.Temp, boltstore.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Check(); err != nil {
		return err
	}
	l, err := ledger.OpenReadOnly(ctx, s)
	if err != nil {
		return err
	}
	if err := rebuilt.Check(ctx, l); err != nil {
		return err
	}
	lost, _, err := choices.Lost(ctx, l, slices.Concat(r.known, r.was))
	if err != nil {
		return err
	}
	r.lose(lost)
	return r.reached("checked")
}

// lose notes what the backup does not have.
func (r *restorer) lose(lost []choices.Moment) {
	beside := []string{r.Export, projection.CheckpointPath(r.Export), r.Store.In(datadir.Dir(r.Folder)).MemoryPath()}
	for _, m := range lost {
		r.done.Lost = append(r.done.Lost, Loss{m, m.Size > r.done.Records})
		r.done.StartRefused = r.done.StartRefused || slices.Contains(beside, m.Where)
	}
}

func lockedBy(folder string) error {
	return fault.New(fault.Conflict, "restore_locked", "another restore, or an upgrade, is at work in %s", folder).
		WithFix("wait until it has ended")
}

func notOpened(folder string, cause error) error {
	return fault.New(fault.Unavailable, "data_folder", "the folder %s cannot be used", folder).
		WithFix("create it and make it writable for this user, or give another --data").Because(cause)
}

// notRestored makes an error that left everything as it was.
func notRestored(database string, err error) error {
	var bad *auditor.Bad
	f := fault.As(err)
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.As(err, &bad):
		return err
	case f != nil &&
		(f.Code == codeHalf || f.Kind != fault.Unavailable && f.Kind != fault.InsufficientStorage &&
			f.Kind != fault.Internal):
		return f
	}
	return fault.New(fault.Unavailable, "restore_failed", "%s was not restored; what was there is as it was", database).
		WithFix("look at the cause; a restore needs about three times as much room in the folder as the backup " +
			"takes").Because(err)
}
