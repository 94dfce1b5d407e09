package backup

import (
	"context"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/moving"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/choices"
)

// A log that goes into a store that several processes share is rebuilt in a file of the data folder, like any other,
// and moved from there. So it is whole before anybody can open it, whenever the restore is killed.

// remember adds what the data folder remembers of a log that lay in such a store.
func (r *restorer) remember(ctx context.Context) error {
	place := r.Store.In(datadir.Dir(r.Folder))
	if !place.IsShared() {
		return nil
	}
	m, known, err := place.Remembered(ctx)
	if err == nil && known {
		r.known = append(r.known, choices.Moment{Where: place.MemoryPath(), Size: m.Size, Root: m.Root})
	}
	return err
}

// openShared makes sure that there is no log where this one goes. What an earlier restore has left is no log.
func (r *restorer) openShared(ctx context.Context) error {
	r.done.Database = r.Store.String()
	s, err := r.Store.Open(ctx, storage.Options{ReadOnly: true})
	if fault.Is(err, store.CodeMissing) {
		return r.reached("opened")
	}
	if err != nil {
		return err
	}
	_, err = ledger.OpenReadOnly(ctx, s)
	if failed := s.Close(); failed != nil {
		return failed
	}
	if fault.Is(err, ledger.CodeEmpty, moved.CodeUnfinished) {
		return r.reached("opened")
	}
	return fault.New(fault.Conflict, "restore_not_empty", "there is a log in %s", r.Store).
		WithFix("give another schema, with ?search_path= in the URL; ALTER SCHEMA … RENAME TO … puts aside the one " +
			"that is there").Because(err)
}

// moveTo moves the log from the file that it was rebuilt in to the store.
func (r *restorer) moveTo(ctx context.Context, place storage.Place) error {
	_, err := moving.Move(ctx, moving.InFile(datadir.Dir(r.Folder), r.successor.Temp), moving.At(place),
		moving.Options{Now: r.Now, Afresh: true, Verified: r.Progress, Copied: r.Progress, Compared: r.Progress})
	return err
}
